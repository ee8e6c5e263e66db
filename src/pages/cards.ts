import { percentOf } from "../shared/change.js";
import { isNoOne, NO_ONE } from "../shared/no-one.js";
import { createBars, type Series } from "./chart.js";
import { COLOURS, colourOf, giveColours, OTHER_COLOUR } from "./colours.js";
import {
  breakable,
  type Column,
  type Content,
  link,
  make,
  makeCsvButton,
  makeFold,
  makeScroll,
  makeTable,
  replace,
  toLines,
  withCommas,
} from "./elements.js";
import {
  against,
  change,
  date,
  dayOf,
  exactShare,
  moment,
  number,
  type StepFormat,
  share,
  since,
  sinceDay,
  stampOf,
  stepFormat,
  times,
} from "./format.js";
import type { Ask, LeftOut, Named, Numbers, OneAccount, OneContact } from "./session.js";
import { go, hereWith, linkTo, linkToAccount, linkToContact, onDay, readState, type State } from "./url-state.js";

const NOTHING = "Nothing in this time.";
/** Rows of a list that are seen at once, until all are asked for. */
const SHOWN = 10;

/** A card with a title, a button for its CSV, and a place for what it shows. @param options with `fileOf`, how the name of its file ends */
export const makeCard = (
  name: string,
  title: string,
  { isWide = false, note = "", fileOf = () => times.days } = {},
) => {
  let lines = async (): Promise<unknown[][]> => [];
  const body = make("div.body");
  const csv = makeCsvButton(
    () => name + fileOf(),
    title,
    () => lines(),
  );
  csv.hidden = true;
  const element = make(
    isWide ? "section.card.wide" : "section.card",
    { "aria-labelledby": `${name}-title`, "data-card": name },
    make("div.card-head", make("h2", { id: `${name}-title` }, title), csv),
    ...(note ? [make("p.note", note)] : []),
    body,
  ) as HTMLElement;
  /** What its file has: what is shown, or `all`. */
  const hold = <T>(columns: readonly Column<T>[], data: readonly T[], all?: () => Promise<readonly T[]>) => {
    const shown = toLines(columns, data);
    lines = async () => (all ? toLines(columns, await all()) : shown);
    csv.hidden = data.length === 0;
  };
  return {
    element,
    show: (...content: Content[]) => replace(body, ...content),
    hold,
    /** A table as long as it is, which its file has, too. */
    table: <T>(columns: readonly Column<T>[], data: readonly T[], tag = "table"): Content => {
      hold(columns, data);
      return makeScroll(title, [makeTable(title, columns, data, { name: tag })], "div.scroll.whole");
    },
  };
};

/** A figure, and what is to be said of it. */
export type Tile = readonly [text: string, note?: string];
/** Figures of an answer, by their names. */
export const createTiles = <A>(figures: Record<string, readonly [title: string, of: (answer: A) => Tile]>) => {
  const tiles = Object.entries(figures).map(([name, [title, of]]) => {
    const parts = [make("dd.value", "–"), make("dd.note", "\u00a0")];
    return { of, parts, element: make("div.card.tile", { "data-tile": name }, make("dt", title), ...parts) };
  });
  return {
    element: make("dl.tiles-row", ...tiles.map(({ element }) => element)),
    draw(answer: A): void {
      for (const { of, parts } of tiles)
        for (const [at, part] of parts.entries()) part.textContent = of(answer)[at] || "\u00a0";
    },
  };
};
/** When something was last there. */
export const timeTile = (time: number | null): Tile => (time === null ? ["never"] : [since(time), moment(time)]);
/** The day on which something was last there, in a list. */
export const lastOn = (on: string | null): Content =>
  on === null ? "never" : make("span", { title: on }, sinceDay(on));
/** @param of how many were active at all */
export const activeTile = (active: Numbers["contacts"], of?: number): Tile => [
  of === undefined ? number(active.total) : `${number(active.total)} of ${number(of)}`,
  against(active),
];

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
    { head, of: (at) => (head === "Day" ? dayOf : stampOf)(starts[at]!), shown },
    ...more,
    ...series.map(({ label, counts }) => ({ head: label, of: (at: number) => counts[at]! })),
  ];
};

