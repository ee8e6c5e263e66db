import type { Static, TSchema } from "typebox";
import { encodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import type { Accounts, Numbers } from "./number-schemas.js";
import { ask } from "./questions.js";
import type { Ranges } from "./spans.js";

/** Which events: those of a name, a page, a referrer's host, or an account, by its uid. */
type Filter = { [Name in "event_uid" | "host" | "path" | "referrer" | "account"]?: string | undefined };

type Of<T extends TSchema, Name extends keyof Static<T>> = NonNullable<Static<T>[Name]>;
type Told = typeof Numbers;
interface Keys {
  total: number;
  before: number;
  data: { key: string; events: number; before: number; counts: number[] | null }[];
  others: { events: number; counts: number[] };
}
interface Matching {
  since: number | null;
  last: number | null;
  events: Keys;
  lists: { [Name in "pages" | "referrers" | "people" | "busiest"]: Of<Told, Name> };
  fell: Of<Told, "fell">;
  active: { contacts: Of<Told, "contacts">; accounts: Of<Told, "accounts"> };
}
type Doers = Of<Told, "busiest"> & Pick<Matching, "fell"> & Matching["active"];

type Listed = Static<typeof Accounts> & Doers & { events: number };
const toKeyed = ({ data }: Static<typeof Accounts>) =>
  data.map(({ id, unique_id, name, events, before }) => ({ id, key: unique_id, name, events, before }));

/** A filter as the questions take it. */
export const encoded = (filter: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, encodeText(value)]])),
  );

const isSeries = (one: Keys["data"][number]): one is typeof one & { counts: number[] } => one.counts !== null;
const toEvents = ({ data, ...sums }: Keys) => ({
  ...sums,
  data: data.filter(isSeries).map(({ key, ...one }) => ({ event_uid: key, ...one })),
  more: data.filter((one) => !isSeries(one)).map(({ key, ...one }) => ({ event_uid: key, ...one })),
});

/** Kinds of keys that have sums of their own, by the filter for each. */
const KINDS = { path: "path", host: "host", referrer: "referrer" } as const;

/**
 * The figures of the events that match. Of all they are made of what is counted, and so are those of one name, one page or one account, as far as
 * that tells them; the rest is read from the latest events.
 *
 * @param isNameless whether nobody is told of
 */
export const figuresOf = async (
  query: Query,
  { workspace, ranges, filter }: { workspace: string; ranges: Ranges; filter: Filter },
  isNameless = false,
) => {
  const of = <Answer>(name: string, more: Record<string, unknown> = {}) =>
    ask<Answer>(query, name, { workspace, ...ranges, ...more });
  const keys = (kind: string, more = {}) => of<Keys>("keys", { kind, most: 1_000, ...more });
  const given = encoded(filter);
  const [only, ...others] = Object.keys(given);
  if (only === undefined) {
    const list = { most: 50, series: 0 };
    const [names, pages, referrers, listed, contacts, accounts] = await Promise.all([
      ...[keys("name"), keys("path", list), keys("referrer", list)],
      isNameless ? undefined : of<Listed>("accounts", { members: "false" }),
      of<Of<Told, "contacts">>("active"),
      of<Of<Told, "accounts">>("active", { of: "account" }),
    ] as const);
    const busiest = listed && {
      ...{ total: listed.events, before: Number(listed.before), data: toKeyed(listed) },
    };
    const whose = listed && { busiest: busiest!, fell: listed.fell };
    return { events: toEvents(names!), pages: pages!, referrers: referrers!, contacts, accounts, ...whose };
  }
  const { since, last, events, lists, fell, active } = await of<Matching>("matching", given);
  const figures = { since, last, events: toEvents(events), ...lists, fell, ...active };
  if (others.length > 0) return figures;
  const key = given[only]!;
  if (only === "event_uid") {
    const [counted, { data, fell, accounts, ...sums }, others] = await Promise.all([
      keys("name", { key }),
      of<Doers>("account-names", { event_uid: key, limit: 50 }),
      isNameless ? undefined : of<Listed>("accounts", { members: "false", without: key }),
    ] as const);
    const without = others && {
      ...{ total: others.total + (others.others?.total ?? 0), of: others.active, data: toKeyed(others) },
    };
    return { ...figures, events: toEvents(counted), busiest: { ...sums, data }, fell, accounts, without };
  }
  if (only === "account") {
    const [counted, people, contacts] = await Promise.all([
      since === null ? events : keys("name", { account: key }),
      of<Of<Told, "people">>("people", { account: key }),
      of<Of<Told, "contacts">>("active", { account: key }),
    ]);
    return { ...figures, events: toEvents(counted), people, contacts };
  }
  const counted = await keys(KINDS[only as keyof typeof KINDS], { key });
  // One that its days have not kept is among the others.
  if (counted.total + counted.before < events.total + events.before) return figures;
  const data = counted.data.map((one) => ({ ...one, key: "pageview" }));
  return { ...figures, events: toEvents({ ...counted, data }) };
};
