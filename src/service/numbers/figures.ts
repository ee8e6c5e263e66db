import type { Static, TSchema } from "typebox";
import { encodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import type { Ranges } from "../days/calendar.js";
import type { Accounts, Numbers } from "./number-schemas.js";
import { ask } from "./questions.js";

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
