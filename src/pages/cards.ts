import { go, hereWith, linkToAccount, linkToContact, onDay } from "./address.js";
import type { Ask, LeftOut, Named, Numbers } from "./ask.js";
import { createBars, type Series } from "./chart.js";
import { COLOURS, colourOf, giveColours, OTHER_COLOUR } from "./colours.js";
import {
  type Column,
  type Content,
  link,
  make,
  makeCsvButton,
  makeScroll,
  makeTable,
  replace,
  toLines,
  withCommas,
} from "./elements.js";
import { change, date, dayOf, number, type StepFormat, share, stepFormat } from "./format.js";

const NOTHING = "Nothing in this time.";
/** Rows of a list that are seen at once; the rest is in its CSV. */
const SHOWN = 10;

/** A card with a title, a button for its CSV, and a place for what it shows. */
export const makeCard = (name: string, title: string, { isWide = false, note = "" } = {}) => {
  let lines: unknown[][] = [];
  const body = make("div.body");
  const csv = makeCsvButton(name, title, () => lines);
  const element = make(
    isWide ? "section.card.wide" : "section.card",
    { "aria-labelledby": `${name}-title`, "data-card": name },
    make("div.card-head", make("h2", { id: `${name}-title` }, title), csv),
    ...(note ? [make("p.note", note)] : []),
    body,
  ) as HTMLElement;
  return {
    ...{ element, body },
    show: (...content: Content[]) => replace(body, ...content),
    /** What its file has. */
    hold: <T>(columns: readonly Column<T>[], data: readonly T[]) => {
      lines = toLines(columns, data);
    },
  };
};

/** Figures, and what is to be said of each. */
export const createTiles = <N extends string>(titles: Record<N, string>) => {
  const tiles = Object.entries<string>(titles).map(([name, title]) => {
    const parts = [make("dd.value", "–"), make("dd.note", "\u00a0")];
    return { name, parts, element: make("div.card.tile", { "data-tile": name }, make("dt", title), ...parts) };
  });
  return {
    element: make("dl.tiles-row", ...tiles.map(({ element }) => element)),
    draw(figures: Record<N, [text: string, note?: string]>): void {
      for (const { name, parts } of tiles)
        for (const [at, part] of parts.entries()) part.textContent = figures[name as N][at] || "\u00a0";
    },
  };
};

/** A chart's legend: each series with its sum. */
export const drawLegend = (
  legend: Element,
  series: readonly (Series & { total: number; href?: string | undefined })[],
) =>
  replace(
    legend,
    ...series.map(({ label, colour, total, href }) => {
      const text = href === undefined ? label : link(href, label);
      const swatch = make("i.swatch", { "--colour": `var(${colour})` });
      return make("li", swatch, make("span.event-name", text), make("b", number(total)));
    }),
  );

/** The columns of a chart's table, of which the data are the numbers of the steps. */
export const columnsOf = (
  { starts, series }: { starts: readonly number[]; series: readonly Series[] },
  { head, long }: StepFormat,
  more: Column<number>[] = [],
  linkOf?: (start: number) => string,
): Column<number>[] => {
  const shown = (at: number) => (linkOf ? link(linkOf(starts[at]!), long(starts[at]!)) : long(starts[at]!));
  return [
    { head, of: (at) => new Date(starts[at]!).toISOString(), shown },
    ...more,
    ...series.map(({ label, counts }) => ({ head: label, of: (at: number) => counts[at]! })),
  ];
};

/** A chart with its legend and its table. A step of a day leads to that day. */
export const createChartCard = (name: string, title: string, options: { isStacked?: boolean } = {}) => {
  const card = makeCard(name, title, { isWide: true });
  const bars = createBars(title, options);
  const [legend, none] = [make("ul.legend", { "aria-label": title }), make("p.nothing", NOTHING)];
  const table = makeScroll(title);
  const fold = make("details", make("summary", "As a table"), table);
  card.show(make("div.plot", bars.element, none), legend, fold);
  return {
    element: card.element,
    draw(figures: { starts: readonly number[]; series: Parameters<typeof drawLegend>[1] }): void {
      const { starts, series } = figures;
      const format = stepFormat(starts);
      const isByDay = format.head === "Day";
      const open = (start: number) => go(onDay(dayOf(start)));
      bars.draw({ ...figures, format, ...(isByDay && { open }) });
      none.hidden = series.some(({ counts }) => counts.some(Boolean));
      drawLegend(legend, series);
      const columns = columnsOf(figures, format, [], isByDay ? (start) => hereWith(onDay(dayOf(start))) : undefined);
      const steps = [...starts.keys()];
      card.hold(columns, steps);
      replace(table, makeTable(title, columns, steps.reverse()));
    },
  };
};

