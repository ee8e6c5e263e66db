import { link, make, replace } from "../base/elements.js";
import { brief, moment } from "../base/format.js";
import { chosenSpan, FILTERS, go, hereWith, readState, zone } from "../base/route.js";

const SPANS = { "24h": "24 hours", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
/** Milliseconds after which the figures are asked for again. */
const AGAIN_MS = 60_000;

/** A time is chosen: a span up to now, or days of a calendar. */
const createTimes = () => {
  const radios = Object.entries(SPANS).map(([span, text]) => {
    const radio = make("input", { type: "radio", name: "span", value: span });
    radio.addEventListener("change", () => go({ span, from: undefined, to: undefined }));
    return { radio, label: make("label", {}, radio, make("span", {}, text)) };
  });
  const [from, to] = ["From", "to"].map((text) => {
    const field = make("input", { type: "date", required: "" });
    return { field, label: make("label", {}, make("span", {}, text), field) };
  });
  const days = make(
    "form.days",
    { "aria-label": "Days of a calendar" },
    from.label,
    to.label,
    make("button.quiet", { type: "submit" }, "Show days"),
  );
  days.addEventListener("submit", (event) => {
    event.preventDefault();
    const [first, last] = [from.field.value, to.field.value].sort();
    go({ span: undefined, from: first, to: last });
  });
  const labels = radios.map(({ label }) => label);
  const spans = make("fieldset.segments", {}, make("legend.hidden", {}, "Time shown"), ...labels);
  return {
    element: make("div.times", {}, spans, days),
    draw(state) {
      for (const { radio } of radios) radio.checked = radio.value === chosenSpan(state);
      [from.field.value, to.field.value] = [state.from ?? state.to ?? "", state.to ?? state.from ?? ""];
    },
  };
};

/** The filters in force, each with a way out of it. */
const drawFilters = (list, state, names) => {
  const items = Object.entries(FILTERS)
    .filter(([name]) => state[name])
    .map(([name, { label }]) =>
      make(
        "li",
        {},
        make("span", {}, `${label}: `, make("b", {}, names[name] ?? state[name])),
        link(hereWith({ [name]: undefined }), "×", { "aria-label": `Without ${label}: ${names[name] ?? state[name]}` }),
      ),
    );
  list.hidden = items.length === 0;
  replace(list, ...items);
};

/**
 * What each page has: a heading, the time and the filters chosen, and what it shows, asked for again while it is seen.
 *
 * @param {string} heading of the page, until its record is known
 * @param {{ ask: object, hasTimes?: boolean, load: (state: object) => Promise<{ told?: string, names?: object } | undefined> }} options `load`
 *   asks and draws; it tells what is said above that, and by what names the filters are known. `undefined`: the token was wrong
 */
export const createView = (main, heading, { hasTimes = true, load, parts, above = [] }) => {
  const title = make("h1", {}, heading);
  const status = make("p.note", { role: "status" }, "Loading …");
  const asked = make("p.note.asked", {});
  const filters = make("ul.filters", { "aria-label": "Filters", hidden: "" });
  const times = createTimes();
  const element = make(
    "div.numbers-view",
    { "aria-busy": "true" },
    ...above,
    make("div.numbers-head", {}, title, ...(hasTimes ? [times.element] : [])),
    filters,
    status,
    ...parts,
    asked,
  );
  let turn = 0;
  let isOver = false;
  /** Nothing is left to be shown, nor asked for. */
  const end = (text) => {
    isOver = true;
    turn += 1;
    clearInterval(timer);
    document.title = `${heading} · tracklet`;
    replace(element, ...above, make("h1", {}, heading), make("p.note", { role: "status" }, text));
    element.setAttribute("aria-busy", "false");
  };
  const show = async () => {
    if (isOver) return;
    const own = ++turn;
    const state = readState();
    element.setAttribute("aria-busy", "true");
    if (hasTimes) times.draw(state);
    drawFilters(filters, state, {});
    try {
      const shown = await load(state, () => own === turn);
      // Something else was chosen meanwhile, or the token was wrong.
      if (shown === undefined || own !== turn) return;
      drawFilters(filters, state, shown.names ?? {});
      status.textContent = shown.told ?? "";
      if (shown.title) title.textContent = shown.title;
      document.title = `${title.textContent} · tracklet`;
      replace(asked, "This page asks ", make("code", {}, `GET ${shown.query}`), ". ", link("/docs", "All questions"));
      element.setAttribute("aria-busy", "false");
    } catch (error) {
      if (own !== turn) return;
      if (error.status === 404) return end("Nothing of it is stored: it was erased or deleted, or was never there.");
      status.textContent = `The service does not answer as it should: ${error.message}. It is asked again in a minute.`;
    }
  };
  main.append(element);
  document.title = `${heading} · tracklet`;
  const timer = setInterval(() => {
    if (element.isConnected && !element.hidden && !document.hidden) show();
  }, AGAIN_MS);
  return {
    element,
    show,
    end,
    close() {
      clearInterval(timer);
      element.remove();
    },
  };
};

/**
 * Up to when events are counted, and in what time.
 *
 * @param {number} to epoch milliseconds
 * @param {{ ends: number, before: { to: number } }} [asked] the time, and what it stands against
 * @param {boolean} [isCut] whether the latest events alone were looked at
 */
export const toldOf = (to, asked, isCut) =>
  `${isCut ? "Of the latest 200,000 events alone: choose a shorter time for all of them. " : ""}Counted up to ${moment.format(to)}. ${asked && Date.now() < asked.ends ? `Compared with as much of the time before: until ${brief.format(asked.before.to)}. ` : ""}Times are those of receipt, in ${zone}.`;
