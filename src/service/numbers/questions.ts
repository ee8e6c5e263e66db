import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Static, TSchema } from "typebox";
import { encodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import type { Ranges } from "../days/calendar.js";
import type { Accounts, Numbers } from "./number-schemas.js";

/*
 * What can be asked: a file of SQL each. Its head has the question, what is to be said of it, how the page of all questions shows it, and its
 * parameters, each with what stands for it where it is not given, if anything does; of those with `= one`, one must be given. In the SQL a parameter is `:'name'`, a text, as `psql --set name=…` takes it.
 * Beside them are the workspace and the ranges of a time, which nobody gives.
 */

/** Beside this file, and beside what is built of it. */
const FOLDER = fileURLToPath(new URL("./questions/", import.meta.url));

interface Parameter {
  name: string;
  description: string;
  /** Nothing of one that must be given. */
  standard?: string;
  /** All that it may be, where its description begins with a list of words: `asc or desc`. */
  choices?: string[];
  /** Must it be given, unless another such one is? */
  is_one_of?: boolean;
  /** Does the SQL read it as a whole number? */
  isNumber?: boolean;
}

export interface Question {
  name: string;
  title: string;
  note: string;
  group: string;
  page?: string;
  none?: string;
  heads: Record<string, string>;
  hidden: string[];
  parameters: Parameter[];
  /** Is it of a time? */
  is_timed: boolean;
  sql: string;
}

const readQuestion = (file: string): Question => {
  const sql = readFileSync(join(FOLDER, file), "utf8").trim().replace(/;$/, "");
  const head = [...sql.matchAll(/^-- (.*)$/gm)].map(([, line]) => line!);
  const parameters = head.flatMap((line) => {
    const [, name, one, text, description] = /^:(\w+)(?: = (?:(one)|'(.*)'))?: (.*)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const choices = /^(\w+(, \w+)* or \w+)(;|$)/.exec(description!)?.[1]?.split(/, | or /);
    const isNumber = sql.includes(`:'${name}'::int`);
    const standard = one ? "" : text;
    const is = { ...(one && { is_one_of: true }), isNumber };
    const more = { ...(standard !== undefined && { standard }), ...(choices && { choices }), ...is };
    return [{ name, description: description!, ...more }];
  });
  const MARK = /^(group|page|none|heads|hidden): (.*)$/;
  const marked = head.flatMap((line) => {
    const [, mark, text] = MARK.exec(line) ?? [];
    return mark === undefined ? [] : [[mark, text!] as const];
  });
  const { group = "", heads = "", hidden = "", ...more }: Record<string, string> = Object.fromEntries(marked);
  const [title, ...notes] = head.filter((line) => !line.startsWith(":") && !MARK.test(line));
  return {
    name: basename(file, ".sql"),
    title: title!,
    note: notes.join(" "),
    group,
    ...more,
    heads: Object.fromEntries([...heads.matchAll(/(\w+) = ([^,]+)/g)].map(([, name, text]) => [name, text!])),
    hidden: hidden.match(/\w+/g) ?? [],
    parameters,
    is_timed: /:'(days|from)'/.test(sql),
    sql,
  };
};

/** All of them, by their names. */
export const QUESTIONS: ReadonlyMap<string, Question> = new Map(
  readdirSync(FOLDER)
    .sort()
    .map(readQuestion)
    .map((one) => [one.name, one]),
);

/** A question as the database takes it. @param given texts by the names of parameters; what is nothing is not given */
export const prepare = ({ sql, parameters }: Question, given: Record<string, unknown>) => {
  const names: string[] = [];
  const text = sql.replace(/:'(\w+)'/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}::text`;
  });
  const standard = (name: string) => parameters.find((one) => one.name === name)?.standard;
  return { text, values: names.map((name) => given[name] ?? standard(name) ?? null) };
};

/** Asks one. @returns its answer */
export const ask = async <Answer>(query: Query, name: string, given: Record<string, unknown>): Promise<Answer> => {
  const { text, values } = prepare(QUESTIONS.get(name)!, given);
  const [row] = await query<{ answer: Answer }>(text, values);
  return row!.answer;
};

/** Which events: those of a name, a page, a referrer's host, or an account, by its uid. */
type Filter = { [Name in "event_uid" | "host" | "path" | "referrer" | "account"]?: string | undefined };

type Of<T extends TSchema, Name extends keyof Static<T>> = NonNullable<Static<T>[Name]>;
type Told = typeof Numbers;
interface Counted {
  events: number;
  before: number;
}
/** The names that there are, whenever they came. */
interface Names {
  data: { event_uid: string; last_on: string; contacts?: number; accounts?: number }[];
}
interface Keys {
  total: number;
  before: number;
  trend?: "rising" | "falling" | null;
  data: (Counted & { key: string; counts: number[] | null })[];
  others: { events: number; counts: number[] };
}
interface Matching {
  since: number | null;
  last: number | null;
  events: Keys;
  lists: { [Name in "pages" | "referrers" | "people" | "busiest"]: Of<Told, Name> };
  fell: Of<Told, "fell">;
  rose: Of<Told, "rose">;
  active: { contacts: Of<Told, "contacts">; accounts: Of<Told, "accounts"> };
}
type Doers = Of<Told, "busiest"> & Pick<Matching, "fell" | "rose"> & { active: Of<Told, "contacts"> };

type Listed = Pick<Static<typeof Accounts>, "active" | "total" | "others" | "data"> &
  Pick<Matching, "fell" | "rose"> &
  Counted;
const toKeyed = ({ data }: Listed) =>
  data.map(({ id, unique_id, name, events, before }) => ({ id, key: unique_id, name, events, before }));

/** A filter as the questions take it. */
export const encoded = (filter: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeText(value)]])),
  );

const isSeries = (one: Keys["data"][number]): one is typeof one & { counts: number[] } => one.counts !== null;
/** @param known tells more of the names, and of those that did not come */
const toEvents = ({ data, ...sums }: Keys, known: Names = { data: [] }) => {
  const rest = new Map(known.data.map((one) => [one.event_uid, one]));
  const told = <T extends { key: string }>({ key: event_uid, ...one }: T) => {
    const more = rest.get(event_uid);
    rest.delete(event_uid);
    return { event_uid, ...one, ...more };
  };
  const [shown, more] = [data.filter(isSeries).map(told), data.filter((one) => !isSeries(one)).map(told)];
  const unused = [...rest.values()].map((one) => ({ ...one, events: 0, before: 0 }));
  return { ...sums, data: shown, more: [...more.map(({ counts: _, ...one }) => one), ...unused] };
};

/** What one contact did, by name, or of one name: as far as it counts. */
export const eventsOfContact = async (
  query: Query,
  { workspace, ranges, contact, key }: { workspace: string; ranges: Ranges; contact: string; key: string | undefined },
) => {
  const given = { workspace, ...ranges, ...encoded({ contact, key }) };
  const [keys, names] = await Promise.all([
    ask<Keys>(query, "keys", { ...given, most: 1_000 }),
    key === undefined ? ask<Names>(query, "names", given) : undefined,
  ]);
  return toEvents(keys, names);
};

const PAGEVIEW = "pageview";
/** Of a list beside the names of events. */
const LIST = { most: 50, series: 0 };

/**
 * The figures of the events that match. Of all they are made of what is counted, and so are those of one name, one page or one account, as far as
 * that tells them; the rest is read from the latest events.
 */
export const figuresOf = async (
  query: Query,
  { workspace, ranges, filter }: { workspace: string; ranges: Ranges; filter: Filter },
) => {
  const of = <Answer>(name: string, more: Record<string, unknown> = {}) =>
    ask<Answer>(query, name, { workspace, ...ranges, ...more });
  const keys = (kind: string, more = {}) => of<Keys>("keys", { kind, most: 1_000, ...more });
  const given = encoded(filter);
  const [only, ...others] = Object.keys(given);
  if (only === undefined) {
    const [names, known, pages, referrers, listed, contacts, accounts] = await Promise.all([
      keys("name"),
      of<Names>("names"),
      keys("path", LIST),
      keys("referrer", LIST),
      of<Listed>("accounts", { members: "false" }),
      of<Of<Told, "contacts">>("active"),
      of<Of<Told, "accounts">>("active", { of: "account" }),
    ] as const);
    const { events: total, before, fell, rose } = listed;
    const whose = { busiest: { total, before, data: toKeyed(listed) }, fell, rose };
    return { events: toEvents(names, known), pages, referrers, contacts, accounts, ...whose };
  }
  const { since, last, events, lists, active, ...changed } = await of<Matching>("matching", given);
  const figures = { since, last, events: toEvents(events), ...lists, ...changed, ...active };
  if (others.length > 0) return figures;
  const key = given[only]!;
  if (only === "event_uid") {
    const doers = (kind: "account" | "contact") => of<Doers>("account-names", { of: kind, event_uid: key, limit: 50 });
    const [counted, known, busiest, people, others, ...views] = await Promise.all([
      ...([keys("name", { key }), of<Names>("names", { event_uid: key })] as const),
      ...([doers("account"), doers("contact")] as const),
      of<Listed>("accounts", { members: "false", without: key }),
      ...(key === PAGEVIEW ? [keys("path", LIST), keys("referrer", LIST)] : []),
    ] as const);
    const total = others.total + (others.others?.total ?? 0);
    const { active: accounts, fell, rose, ...most } = busiest;
    const { active: contacts, rose: _, ...own } = people;
    const [pages = figures.pages, referrers = figures.referrers] = views;
    const whose = {
      busiest: most,
      fell,
      rose,
      people: own,
      without: { total, of: others.active, data: toKeyed(others) },
    };
    return { since: null, last, events: toEvents(counted, known), pages, referrers, accounts, contacts, ...whose };
  }
  if (only === "account") {
    const [counted, names, people, contacts] = await Promise.all([
      ...([keys("name", { account: key }), of<Names>("names", { account: key })] as const),
      of<Of<Told, "people">>("people", { account: key }),
      of<Of<Told, "contacts">>("active", { account: key }),
    ]);
    return { ...figures, events: toEvents(counted, names), people, contacts };
  }
  // A path, a host or a referrer has sums of its own.
  const counted = await keys(only, { key });
  // One that its days have not kept is among the others.
  if (counted.total + counted.before < events.total + events.before) return figures;
  const data = counted.data.map((one) => ({ ...one, key: PAGEVIEW }));
  return { ...figures, events: toEvents({ ...counted, data }) };
};
