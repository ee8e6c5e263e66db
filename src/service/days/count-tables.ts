import { NIL } from "uuid";
import type { Query } from "../database/database.js";

/* What is read of events to count them, what it adds up to, and how that is written. Columns alone are read, for the params may be large. */

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

export const dayOf = ({ local }: EventRow): string => local.slice(0, 10);

/** A row of a table of counts: its month or day, its two other keys, and its events in each place of its array. */
export interface Line {
  date: string;
  keys: [string, string];
  events: number[];
}

/** As an array is stored, with running sums; and each place of it alone. */
const toSums = (events: readonly number[]): number[] => {
  let sum = 0;
  return events.map((one) => {
    sum += one;
    return sum;
  });
};
export const toPlaces = (sums: readonly number[]): number[] => sums.map((sum, at) => sum - (sums[at - 1] ?? 0));

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

export const tally = (rows: readonly EventRow[], sign: 1 | -1) => {
  const sums = {
    active: new Lines(31),
    hours: new Lines(24),
    days: new Lines(24),
    account_names: new Lines(31),
    contact_names: new Lines(31),
  };
  for (const { contact, account, name, path, host, referrer, local } of rows) {
    const day = local.slice(0, 10);
    const [month, date, hour] = [`${day.slice(0, 7)}-01`, Number(day.slice(8)) - 1, Number(local.slice(11))];
    sums.active.add(month, [contact, account], date, sign);
    sums.hours.add(day, [contact, account], hour, sign);
    sums.contact_names.add(month, [contact, name], date, sign);
    if (account !== NIL) sums.account_names.add(month, [account, name], date, sign);
    for (const [kind, key] of Object.entries({ name, path, host, referrer }))
      if (key !== null) sums.days.add(day, [kind, key], hour, sign);
  }
  return sums;
};
export type Table = keyof ReturnType<typeof tally>;

/* The tables of counts, and those of the day that is counted anew, which have the same columns. */

/** Behind the name of a table: those that stand, or those of the day that is counted anew. */
export type Into = "" | "_anew";

/** Of each table the column of its month or day, and its other keys. An array has a place for each day of the month, or hour of the day. */
export const TABLES = {
  active: { date: "month", keys: ["contact", "account"] },
  hours: { date: "day", keys: ["contact", "account"] },
  account_names: { date: "month", keys: ["account", "name"] },
  contact_names: { date: "month", keys: ["contact", "name"] },
  days: { date: "day", keys: ["kind", "key"] },
} as const;
export const ALL_TABLES = Object.keys(TABLES) as Table[];
const placesOf = (table: Table): number => (TABLES[table].date === "month" ? 31 : 24);

/** What a row has besides its keys. @param hoursFrom the first day whose hours are kept */
const valuesOf = (table: Table, { date, events }: Line, hoursFrom: string) => {
  const sums = toSums(events);
  return table === "days"
    ? { events: sums.at(-1), hours: date >= hoursFrom ? sums : null }
    : { events: sums, days: events.map((one) => (one > 0 ? 1 : 0)).join("") };
};

/** Two arrays together. Nothing falls below 0. @param isLess whether any line does */
const together = (column: string, table: Table, isLess: boolean): string => {
  if (isLess) return `less(t.${column}, excluded.${column})`;
  const places = Array.from({ length: placesOf(table) }, (_, at) => at + 1);
  return `ARRAY[${places.map((at) => `t.${column}[${at}] + excluded.${column}[${at}]`)}]`;
};

/** What becomes of a row that is there. */
const changesOf = (table: Table, isLess: boolean): string => {
  if (table === "days")
    return `events = greatest(0, t.events + excluded.events),
      hours = CASE WHEN excluded.hours IS NOT NULL THEN ${together("hours", table, isLess)} END`;
  const bits = isLess ? "bits_of(less(t.events, excluded.events))" : "t.days | excluded.days";
  return `events = ${together("events", table, isLess)}${table === "hours" ? "" : `, days = ${bits}`}`;
};

export const isEmpty = (table: Table): string => (table === "days" ? "events <= 0" : `events[${placesOf(table)}] <= 0`);

/** Each value that some lines have, once. */
export const distinct = (lines: readonly Line[], of: (line: Line) => string): string[] => [...new Set(lines.map(of))];

/** Adds lines to a table, or subtracts those that are below 0; what is empty then goes. @param lines each row once */
export const write = async (
  query: Query,
  workspace: string,
  { table, into, lines, hoursFrom }: { table: Table; into: Into; lines: readonly Line[]; hoursFrom: string },
): Promise<void> => {
  if (lines.length === 0) return;
  const { date, keys } = TABLES[table];
  const [first, second] = keys;
  const isLess = lines.some(({ events }) => events.some((one) => one < 0));
  const rows = lines.map((line) => ({
    workspace,
    [date]: line.date,
    [first]: line.keys[0],
    [second]: line.keys[1],
    ...valuesOf(table, line, hoursFrom),
  }));
  await query(
    `INSERT INTO ${table}${into} AS t SELECT * FROM json_populate_recordset(NULL::${table}, $1)
     ON CONFLICT (workspace, ${date}, ${keys}) DO UPDATE SET ${changesOf(table, isLess)}`,
    [JSON.stringify(rows)],
  );
  if (isLess)
    await query(
      `DELETE FROM ${table}${into} WHERE workspace = $1 AND ${date} = ANY($2) AND ${first} = ANY($3) AND ${second} = ANY($4) AND ${isEmpty(table)}`,
      [
        workspace,
        distinct(lines, (line) => line.date),
        distinct(lines, (line) => line.keys[0]),
        distinct(lines, (line) => line.keys[1]),
      ],
    );
};
