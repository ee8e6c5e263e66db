import { type Arrival, type Connection, createCounts, followArrivals, SCALES, type Scale } from "./arrivals.js";
import { columnsOf, cut, drawLegend, howNamed, isNameless, makeParams, nameOf } from "./cards.js";
import { createBars, type Figures } from "./chart.js";
import { colourOf } from "./colours.js";
import { type Column, type Content, check, make, makeChoice, makeScroll, makeTable, replace } from "./elements.js";
import { clock, clockOfSeconds, day, dayOf, lasting, type StepFormat } from "./format.js";

/** Milliseconds between two drawings: one event shows in the next frame, many of them five times a second. */
const DRAW_MS = 200;
/** Milliseconds after which the chart is drawn although nothing came: time goes on. */
const TICK_MS = 1_000;
/** Rows of the table. */
const MAX_ROWS = 50;
/** New rows are marked when they are this few; among more the eye finds nothing, and a mark costs paint. */
const MAX_MARKED = 5;
/** Milliseconds from happening to arriving that are worth a word. */
const LATE_MS = 2_000;
/** Pixels of a lane of the chart. */
const HEIGHT = 136;

const FORMATS: Record<Scale, StepFormat> = {
  seconds: { head: "Time", short: clockOfSeconds, long: clockOfSeconds },
  minutes: { head: "Time", short: clock, long: clock },
};
const SHOWN: Record<Scale, string> = { seconds: "the last minute", minutes: "the last hour" };
const WORDS = { connecting: "Connecting", live: "Live", paused: "Paused", reconnecting: "Reconnecting" };

const timeOf = (at: number) => {
  const of = dayOf(at) === dayOf(Date.now()) ? "" : `${day(at)} `;
  return make("time", { datetime: new Date(at).toISOString() }, of + clockOfSeconds(at));
};

/** Where the pages of accounts and contacts are, for a page that another server shows. */
const { serviceUrl: HOME = "" } = document.body.dataset;
const HEADS = ["Happened", "Arrived", "Person", "Account", "Event", "Params"];
/** An arrival as a row. On a phone the stylesheet lays rows out as cards, and some browsers then forget their roles: they are said aloud. */
const makeRow = (event: Arrival, isMarked: boolean) => {
  const { received_at: arrived, occurred_at: happened, event_uid: name, proven } = event;
  const { contact, contact_uid, account, account_uid } = event;
  const late = happened === null ? 0 : arrived - happened;
  const swatch = make("i.swatch", { "--colour": `var(${colourOf(name)})` });
  const cells: Content[][] = [
    [happened === null ? "–" : timeOf(happened)],
    [timeOf(arrived), ...(late >= LATE_MS ? [make("small.late", `after ${lasting(late)}`)] : [])],
    [
      nameOf({ ...contact, unique_id: contact_uid }, `${HOME}/contacts/${contact.id}`),
      ...(proven === undefined ? [] : [make("small", proven ? "proven" : "not proven")]),
    ],
    [account ? nameOf({ ...account, unique_id: account_uid! }, `${HOME}/accounts/${account.id}`) : "–"],
    [make("div.event", swatch, make("span.event-name", cut(name)))],
    makeParams(event.params),
  ];
  const row = cells.map((content) => make("td", { role: "cell" }, ...content));
  return make(isMarked ? "tr.fresh" : "tr", { role: "row", "data-id": event.id }, ...row);
};

/** How long the service was away in the time that is shown, as a sentence. */
const awayIn = ({ starts, outages = [] }: Figures): string => {
  const ms = outages.reduce((sum, [from, to]) => sum + (to ?? Date.now()) - Math.max(from, starts[0]!), 0);
  if (ms < 1_000) return "";
  return ` The service was away for ${ms < 90_000 ? `${Math.round(ms / 1_000)} s` : `${Math.round(ms / 60_000)} min`}.`;
};

/** The chart of both lanes with its legend, a sentence and a table. */
const createLiveChart = () => {
  const title = "Events over time";
  const [above, below] = ["happened", "arrived"].map((what) =>
    createBars(`Events that ${what}`, { isStacked: true, height: HEIGHT }),
  ) as [ReturnType<typeof createBars>, ReturnType<typeof createBars>];
  const [legend, said] = [make("ul.legend", { "aria-label": "Events by name" }), make("figcaption")];
  const table = makeScroll(title);
  let drawn = "";
  return {
    parts: [
      make("figure", make("h3", "Happened"), above.element, make("h3", "Arrived"), below.element, legend, said),
      make("details", make("summary", "The chart as a table"), table),
    ],
    draw(
      { starts, happened, arrived }: ReturnType<ReturnType<typeof createCounts>["series"]>,
      scale: Scale,
      all: NonNullable<Figures["outages"]>,
    ): void {
      const outages = all.filter(([, to]) => to === null || to > starts[0]!);
      const figures = { starts, series: arrived, format: FORMATS[scale], outages };
      above.draw({ ...figures, series: happened });
      below.draw(figures);
      // Only when the numbers change, so that a reader's place in it is not lost every second.
      const saying = JSON.stringify([
        scale,
        outages,
        [...happened, ...arrived].map(({ label, counts }) => [label, counts.filter(Boolean)]),
      ]);
      if (saying === drawn) return;
      drawn = saying;
      const away = { label: "service away", colour: "--outage", total: outages.length, counts: [] };
      drawLegend(legend, outages.length > 0 ? [...arrived, away] : arrived);
      const total = arrived.reduce((sum, one) => sum + one.total, 0);
      const arrivedText = total === 0 ? "No event" : total === 1 ? "1 event" : `${total} events`;
      replace(said, `${arrivedText} arrived in ${SHOWN[scale]}.${awayIn(figures)}`);
      const at = (series: typeof arrived, step: number) => series.reduce((sum, { counts }) => sum + counts[step]!, 0);
      const isAway = (step: number) =>
        outages.some(([from, to]) => from < starts[step]! + SCALES[scale] && (to ?? Date.now()) > starts[step]!);
      const more: Column<number>[] = [
        { head: "Service", of: (step) => (isAway(step) ? "away" : "up") },
        { head: "All happened", of: (step) => at(happened, step) },
        { head: "All arrived", of: (step) => at(arrived, step) },
      ];
      const steps = [...starts.keys()].filter((step) => isAway(step) || at(happened, step) + at(arrived, step) > 0);
      const named = arrived.map((one) => ({ ...one, label: `${one.label} arrived` }));
      const columns = columnsOf({ starts, series: named }, FORMATS[scale], more);
      replace(table, makeTable("The chart as a table", columns, steps.reverse()));
    },
  };
};

