import { createBars } from "./chart.js";
import { csvButton } from "./csv.js";
import { find, make, makeTable } from "./elements.js";
import { brief, moment, number, share, since, stepFormat } from "./format.js";

const SPANS = { "24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
/** Milliseconds after which the numbers are asked for again. */
const AGAIN_MS = 60_000;
/** Events are counted a minute or two after they came; later than this, many are still to be counted, as after an import. */
const BEHIND_MS = 300_000;
/** Rows of a table that are seen at once; the rest is in its CSV. */
const SHOWN = 10;

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A card with a title, a button for its CSV, and a place for what it shows. */
const makeCard = (name, title, { wide = false } = {}) => {
  let table = { heads: [], rows: [] };
  const body = make("div.body");
  const head = make(
    "div.card-head",
    {},
    make("h2", { id: `${name}-title` }, title),
    csvButton(name, title, () => table),
  );
  const element = make(
    wide ? "section.card.wide" : "section.card",
    { "aria-labelledby": `${name}-title`, "data-card": name },
    head,
    body,
  );
  return { element, body, hold: (heads, rows) => (table = { heads, rows }) };
};

/** A chart with its legend and its table. */
const createChartCard = (name, title, { empty, ...options }) => {
  const card = makeCard(name, title, { wide: true });
  const bars = createBars(title, options);
  const [legend, none] = [make("ul.legend", { "aria-label": title }), make("p.nothing", {}, empty)];
  const table = make("div.scroll", { tabindex: "0", role: "region", "aria-label": `${title}: table` });
  card.body.append(
    make("div.plot", {}, bars.element, none),
    legend,
    make("details", {}, make("summary", {}, "As a table"), table),
  );
  return {
    element: card.element,
    draw({ span, starts, series }) {
      bars.draw({ span, starts, series });
      none.hidden = series.some(({ counts }) => counts.some(Boolean));
      legend.replaceChildren(
        ...series.map(({ label, total, colour }) => {
          const swatch = make("i.swatch");
          swatch.style.setProperty("--colour", `var(${colour})`);
          return make("li", {}, swatch, make("span.event-name", {}, label), make("b", {}, number(total)));
        }),
      );
      const { long } = stepFormat(span);
      const heads = [span === "24h" ? "Hour" : "Day", ...series.map(({ label }) => label)];
      const of = (told) => starts.map((start, at) => [told(start), ...series.map(({ counts }) => counts[at])]);
      table.replaceChildren(makeTable(title, heads, of(long).reverse()));
      card.hold(
        heads,
        of((start) => new Date(start).toISOString()),
      );
    },
  };
};

/** The most frequent keys, each with its share as a bar. */
const createListCard = (name, title, { head, unit, empty }) => {
  const card = makeCard(name, title);
  return {
    element: card.element,
    draw({ data, total }) {
      card.hold(
        [head, unit, "Share"],
        data.map(({ key, events }) => [key, events, total && events / total]),
      );
      if (data.length === 0) return card.body.replaceChildren(make("p.nothing", {}, empty));
      const most = data[0].events;
      const rows = data.slice(0, SHOWN).map(({ key, events }) => {
        const bar = make("i.share", { "aria-hidden": "true" });
        bar.style.setProperty("--share", `${(100 * events) / most}%`);
        return [make("span.key", { title: key }, bar, make("span", {}, key)), events, share(events, total)];
      });
      const list = makeTable(title, [head, unit, "Share"], rows);
      list.classList.add("list");
      card.body.replaceChildren(list);
      if (data.length > SHOWN)
        card.body.append(
          make("p.note", {}, `The first ${SHOWN} of ${data.length}${data.length < 50 ? "" : " or more"}.`),
        );
    },
  };
};

const createTile = (name, title) => {
  const [value, note] = [make("dd.value", {}, "–"), make("dd.note", {}, "\u00a0")];
  return {
    element: make("div.card.tile", { "data-tile": name }, make("dt", {}, title), value, note),
    draw(text, more = "\u00a0") {
      value.textContent = text;
      note.textContent = more;
    },
  };
};

/** What the page shows, part by part. */
const createParts = () => {
  const tiles = {
    events: createTile("events", "Events"),
    views: createTile("views", "Page views"),
    contacts: createTile("contacts", "Active contacts"),
    accounts: createTile("accounts", "Active accounts"),
    last: createTile("last", "Last event"),
    missing: createTile("missing", "Missing"),
  };
  const empty = "Nothing in this time.";
  const events = createChartCard("events", "Events by name", { stacked: true, empty });
  const active = createChartCard("active", "Active contacts and accounts", { stacked: false, empty });
  const pages = createListCard("pages", "Most viewed pages", { head: "Path", unit: "Views", empty });
  const referrers = createListCard("referrers", "Where they came from", {
    ...{ head: "Referrer", unit: "Views" },
    empty: "No page view of this time has params.referrer, or all came from the site itself.",
  });
  const busiest = createListCard("accounts", "Accounts that do most", { head: "Account", unit: "Events", empty });
  const draw = (numbers) => {
    const { span, starts, contacts, accounts, missing } = numbers;
    tiles.events.draw(number(numbers.events.total));
    tiles.views.draw(number(numbers.pages.total));
    for (const [tile, { total, approximate }] of [
      [tiles.contacts, contacts],
      [tiles.accounts, accounts],
    ])
      tile.draw(number(total), approximate ? "about: a sixteenth is counted" : undefined);
    const last = numbers.last_event_at;
    tiles.last.draw(last === null ? "never" : since(last), last === null ? "\u00a0" : brief.format(last));
    tiles.missing.draw(
      missing.documents === 0 ? "–" : number(missing.missing),
      missing.documents === 0 ? "needs stamp: true" : `of ${number(missing.events + missing.missing)} numbered, lately`,
    );
    const { data, others } = numbers.events;
    const series = data.map(({ event_uid: label, counts, events }, at) => ({
      label,
      counts,
      total: events,
      colour: `--series-${at}`,
    }));
    if (others.events > 0)
      series.push({ label: "others", counts: others.counts, total: others.events, colour: "--series-other" });
    events.draw({ span, starts, series });
    const both = [
      { label: "contacts", ...contacts, colour: "--series-0" },
      { label: "accounts", ...accounts, colour: "--series-1" },
    ];
    active.draw({ span, starts, series: both });
    pages.draw(numbers.pages);
    referrers.draw(numbers.referrers);
    busiest.draw(numbers.busiest);
  };
  const cards = [events, active, pages, referrers, busiest].map(({ element }) => element);
  return { tiles: Object.values(tiles).map(({ element }) => element), cards, draw };
};

const makeSpans = (chosen, choose) => {
  const radios = Object.entries(SPANS).map(([span, text]) => {
    const radio = make("input", { type: "radio", name: "span", value: span });
    radio.checked = span === chosen;
    radio.addEventListener("change", () => choose(span));
    return make("label", {}, radio, make("span", {}, text));
  });
  return make("fieldset.segments", {}, make("legend.hidden", {}, "Time shown"), ...radios);
};

/** Up to when events are counted, and in what time. */
const toldOf = ({ events, last_event_at: last, counted_to: to }) => {
  if (last === null)
    return "No event has come yet. On a page that should send some, the inspector says why none comes.";
  const at = moment.format(to);
  if (Date.now() - to > BEHIND_MS) return `Still counting: so far the events up to ${at} are in the figures.`;
  return last > to && events.total === 0
    ? "The first event has come. It is counted within two minutes."
    : `Counted up to ${at}. Times are those of receipt, in ${zone}.`;
};

/** Puts the numbers into the page, and keeps them up to date while they are seen. */
export const showNumbers = (main, ask) => {
  let span = "7d";
  let asked = 0;
  const parts = createParts();
  const status = make("p.note", { role: "status" }, "Loading …");
  const view = make(
    "div.numbers-view",
    { "aria-busy": "true" },
    make(
      "div.numbers-head",
      {},
      make("h1", {}, "Numbers"),
      makeSpans(span, (chosen) => {
        span = chosen;
        load();
      }),
    ),
    make("dl.tiles-row", {}, ...parts.tiles),
    make("div.cards", {}, ...parts.cards),
    status,
  );
  const load = async () => {
    const own = ++asked;
    view.setAttribute("aria-busy", "true");
    try {
      const query = new URLSearchParams({ span, time_zone: zone });
      const numbers = await ask.get(`/v2/numbers?${query}`);
      // Another span was chosen meanwhile, or the token was wrong.
      if (numbers === undefined || own !== asked) return;
      parts.draw(numbers);
      status.textContent = toldOf(numbers);
      view.setAttribute("aria-busy", "false");
    } catch (error) {
      if (own === asked)
        status.textContent = `The service does not answer (${error.message}). It is asked again in a minute.`;
    }
  };
  main.append(view);
  load();
  setInterval(() => {
    if (view.isConnected && !view.hidden && !document.hidden) load();
  }, AGAIN_MS);
  find("#main").focus({ preventScroll: true });
  return view;
};