/** A chart with its legend and its table. A step of a day leads to that day. @param of what it shows of an answer */
export const createChartCard = <A>(
  name: string,
  title: string,
  of: (answer: A) => { starts: readonly number[]; series: Parameters<typeof drawLegend>[1] },
  options: { isStacked?: boolean } = {},
) => {
  const card = makeCard(name, title, { isWide: true });
  const bars = createBars(title, options);
  const [legend, none] = [make("ul.legend", { "aria-label": title }), make("p.nothing", NOTHING)];
  const table = makeScroll(title);
  card.show(make("div.plot", bars.element, none), legend, makeFold(table));
  return {
    element: card.element,
    draw(answer: A): void {
      const figures = of(answer);
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

/** Events by name, each of which leads to what it is made of. */
export const createEvents = <A extends { starts: readonly number[] }>(of: (answer: A) => Numbers["events"]) => {
  const toSeries = ({ data, others }: Numbers["events"], starts: readonly number[]) => {
    const none = { label: readState().name ?? "Events", counts: starts.map(() => 0), total: 0, colour: OTHER_COLOUR };
    if (data.length + others.events === 0) return [none];
    const own = data.slice(0, COLOURS);
    giveColours(own.map((one) => one.event_uid));
    return [
      ...own.map(({ event_uid: label, counts, events }) => ({
        label,
        counts,
        total: events,
        colour: colourOf(label),
        href: hereWith({ name: label }),
      })),
      ...(others.events > 0 ? [{ label: "others", ...others, total: others.events, colour: OTHER_COLOUR }] : []),
    ];
  };
  const chart = (answer: A) => ({ starts: answer.starts, series: toSeries(of(answer), answer.starts) });
  type Name = Counted & Pick<Numbers["events"]["more"][number], "last_on" | "contacts" | "accounts">;
  const more: Sorted<Name>[] = [
    { sort: "contacts", head: "People", of: ({ contacts }) => contacts },
    { sort: "accounts", head: "Accounts", of: ({ accounts }) => accounts },
    {
      sort: "last_on",
      head: "Last used",
      of: ({ last_on }) => last_on,
      shown: ({ last_on: on }) => (on === undefined ? "" : lastOn(on)),
    },
  ];
  return [
    createChartCard("events", "Events by name", chart, { isStacked: true }),
    createListCard(
      "names",
      "Names of events",
      ["Event", "Events"],
      (answer: A) => {
        const { data, more: others, total } = of(answer);
        const names = [...data, ...others].map(({ event_uid: key, ...one }): Name => ({ key, ...one }));
        // Of one alone the chart says it all.
        return readState().name ? undefined : { total, data: names };
      },
      { linkOf: ({ key }) => hereWith({ name: key }), more },
    ),
  ];
};

/** What a row is about, before its share as a bar. */
export const withBar = (key: Content, part: number) =>
  make("span.key", make("i.share", { "aria-hidden": "true", "--share": `${100 * part}%` }), make("span", key));

export interface Counted {
  key: string;
  events: number;
  before: number;
  name?: string;
}
export const changeOf = ({ events, before }: { events: number; before: number }) =>
  make(events < before ? "span.down" : "span", change(events, before));

/** Does it rise or fall, and by how much does it fall? */
export const trendOf = ({ trend, events, before }: Omit<Counted, "key"> & { trend?: string | null }): string =>
  trend === "falling" ? `falling ${change(events, before)}` : (trend ?? "");

/** A column that has `sort` is sorted by. */
export type Sorted<T> = Column<T> & { sort?: string };
const firstOrder = (sort: string) => (sort === "name" || sort === "change" ? "asc" : "desc");
/** By which column the address sorts, and in which order. @param first where it names none */
export const orderOf = ({ sort, order }: State, first = "events") => {
  const by = sort ?? first;
  return { sort: by, order: order ?? firstOrder(by) };
};
/** The head of a column sorts by it, and the other way round where it does so already. */
export const makeSorting =
  (by: ReturnType<typeof orderOf>) =>
  ({ sort, head }: Sorted<never>) => {
    if (sort === undefined) return make("th", { scope: "col" }, head);
    const isBy = sort === by.sort;
    const next = isBy ? (by.order === "asc" ? "desc" : "asc") : firstOrder(sort);
    const sorted = isBy ? (by.order === "asc" ? "ascending" : "descending") : undefined;
    return make(
      "th",
      { scope: "col", "aria-sort": sorted },
      link(hereWith({ sort, order: next, page: undefined }), head),
    );
  };
/** Rows by the column that the address names. */
const inOrder = <T extends Counted>(data: readonly T[], columns: readonly Sorted<T>[]): readonly T[] => {
  const { sort, order } = orderOf(readState());
  const column = columns.find((one) => one.sort === sort);
  const rankOf = (one: T) => (sort === "change" ? one.events - one.before : column?.of?.(one)) ?? "";
  const sign = order === "asc" ? 1 : -1;
  return data.toSorted((one, other) => {
    const [a, b] = [rankOf(one), rankOf(other)];
    return a === b ? 0 : a < b ? -sign : sign;
  });
};
/** What part of a whole each is. */
export const shareOf = <T>(head: string, of: (one: T) => readonly [part: number, whole: number]): Column<T> => ({
  head,
  of: (one) => exactShare(...of(one)),
  shown: (one) => share(...of(one)),
});
export const BEFORE: Column<{ before: number }> = {
  head: "Before",
  of: ({ before }) => (times.hasBefore ? before : null),
};
/** The same in a file; nothing where there was nothing before. */
export const IN_PERCENT: Column<{ events: number; before: number }> = {
  head: "Change in %",
  shown: null,
  of: ({ events, before }) => percentOf(events, before),
};

/**
 * The most frequent keys, each with its share as a bar, and how it stands against the time before. Each leads to what it is made of.
 * A card of nothing is not shown.
 *
 * @param heads of the key, and of its number
 * @param of what it shows of an answer
 * @param options what each leads to, and of what its share is; of nothing where it has none. With `more` columns it has the width of the page, is
 * sorted by each, and tells of what is not there, too
 */
export const createListCard = <A, T extends Counted>(
  name: string,
  title: string,
  [head, unit]: readonly [string, string],
  of: (answer: A) => { data: readonly T[]; total: number } | undefined,
  { linkOf, whole = unit.toLowerCase(), more }: { linkOf: (one: T) => string; whole?: string; more?: Sorted<T>[] },
) => {
  const isOfShares = whole !== "";
  const card = makeCard(name, title, { isWide: more !== undefined });
  let isWhole = false;
  const draw = (answer: A): void => {
    const { data: told, total } = of(answer) ?? { data: [], total: 0 };
    card.element.hidden = told.length === 0;
    const sizeOf = ({ events, before }: T) => (isOfShares ? events : before);
    const most = Math.max(1, ...told.map(sizeOf));
    const key = (one: T) => {
      const none = more ? "not used in this time" : isOfShares ? "" : "stopped";
      const unused = none && one.events === 0 ? [make("small", none)] : [];
      const unreal = isNoOne(one.key) ? [make("small.down", NO_ONE)] : [];
      return withBar(
        make(
          "span",
          make("a", { href: linkOf(one), title: one.key }, ...breakable(one.name ?? one.key)),
          ...unused,
          ...unreal,
        ),
        sizeOf(one) / most,
      );
    };
    const columns: Sorted<T>[] = [
      { sort: "name", head, of: (one) => one.name ?? one.key, shown: key },
      ...(told.some(({ name }) => name !== undefined) ? [{ head: "uid", of: ({ key }: T) => key, shown: null }] : []),
      { sort: "events", head: unit, of: (one) => one.events },
      ...(more?.filter((column) => told.some((one) => column.of!(one) !== undefined)) ?? []),
      { ...BEFORE, ...(isOfShares && { shown: null }) },
      ...(isOfShares ? [shareOf<T>("Share", ({ events }) => [events, total])] : []),
      { sort: "change", head: "Change", shown: changeOf },
      IN_PERCENT,
    ];
    const data = more ? inOrder(told, columns) : told;
    card.hold(columns, data);
    const shown = isWhole ? data : data.slice(0, SHOWN);
    const list = more
      ? makeTable(title, columns, shown, { name: "table.list.names", makeHead: makeSorting(orderOf(readState())) })
      : makeTable(title, columns, shown, { name: "table.list" });
    const wholes = [
      ...(more ? [make("p.note.narrow", "The other columns are shown on a wider screen, and in the CSV file.")] : []),
      ...(isOfShares ? [make("p.note", `Share: of all ${whole} (${number(total)}).`)] : []),
    ];
    if (isWhole || data.length <= SHOWN) return void card.show(list, ...wholes);
    const isCut = data.reduce((sum, { events }) => sum + events, 0) < total;
    const click = () => {
      isWhole = true;
      draw(answer);
    };
    const all = make("button.quiet", { type: "button", click }, "Show all");
    card.show(list, ...wholes, make("p.note", `The first ${SHOWN} of ${data.length}${isCut ? " or more" : ""}. `, all));
  };
  return { element: card.element, draw };
};

/** The people who did most. */
export const createMost = <A>(of: (answer: A) => Numbers["people"]) =>
  createListCard("people", "People who do most", ["Person", "Events"], of, { linkOf: linkToContact });

/** The pages that were viewed. */
export const createPages = <A>(of: (answer: A) => Numbers["pages"]) =>
  createListCard("pages", "Most viewed pages", ["Path", "Views"], of, { linkOf: ({ key }) => hereWith({ path: key }) });

export const isNameless = ({ name, unique_id }: Pick<Named, "name" | "unique_id">): boolean => name === unique_id;
/** A link to a record, with its uid where that is not its name, and its e-mail address. */
export const nameOf = (one: Pick<Named, "name" | "unique_id"> & { email?: string | null }, href: string) =>
  make(
    "span",
    make("a", { href }, ...breakable(cut(one.name))),
    ...(isNameless(one) ? [] : [make("small", ...breakable(cut(one.unique_id)))]),
    ...(isNoOne(one.unique_id) ? [make("small.down", NO_ONE)] : []),
    ...(one.email && one.email !== one.unique_id ? [make("small", ...breakable(one.email))] : []),
  );
/** Columns of whose a row is: its name, which leads there, and in the file its uid, too. */
export const whose = (head: string, linkOf: (one: Named) => string): Sorted<Named>[] => [
  { sort: "name", head, of: ({ name }) => name, shown: (one) => nameOf(one, linkOf(one)) },
  { head: "uid", of: (one) => one.unique_id, shown: null },
];
/** The same of a person, and of its accounts: on a phone, where there is no room for a column, they stand below the name. */
export const personWith = <T extends Named>(accountsOf: (one: T) => readonly Named[]): Sorted<T>[] => {
  const linksOf = (one: T) => withCommas(accountsOf(one).map((account) => link(linkToAccount(account), account.name)));
  const [name, uid] = whose("Person", linkToContact);
  return [
    { ...name!, shown: (one) => make("span", nameOf(one, linkToContact(one)), make("small.narrow", ...linksOf(one))) },
    uid!,
    {
      head: "Account",
      of: (one) =>
        accountsOf(one)
          .map(({ name }) => name)
          .join(", "),
      shown: (one) => make("span", ...linksOf(one)),
    },
    {
      head: "Account uid",
      of: (one) =>
        accountsOf(one)
          .map((account) => account.unique_id)
          .join(", "),
      shown: null,
    },
  ];
};
/** How a record whose uid stands in place of its name gets one. */
export const howNamed = (kind: "account" | "contact", uid = "…"): Content[] => [
  "Your developers can send names to show in place of uids: ",
  make("code", `PUT /v2/${kind}s?uid=${uid} {"data": {"name": "…"}}`),
];

/** The same as a note, where most records are so. */
export const noteNames = (kind: "account" | "contact", data: readonly Pick<Named, "name" | "unique_id">[]) =>
  2 * data.filter(isNameless).length > data.length ? [make("p.note", ...howNamed(kind))] : [];

/** Names that the foot of a page has. */
const NAMED = 5;

/** Says at the foot of a page who counts nowhere, as one's own, and where that is changed. */
export const createLeftOut = (ask: Ask) => {
  const element = make("p.note", { "data-left-out": true });
  return {
    element,
    async load(): Promise<LeftOut["data"]> {
      const { data } = (await ask.get<LeftOut>("/v2/numbers/left-out")) ?? { data: [] };
      const links = data.map((one) => link(one.kind === "account" ? linkToAccount(one) : linkToContact(one), one.name));
      const more = data.length > NAMED ? ` and ${data.length - NAMED} more` : "";
      const change = link(linkTo("/left-out"), data.length > 0 ? "Change" : "Leave your own people out of all figures");
      const said = ["Left out of all figures: ", ...withCommas(links.slice(0, NAMED)), `${more}. `];
      replace(element, ...(data.length > 0 ? said : []), change, ".");
      return data;
    },
  };
};

/** What the records of each kind are called on pages. */
export const WORDS = { account: "account", contact: "person" };

/** Members of params that the script adds. */
const STAMP = new Set(["event_id", "event_source", "event_seq", "occurred_at"]);
/** Characters of a value, and members, that are seen at once. */
const [MAX_VALUE, MAX_MEMBERS] = [160, 12];
export const cut = (text: string): string => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);

/** What the page gave with an event; its stamp and whatever is long stand behind "more". */
export const makeParams = (params: object | null): Content[] => {
  // The account stands beside them.
  const { account_uid: _, ...others } = { account_uid: undefined, ...params };
  const all = Object.entries(others).map(([name, value]): [string, string] => [name, toText(value)]);
  const given = all.filter(([name]) => !STAMP.has(name));
  const shown = given.slice(0, MAX_MEMBERS);
  const more = all.filter((member) => !shown.includes(member) || member[1].length > MAX_VALUE);
  const list = (members: [string, string][]) =>
    make("ul.params", ...members.map(([name, text]) => make("li", make("i", `${cut(name)}: `), text)));
  return [
    ...(shown.length > 0 ? [list(shown.map(([name, text]) => [name, cut(text)]))] : []),
    ...(more.length > 0 ? [make("details", make("summary", "more"), list(more))] : []),
  ];
};

/** On how many of the last 14 days one was active who has this health by activity. */
const ACTIVE: Record<string, string> = { good: "more than 4", average: "1 to 4", bad: "none" };
const healthOf = ({ health, health_source: source }: OneContact["salesmachine"], going: string) => {
  if (health === undefined) return undefined;
  const said = [health, source === undefined ? "set by you" : "", going].filter(Boolean).join(", ");
  const active = `: active on ${ACTIVE[String(health)]} of the last 14 days (good is more than 4, bad is none)`;
  return source === undefined ? said : said + active;
};

const toText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** What is known of a record beside its name, or how it gets one. */
export const createTraits = () => {
  const element = make("dl.traits", { "aria-label": "Traits" });
  return {
    element,
    draw({ object, unique_id: uid, created_at, first_seen_at: first, ...record }: OneAccount | OneContact): void {
      const { events } = record.figures;
      const { name, ...data } = record.data as Record<string, unknown>;
      const kind = object === "numbers.account" ? "account" : "contact";
      const traits = {
        uid,
        name: name === undefined ? make("span", ...howNamed(kind, encodeURIComponent(uid))) : undefined,
        stage: record.stage?.name,
        health: healthOf(record.salesmachine, trendOf({ ...events, events: events.total })),
        // A record may be made later, as by an import.
        "known since": date(Math.min(created_at * 1_000, first ?? Number.POSITIVE_INFINITY)),
        ...data,
      };
      const pairs = Object.entries(traits).filter(([, value]) => value !== undefined);
      const textOf = (value: unknown) => (value instanceof Node ? value : toText(value));
      replace(element, ...pairs.map(([key, value]) => make("div", make("dt", key), make("dd", textOf(value)))));
    },
  };
};
