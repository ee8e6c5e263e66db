import { createLeftOut } from "./cards.js";
import { check, fill, link, make, makeChoice, makeForm, replace } from "./elements.js";
import { date, day, dayOf, moment, times } from "./format.js";
import type { Ask, LeftOut, Numbers } from "./session.js";
import { chosenSpan, FILTERS, go, hereWith, linkTo, readState, SPANS, type State } from "./url-state.js";

/** Milliseconds after which the figures are asked for again, and where somebody is being left out. */
const [AGAIN_MS, SOON_MS] = [60_000, 5_000];

/** A time is chosen: a span up to now, or days of a calendar. */
const createTimes = () => {
  const spans = makeChoice("Time shown", "span", SPANS, (span) => go({ span, from: undefined, to: undefined }));
  const field = { type: "date", required: true };
  const shown = make("p.note.meant", { "aria-live": "polite" });
  const days = makeForm("form.days", { from: ["From", field], to: ["to", field] }, "Show days", (given) =>
    go({ span: undefined, ...given }),
  );
  const say = (text: string, isWrong = false) => {
    shown.textContent = text;
    shown.classList.toggle("down", isWrong);
    shown.hidden = text === "";
  };
  return {
    element: make("div.times", spans, days, shown),
    /** Says which days are shown: more than eight of them are without today. */
    tell({ starts, ends }: Partial<Pick<Numbers, "starts" | "ends">>): void {
      times.days = "";
      if (!starts || !ends) return void say("");
      const [first, last, today] = [starts[0]!, ends - 1, dayOf(Date.now())];
      const { from, to = from } = readState();
      const span = chosenSpan(readState());
      times.days = `-${dayOf(first)}-to-${dayOf(last)}`;
      const isCut = dayOf(last) < today && (span !== undefined || to! >= today);
      const days = [...new Set([day(first), day(last)])].join(" to ");
      say(span === "24h" ? `since ${moment(first)}` : `${days}${isCut ? ", without today" : ""}`);
    },
    /** Says what is wrong with what was chosen. */
    refuse: (message: string) => say(`This cannot be shown: ${message}.`, true),
    draw(state: State): void {
      check(spans, chosenSpan(state));
      fill(days, { from: state.from ?? state.to, to: state.to ?? state.from });
    },
  };
};

/** The filters in force, each with a way out of it. */
const drawFilters = (list: HTMLElement, state: State, names: State = {}): void => {
  const items = Object.entries(FILTERS).flatMap(([name, { label }]) => {
    const value = names[name] ?? state[name];
    if (!state[name] || !value) return [];
    const without = { "aria-label": `Without ${label}: ${value}` };
    return [
      make("li", make("span", `${label}: `, make("b", value)), link(hereWith({ [name]: undefined }), "×", without)),
    ];
  });
  list.hidden = items.length === 0;
  replace(list, ...items);
};

/** What a page says of what it shows: its title, where it is a record's, and by what names the filters are known. */
interface Shown {
  told: string;
  title?: string;
  names?: State;
}

/**
 * What each page has: a heading, the time and the filters chosen, and what it shows, asked for again while it is seen.
 *
 * @param heading of the page, until its record is known
 * @param address what is asked for
 * @param draw what is shown of the answer, and of who is left out; `undefined` where something else was chosen meanwhile
 */
