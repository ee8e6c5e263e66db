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

/** Of each table the column of its month or day, its other keys with their types, and the places of its array. */
export const TABLES = {
  active: { date: "month", keys: ["contact", "account"], types: ["uuid", "uuid"], places: 31 },
  hours: { date: "day", keys: ["contact", "account"], types: ["uuid", "uuid"], places: 24 },
  account_names: { date: "month", keys: ["account", "name"], types: ["uuid", "text"], places: 31 },
  contact_names: { date: "month", keys: ["contact", "name"], types: ["uuid", "text"], places: 31 },
  days: { date: "day", keys: ["kind", "key"], types: ["text", "text"], places: 24 },
} as const;
export const ALL_TABLES = Object.keys(TABLES) as Table[];

/** Of each place of an array, by its number in SQL. */
const each = (places: number, of: (at: number) => string): string[] =>
  Array.from({ length: places }, (_, at) => of(at + 1));
const plus = (column: string, places: number): string =>
  `ARRAY[${each(places, (at) => `t.${column}[${at}] + excluded.${column}[${at}]`)}]`;
/** Nothing falls below 0. @param isLess whether any line does */
const sums = (column: string, places: number, isLess: boolean): string =>
  isLess ? `less(t.${column}, excluded.${column})` : plus(column, places);

/** What is written besides the keys: column, type, value of a line, and what it becomes where the row is there. */
type Column = [name: string, type: string, of: (line: Line) => unknown, sum: string];
const arrayOf = ({ events }: Line): string => `{${toSums(events)}}`;
const eventsOf = (places: number, isLess: boolean): Column => [
  "events",
  "int[]",
  arrayOf,
  sums("events", places, isLess),
];
const ofMonth = (isLess: boolean): Column[] => [
  [
    "days",
    "bit(31)",
    ({ events }) => events.map((one) => (one > 0 ? 1 : 0)).join(""),
    isLess ? "bits_of(less(t.events, excluded.events))" : "t.days | excluded.days",
  ],
  eventsOf(31, isLess),
];
const COLUMNS: Record<Table, (isLess: boolean, hoursFrom: string) => Column[]> = {
  active: ofMonth,
  hours: (isLess) => [eventsOf(24, isLess)],
  account_names: ofMonth,
  contact_names: ofMonth,
  days: (isLess, hoursFrom) => [
    [
      "events",
      "bigint",
      ({ events }) => events.reduce((sum, one) => sum + one),
      "greatest(0, t.events + excluded.events)",
    ],
    [
      "hours",
      "int[]",
      (line) => (line.date >= hoursFrom ? arrayOf(line) : null),
      `CASE WHEN excluded.hours IS NOT NULL THEN ${sums("hours", 24, isLess)} END`,
    ],
  ],
};

export const isEmpty = (table: Table): string =>
  table === "days" ? "events <= 0" : `events[${TABLES[table].places}] <= 0`;

/**
 * Adds lines to a table, or subtracts those that are below 0; what is empty then goes.
 *
 * @param lines each row once
 * @param hoursFrom the first day whose hours are kept
 */
export const write = async (
  query: Query,
  workspace: string,
  { table, into, lines, hoursFrom }: { table: Table; into: Into; lines: readonly Line[]; hoursFrom: string },
): Promise<void> => {
  if (lines.length === 0) return;
  const { date, keys, types } = TABLES[table];
  const isLess = lines.some(({ events }) => events.some((one) => one < 0));
  const columns = COLUMNS[table](isLess, hoursFrom);
  const names = [date, ...keys];
  const all: [name: string, type: string, of: (line: Line) => unknown][] = [
    [date, "date", (line) => line.date],
    ...keys.map((key, at): [string, string, (line: Line) => unknown] => [key, types[at]!, (line) => line.keys[at]]),
    // Arrays of arrays are one in PostgreSQL: each goes as its text.
    ...columns.map(([name, type, of]): [string, string, (line: Line) => unknown] => [
      name,
      type.replace("int[]", "text"),
      of,
    ]),
  ];
  const values = all.map(([, , of]) => lines.map(of));
  await query(
    `INSERT INTO ${table}${into} AS t (workspace, ${all.map(([name]) => name)})
     SELECT $1, ${[...names, ...columns.map(([name, type]) => `${name}::${type}`)]}
     FROM unnest(${all.map(([, type], at) => `$${at + 2}::${type}[]`)}) AS new (${all.map(([name]) => name)})
     ON CONFLICT (workspace, ${names}) DO UPDATE SET ${columns.map(([name, , , sum]) => `${name} = ${sum}`)}`,
    [workspace, ...values],
  );
  const [places, first, second] = values as [string[], string[], string[]];
  if (isLess)
    await query(
      `DELETE FROM ${table}${into} WHERE workspace = $1 AND ${date} = ANY($2::date[]) AND ${keys[0]} = ANY($3::${types[0]}[])
         AND ${keys[1]} = ANY($4::${types[1]}[]) AND ${isEmpty(table)}`,
      [workspace, ...[places, first, second].map((all) => [...new Set(all)])],
    );
};