/** Events by name as the series of a chart. */
export const toSeries = ({ data, others }: Numbers["events"], linkOf: (name: string) => string) => {
  const own = data.slice(0, COLOURS);
  giveColours(own.map((one) => one.event_uid));
  return [
    ...own.map(({ event_uid: label, counts, events }) => ({
      ...{ label, counts, total: events, colour: colourOf(label), href: linkOf(label) },
    })),
    ...(others.events > 0 ? [{ label: "others", ...others, total: others.events, colour: OTHER_COLOUR }] : []),
  ];
};

export interface Counted {
  key: string;
  events: number;
  before: number;
  name?: string;
}
export const changeOf = ({ events, before }: { events: number; before: number }) =>
  make(events < before ? "span.down" : "span", change(events, before));

/**
 * The most frequent keys, each with its share as a bar, and how it stands against the time before. Each leads to what it is made of.
 *
 * @param heads of the key, and of its number
 */
export const createListCard = <T extends Counted>(
  name: string,
  title: string,
  [head, unit]: readonly [string, string],
  { linkOf, empty = NOTHING, isOfShares = true }: { linkOf: (one: T) => string; empty?: string; isOfShares?: boolean },
) => {
  const card = makeCard(name, title);
  return {
    element: card.element,
    draw({ data, total }: { data: readonly T[]; total: number }): void {
      const sizeOf = ({ events, before }: T) => (isOfShares ? events : before);
      const most = Math.max(...data.map(sizeOf));
      const key = (one: T) => {
        const bar = make("i.share", { "aria-hidden": "true", "--share": `${(100 * sizeOf(one)) / most}%` });
        return make("span.key", { title: one.key }, bar, make("span", link(linkOf(one), one.name ?? one.key)));
      };
      const columns: Column<T>[] = [
        { head, of: (one) => one.key, shown: key },
        { head: unit, of: (one) => one.events },
        { head: "Before", of: (one) => one.before, ...(isOfShares && { shown: null }) },
        ...(isOfShares
          ? [
              {
                head: "Share",
                of: (one: T) => total && one.events / total,
                shown: (one: T) => share(one.events, total),
              },
            ]
          : []),
        { head: "Change", shown: changeOf },
      ];
      card.hold(columns, data);
      if (data.length === 0) return void card.show(make("p.nothing", empty));
      const list = makeTable(title, columns, data.slice(0, SHOWN));
      list.classList.add("list");
      const more = `The first ${SHOWN} of ${data.length}${data.length < 50 ? "" : " or more"}.`;
      card.show(list, ...(data.length > SHOWN ? [make("p.note", more)] : []));
    },
  };
};

/** A link to a record, with its uid where that is not its name. */
export const nameOf = ({ name, unique_id }: Named, href: string) =>
  make("span", link(href, name), ...(name === unique_id ? [] : [make("small", unique_id)]));

/** Says who counts nowhere: one's own accounts and contacts. */
export const createLeftOut = (ask: Ask) => {
  const element = make("p.note", { hidden: true, "data-left-out": true });
  return {
    element,
    async load(): Promise<LeftOut["data"]> {
      const { data } = (await ask.get<LeftOut>("/v2/numbers/left-out")) ?? { data: [] };
      element.hidden = data.length === 0;
      const links = data.map((one) => link(one.kind === "account" ? linkToAccount(one) : linkToContact(one), one.name));
      replace(element, `Left out of all figures, as one's own: ${data.length} (`, ...withCommas(links), ").");
      return data;
    },
  };
};

export const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What is known of a record beside its name. */
export const createTraits = () => {
  const element = make("dl.traits", { "aria-label": "Traits" });
  return {
    element,
    draw(record: {
      unique_id: string;
      created_at: number;
      data: object;
      stage?: { name: string };
      salesmachine: { health?: unknown };
    }): void {
      const { name: _, ...data } = record.data as Record<string, unknown>;
      const { unique_id: uid, stage, salesmachine, created_at } = record;
      const traits = { uid, stage: stage?.name, health: salesmachine.health, since: date(created_at * 1_000), ...data };
      const pairs = Object.entries(traits).filter(([, value]) => value !== undefined);
      replace(element, ...pairs.map(([key, value]) => make("div", make("dt", key), make("dd", toText(value)))));
    },
  };
};