/**
 * Shows each event as it arrives, until the view is taken out of the document.
 *
 * @param read events of `GET /v2/events`; rejects while there is no answer
 */
export const showLive = (parent: Element, read: (query: URLSearchParams) => Promise<Arrival[]>) => {
  const state = make("p.state", { role: "status", "data-state": "connecting" }, WORDS.connecting);
  const pause = make("button", { type: "button", "data-action": "pause", "aria-pressed": "false" }, "Pause");
  const chart = createLiveChart();
  let scale: Scale = "seconds";
  const scales = makeChoice("Time shown", "scale", { seconds: "Last minute", minutes: "Last hour" }, (value) => {
    scale = value as Scale;
    drawChart();
  });
  check(scales, scale);
  const heads = HEADS.map((head) => make("th", { scope: "col", role: "columnheader" }, head));
  const body = make("tbody", { role: "rowgroup", "data-rows": true });
  const wait = make("p.note", "The service does not answer yet.");
  const empty = make("p.note", { hidden: true }, "Nothing has arrived yet.");
  const nameless = make("p.note", { hidden: true }, ...howNamed("contact"));
  const view = make(
    "div.live-view",
    make("div.live-head", make("h1", "Live events"), state, pause),
    make(
      "section.card.chart",
      { "aria-labelledby": "chart-title" },
      make("div.chart-head", make("h2", { id: "chart-title" }, "Events over time"), scales),
      ...chart.parts,
    ),
    make(
      "section.card",
      { "aria-labelledby": "rows-title" },
      make("h2", { id: "rows-title" }, "Latest arrivals"),
      make(
        "table.rows",
        { role: "table", "aria-labelledby": "rows-title" },
        make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...heads)),
        body,
      ),
      wait,
      empty,
      nameless,
    ),
  );
  parent.append(view);

  const counts = createCounts();
  let connection: Connection = "connecting";
  let isPaused = false;
  let held = 0;
  /** Since the last drawing, the newest last. */
  let pending: Arrival[] = [];
  let isDue = false;
  let drawnAt = 0;
  let outages: NonNullable<Figures["outages"]> = [];

  const drawChart = () => chart.draw(counts.series(scale), scale, outages);
  const showState = () => {
    const name = isPaused && connection === "live" ? "paused" : connection;
    if (state.dataset.state !== name) state.textContent = WORDS[name];
    state.dataset.state = name;
    pause.setAttribute("aria-pressed", String(isPaused));
    pause.textContent = isPaused ? `Resume${held ? ` (${held} new)` : ""}` : "Pause";
    // That nothing has arrived is known only once the service has said so.
    const isEmpty = body.childElementCount === 0 && held === 0;
    wait.hidden = !isEmpty || connection === "live";
    empty.hidden = !isEmpty || connection !== "live";
  };
  /** Draws whatever came since the last time, at once: a thousand events cost one drawing. */
  const draw = (now: number) => {
    isDue = false;
    if (isPaused) return;
    drawnAt = now;
    // First, as it gives the names their colours.
    drawChart();
    const isMarked = pending.length <= MAX_MARKED;
    body.prepend(...pending.map((event) => makeRow(event, isMarked)).reverse());
    if (pending.some((one) => isNameless({ ...one.contact, unique_id: one.contact_uid }))) nameless.hidden = false;
    pending = [];
    while (body.childElementCount > MAX_ROWS) body.lastChild!.remove();
    showState();
  };
  const requestDraw = () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => requestAnimationFrame(draw), drawnAt + DRAW_MS - performance.now());
  };
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    held = 0;
    showState();
    requestDraw();
  });
  setInterval(() => {
    if (!isPaused && !document.hidden && view.isConnected) drawChart();
  }, TICK_MS);
  drawChart();
  const onEvent = (event: Arrival) => {
    counts.add(event);
    pending = [...pending.slice(1 - MAX_ROWS), event];
    if (!isPaused) return requestDraw();
    held += 1;
    showState();
  };
  const onState = (now: Connection) => {
    connection = now;
    showState();
  };
  followArrivals({ read, isShown: () => view.isConnected }, { onEvent, onState });
  return {
    view,
    /** Draws when the service was away. */
    markOutages(times: NonNullable<Figures["outages"]>): void {
      outages = times;
    },
  };
};
