import { NIL } from "uuid";
import type { Query } from "../database/database.js";

/* What is read of events to count them, and what it adds up to. Columns alone are read, for the params may be large. */

/** When an event happened, where that is believed; else when it was received. The index `events_late` has the same expression. */
export const AT =
  "CASE WHEN occurred_at BETWEEN received_at - 2592000000 AND received_at THEN occurred_at ELSE received_at END";
/** Those whose ids do not say within an hour when they happened. */
export const LATE = "(origin_id IS NOT NULL OR occurred_at < received_at - 3600000)";

/** Characters of a key, and the key of the rest: none of another's is empty. */
const LENGTH = 256;
export const REST = "";

/** An event as it is counted. */
export interface EventRow {
  contact: string;
  id: string;
  /** Its internal id; `NIL` where there is none. */
  account: string;
  name: string;
  path: string | null;
  host: string | null;
  referrer: string | null;
  /** Day and hour in the zone of the workspace. */
  local: string;
  late: boolean;
  imported: boolean;
  /** Epoch milliseconds. */
  at: string;
}

/** The columns of an `EventRow`. @param zone a placeholder, or a literal */
export const columnsIn = (zone: string): string => `contact_id AS contact, id,
  CASE WHEN account_uid <> '' THEN left(encode(sha256(convert_to(workspace || '/account:' || account_uid, 'UTF8')), 'hex'), 32)::uuid
    ELSE '${NIL}' END AS account,
  left(event_uid, ${LENGTH}) AS name, left(substr(page, strpos(page, '/')), ${LENGTH}) AS path,
  nullif(split_part(page, '/', 1), '') AS host, referrer_host AS referrer, ${AT} AS at, coalesce(${LATE}, FALSE) AS late, origin_id IS NOT NULL AS imported,
  to_char(to_timestamp((${AT}) / 1000.0) AT TIME ZONE ${zone}, 'YYYY-MM-DD HH24') AS local`;

/** Which events; the values are those of the condition. */
export interface Which {
  condition: string;
  values: readonly unknown[];
}

/** Reads events. @param rest what follows the condition */
export const readEvents = (query: Query, zone: string, { condition, values }: Which, rest = ""): Promise<EventRow[]> =>
  query<EventRow>(`SELECT ${columnsIn(`$${values.length + 1}`)} FROM events WHERE ${condition} ${rest}`, [
    ...values,
    zone,
  ]);

/** The day that it is on. */
export const dayOf = ({ local }: EventRow): string => local.slice(0, 10);

/** A row of a table of counts: its month or day, its two other keys, and its events in each place of its array. */
export interface Line {
  date: string;
  keys: [string, string];
  events: number[];
}

/** Adds up, each row once. */
class Lines extends Map<string, Line> {
  constructor(private readonly places: number) {
    super();
  }
  add(date: string, keys: [string, string], place: number, events: number): void {
    const name = `${date} ${keys[0]} ${keys[1]}`;
    let line = this.get(name);
    if (line === undefined) {
      line = { date, keys, events: new Array(this.places).fill(0) };
      this.set(name, line);
    }
    line.events[place]! += events;
  }
}

/** What events add up to, by the table. @param sign of each */
export const tally = (rows: readonly EventRow[], sign: 1 | -1) => {
  const sums = { active: new Lines(31), hours: new Lines(24), account_names: new Lines(31), days: new Lines(24) };
  for (const { contact, account, name, path, host, referrer, local } of rows) {
    const day = local.slice(0, 10);
    const [month, date, hour] = [`${day.slice(0, 7)}-01`, Number(day.slice(8)) - 1, Number(local.slice(11))];
    sums.active.add(month, [contact, account], date, sign);
    sums.hours.add(day, [contact, account], hour, sign);
    if (account !== NIL) sums.account_names.add(month, [account, name], date, sign);
    for (const [kind, key] of Object.entries({ name, path, host, referrer }))
      if (key !== null) sums.days.add(day, [kind, key], hour, sign);
  }
  return {
    active: [...sums.active.values()],
    hours: [...sums.hours.values()],
    account_names: [...sums.account_names.values()],
    days: [...sums.days.values()],
  };
};
export type Table = keyof ReturnType<typeof tally>;
