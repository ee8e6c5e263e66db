import { csvButton } from "../base/csv.js";
import { link, make, makeScroll, makeTable, replace } from "../base/elements.js";
import { change, isByHour, number, share, stepFormat } from "../base/format.js";
import { dayOf, go, hereWith } from "../base/route.js";
import { createBars } from "./chart.js";

/** Rows of a list that are seen at once; the rest is in its CSV. */
const SHOWN = 10;

/** A card with a title, a button for its CSV, and a place for what it shows. */
export const makeCard = (name, title, { wide = false, note = "" } = {}) => {
  let table = { heads: [], rows: [] };
  const body = make("div.body");
  const head = make(
    "div.card-head",
    {},
    make("h2", { id: `${name}-title` }, title),
    csvButton(name, title, () => table),
  );
  const attributes = { "aria-labelledby": `${name}-title`, "data-card": name };
  const element = make(wide ? "section.card.wide" : "section.card", attributes, head);
  if (note) element.append(make("p.note", {}, note));
  element.append(body);
  return { element, body, head, hold: (heads, rows) => (table = { heads, rows }) };
};

/** A chart with its legend and its table. A step of a day leads to that day. */
export const createChartCard = (name, title, { empty, linkOf, ...options }) => {
  const card = makeCard(name, title, { wide: true });
  const bars = createBars(title, options);
  const [legend, none] = [make("ul.legend", { "aria-label": title }), make("p.nothing", {}, empty)];
  const table = makeScroll(title);
  card.body.append(
    make("div.plot", {}, bars.element, none),
    legend,
    make("details", {}, make("summary", {}, "As a table"), table),
  );
  return {
    element: card.element,
    draw({ starts, series }) {
      const [format, byHour] = [stepFormat(starts), isByHour(starts)];
      const daysOf = (start) => ({ from: dayOf(start), to: dayOf(start), span: undefined });
      bars.draw({ starts, series, format, ...(!byHour && { open: (start) => go(daysOf(start)) }) });
      none.hidden = series.some(({ counts }) => counts.some(Boolean));
      const items = series.map(({ label, total, colour, key }) => {
        const swatch = make("i.swatch");
        swatch.style.setProperty("--colour", `var(${colour})`);
        const text = key !== undefined && linkOf ? link(linkOf(key), label) : label;
        return make("li", {}, swatch, make("span.event-name", {}, text), make("b", {}, number(total)));
      });
      replace(legend, ...items);
      const heads = [byHour ? "Hour" : "Day", ...series.map(({ label }) => label)];
      const rows = (told) => starts.map((start, at) => [told(start), ...series.map(({ counts }) => counts[at])]);
      const shown = rows((start) => (byHour ? format.long(start) : link(hereWith(daysOf(start)), format.long(start))));
      replace(table, makeTable(title, heads, shown.reverse()));
      card.hold(
        heads,
        rows((start) => new Date(start).toISOString()),
      );
    },
  };
};

const changeCell = ({ events, before }) => {
  const text = change(events, before);
  return make(events < before ? "span.down" : "span", {}, text);
};

/** The most frequent keys, each with its share as a bar, and how it stands against the time before. Each leads to what it is made of. */
export const createListCard = (
  name,
  title,
  { head, unit, empty, linkOf, textOf = ({ key }) => key, isOfShares = true },
) => {
  const card = makeCard(name, title);
  const last = isOfShares ? "Share" : "Before";
  return {
    element: card.element,
    draw({ data, total }) {
      card.hold(
        [head, unit, "Before", ...(isOfShares ? ["Share"] : [])],
        data.map(({ key, events, before }) => [key, events, before, ...(isOfShares ? [total && events / total] : [])]),
      );
      if (data.length === 0) return replace(card.body, make("p.nothing", {}, empty));
      const most = Math.max(...data.map(({ events, before }) => (isOfShares ? events : before)));
      const rows = data.slice(0, SHOWN).map((one) => {
        const bar = make("i.share", { "aria-hidden": "true" });
        bar.style.setProperty("--share", `${(100 * (isOfShares ? one.events : one.before)) / most}%`);
        const text = make("span", {}, linkOf ? link(linkOf(one), textOf(one)) : textOf(one));
        return [
          ...[make("span.key", { title: one.key }, bar, text), one.events],
          ...[isOfShares ? share(one.events, total) : one.before, changeCell(one)],
        ];
      });
      const list = makeTable(title, [head, unit, last, "Change"], rows);
      list.classList.add("list");
      replace(card.body, list);
      if (data.length > SHOWN)
        card.body.append(
          make("p.note", {}, `The first ${SHOWN} of ${data.length}${data.length < 50 ? "" : " or more"}.`),
        );
    },
  };
};

/** A figure, and what is to be said of it. */
export const createTile = (name, title) => {
  const [value, note] = [make("dd.value", {}, "–"), make("dd.note", {}, "\u00a0")];
  return {
    element: make("div.card.tile", { "data-tile": name }, make("dt", {}, title), value, note),
    draw(text, more) {
      value.textContent = text;
      note.textContent = more || "\u00a0";
    },
  };
};

/** Events by name as the series of a chart. */
export const toSeries = ({ data, others }) => [
  ...data.map(({ event_uid, counts, events }, at) => ({
    ...{ label: event_uid, key: event_uid, counts, total: events, colour: `--series-${at}` },
  })),
  ...(others.events > 0
    ? [{ label: "others", counts: others.counts, total: others.events, colour: "--series-other" }]
    : []),
];
