import type { Query } from "../database/database.js";
import type { Line, Table } from "./rows.js";

/* The tables of counts, and those of the day that is counted anew, which have the same columns. */

/** Behind the name of a table: those that stand, or those of the day that is counted anew. */
export type Into = "" | "_anew";

/** Of each table the column of its month or day, its other keys with their types, and the places of its array. */
export const TABLES = {
  active: { date: "month", keys: ["contact", "account"], types: ["uuid", "uuid"], places: 31 },
  hours: { date: "day", keys: ["contact", "account"], types: ["uuid", "uuid"], places: 24 },
  account_names: { date: "month", keys: ["account", "name"], types: ["uuid", "text"], places: 31 },
  days: { date: "day", keys: ["kind", "key"], types: ["text", "text"], places: 24 },
} as const;
export const ALL_TABLES = Object.keys(TABLES) as Table[];

/** Of each place of an array, by its number in SQL. */
const each = (places: number, of: (at: number) => string): string[] =>
  Array.from({ length: places }, (_, at) => of(at + 1));
const plus = (column: string): string => `t.${column} + excluded.${column}`;
/** Nothing falls below 0. @param isLess whether any line does */
const sums = (column: string, places: number, isLess: boolean): string =>
  `ARRAY[${each(places, (at) => (isLess ? `greatest(0, ${plus(`${column}[${at}]`)})` : plus(`${column}[${at}]`)))}]`;

/** What is written besides the keys: column, type, value of a line, and what it becomes where the row is there. */
type Column = [name: string, type: string, of: (line: Line) => unknown, sum: string];
const arrayOf = ({ events }: Line): string => `{${events}}`;
const bits = each(31, (at) => `CASE WHEN ${plus(`events[${at}]`)} > 0 THEN ${2 ** (31 - at)} ELSE 0 END`).join(" + ");
const eventsOf = (places: number, isLess: boolean): Column => [
  "events",
  "int[]",
  arrayOf,
  sums("events", places, isLess),
];
const COLUMNS: Record<Table, (isLess: boolean, hoursFrom: string) => Column[]> = {
  active: (isLess) => [
    [
      "days",
      "bit(31)",
      ({ events }) => events.map((one) => (one > 0 ? 1 : 0)).join(""),
      isLess ? `(${bits})::bit(31)` : "t.days | excluded.days",
    ],
    eventsOf(31, isLess),
  ],
  hours: (isLess) => [eventsOf(24, isLess)],
  account_names: (isLess) => [eventsOf(31, isLess)],
  days: (isLess, hoursFrom) => [
    ["events", "bigint", ({ events }) => events.reduce((sum, one) => sum + one), `greatest(0, ${plus("events")})`],
    [
      "hours",
      "int[]",
      (line) => (line.date >= hoursFrom ? arrayOf(line) : null),
      `CASE WHEN excluded.hours IS NOT NULL THEN ${sums("hours", 24, isLess)} END`,
    ],
  ],
};

/** Which rows are empty. */
const EMPTY: Record<Table, string> = {
  active: `days = '${"0".repeat(31)}'`,
  hours: "NOT 0 < ANY(events)",
  account_names: "NOT 0 < ANY(events)",
  days: "events <= 0",
};
export const isEmpty = (table: Table): string => EMPTY[table];

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
         AND ${keys[1]} = ANY($4::${types[1]}[]) AND ${EMPTY[table]}`,
      [workspace, ...[places, first, second].map((all) => [...new Set(all)])],
    );
};