export const createView = <T>(
  main: Element,
  heading: string,
  options: {
    ask: Ask;
    address: (state: State) => string;
    draw: (answer: T, state: State, isNow: () => boolean, left: Promise<LeftOut["data"]>) => Promise<Shown | undefined>;
    parts: readonly Element[];
    above?: readonly Element[];
    hasTimes?: boolean;
    /** May the token be told of somebody? */
    hasNames?: (answer: T) => boolean;
  },
) => {
  const { ask, address, draw, parts, above = [], hasTimes = true, hasNames = () => true } = options;
  const title = make("h1", heading);
  const status = make("p.note", { role: "status" }, "Loading …");
  const leftOut = createLeftOut(ask);
  const filters = make("ul.filters", { "aria-label": "Filters", hidden: true });
  const choice = createTimes();
  const head = make("div.numbers-head", title, ...(hasTimes ? [choice.element] : []));
  const all = [...above, head, filters, status, ...parts, leftOut.element];
  const element = make("div.numbers-view", { "aria-busy": "true", "data-empty": true }, ...all);
  let turn = 0;
  let isOver = false;
  /** Nothing is left to be shown, nor asked for. */
  const end = (text: string) => {
    isOver = true;
    turn += 1;
    clearInterval(timer);
    document.title = `${heading} · tracklet`;
    replace(element, ...above, make("h1", heading), make("p.note", { role: "status" }, text));
    element.setAttribute("aria-busy", "false");
  };
  const show = async () => {
    if (isOver) return;
    const own = ++turn;
    const isNow = () => own === turn;
    const state = readState();
    element.setAttribute("aria-busy", "true");
    choice.draw(state);
    // This shows the time that is chosen here.
    for (const one of element.querySelectorAll<HTMLAnchorElement>(".back a")) one.href = linkTo(one.pathname);
    drawFilters(filters, state);
    try {
      const answer = await ask.get<T & Partial<Numbers>>(address(state));
      const left = answer && hasNames(answer) ? leftOut.load() : Promise.resolve([]);
      const [shown] = await Promise.all([answer && isNow() && draw(answer, state, isNow, left), left]);
      // Something else was chosen meanwhile, or the token was wrong.
      if (!answer || !shown || !isNow()) return;
      drawFilters(filters, state, shown.names);
      status.textContent = shown.told;
      title.textContent = shown.title ?? heading;
      document.title = `${title.textContent} · tracklet`;
      choice.tell(answer);
      if (answer.changing) setTimeout(() => isNow() && show(), SOON_MS);
      element.removeAttribute("data-empty");
      element.setAttribute("aria-busy", "false");
    } catch (error) {
      if (!isNow()) return;
      const { status: code, message } = error as Error & { status?: number };
      if (code === 404) return end("Nothing is stored under this address: it was erased, or it never existed.");
      if (code === 400) {
        choice.refuse(message);
        status.textContent = "";
        element.setAttribute("aria-busy", "false");
      } else
        status.textContent = `The service does not answer as it should: ${message}. It is asked again in a minute.`;
    }
  };
  main.append(element);
  document.title = `${heading} · tracklet`;
  const timer = setInterval(() => document.hidden || show(), AGAIN_MS);
  return {
    show,
    end,
    close(): void {
      turn += 1;
      clearInterval(timer);
      element.remove();
    },
  };
};

/** What a time is compared with. */
const toldBefore = ({ ends, before: { from, to }, first_on: began }: Pick<Numbers, "ends" | "before" | "first_on">) => {
  const first = began && date(Date.parse(began), "UTC");
  if (!times.hasBefore) return `There is nothing to compare with: the first event came on ${first}.`;
  const [tell, last] = Date.now() < ends ? [moment, to] : [date, to - 1];
  const days = [...new Set([tell(from), tell(last)])].join(" to ");
  const isCut = Date.now() < ends && chosenSpan(readState()) !== "24h";
  const over = isCut ? " Today is not over: the time before ends at the same hour." : "";
  const part = began && began > dayOf(from) ? ` The first event came on ${first}.` : "";
  return `Compared with ${days}.${over}${part}`;
};

/**
 * Up to when events are counted, and in what time.
 *
 * @param asked the time, and what it stands against
 * @param isCut were the latest events alone looked at?
 */
export const toldOf = (
  to: number,
  asked?: Partial<
    Pick<Numbers, "ends" | "before" | "first_on" | "counted_back_to" | "changing" | "events_since" | "since">
  >,
): string =>
  [
    ...(asked?.since
      ? [
          `Who did it is known since ${moment(asked.since)} only, because there are too many older events to look through.`,
        ]
      : []),
    ...(asked?.changing ? ["Somebody is being left out, or counted again: all figures are being counted anew."] : []),
    `The figures have all events up to ${moment(to)}.`,
    ...(asked?.counted_back_to ? [`Days before ${asked.counted_back_to} are still being counted.`] : []),
    ...(asked?.events_since
      ? [`For days before ${asked.events_since} you see totals only, because older events were deleted.`]
      : []),
    ...(asked?.ends ? [toldBefore(asked as Numbers)] : []),
    `Days begin and end at midnight in ${times.zone}.`,
  ].join(" ");
