import { DAY_MS, HOUR_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import {
  ACTIVE,
  type ActiveTable,
  COUNTED,
  type Count,
  type Part,
  QUARTER_MS,
  QUARTERS,
  quartersOf,
  toCount,
} from "./keys.js";

/*
 * Who was active: a contact on a day and in a week, an account on a day with its events. Days and weeks are those of UTC.
 */

export const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05. */
export const FIRST_MONDAY = 4 * DAY_MS;

/** The bits of the quarters from one time to another of a day. */
export const bitsOf = (day: number, from: number, to: number): string => {
  const [first, end] = [from, to].map((time) =>
    Math.round((Math.min(Math.max(time, day), day + DAY_MS) - day) / QUARTER_MS),
  );
  return "0".repeat(first!) + "1".repeat(end! - first!) + "0".repeat(QUARTERS - end!);
};

/** A day in UTC, as the database takes it. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The days of the week that a time is in. */
const weekOf = (time: number): string[] => {
  const monday = time - ((time - FIRST_MONDAY) % WEEK_MS);
  return Array.from({ length: 7 }, (_, at) => dayOf(monday + at * DAY_MS));
};

/** When each week begins that is whole within a time. */
export const wholeWeeks = (from: number, to: number): number[] => {
  const first = Math.ceil((from - FIRST_MONDAY) / WEEK_MS) * WEEK_MS + FIRST_MONDAY;
  return Array.from({ length: Math.max(0, Math.floor((to - first) / WEEK_MS)) }, (_, at) => first + at * WEEK_MS);
};

/** Somebody on a day. */
interface Active {
  /** When it begins. */
  day: number;
  id: string;
  /** A digit for each quarter. */
  quarters: string;
  /** Events of each quarter that has some, of an account. */
  events: (number | undefined)[];
}

const setAt = (text: string, at: number, part: string): string =>
  text.slice(0, at) + part + text.slice(at + part.length);

const noneOn = (day: number, id: string): Active => ({ day, id, quarters: "0".repeat(QUARTERS), events: [] });

/** What counts say of each day. */
const daysOf = (counts: readonly Count[]): Active[] => {
  const days = new Map<string, Active>();
  for (const { quarter, key: id, events } of counts) {
    const day = quarter - (quarter % DAY_MS);
    const one = days.get(`${day} ${id}`) ?? noneOn(day, id);
    days.set(`${day} ${id}`, one);
    const at = (quarter - day) / QUARTER_MS;
    one.quarters = setAt(one.quarters, at, "1");
    one.events[at] = (one.events[at] ?? 0) + events;
  }
  return [...days.values()];
};

/** Stores rows in place of those that are there. */
const store = async (query: Query, workspace: string, table: ActiveTable, rows: readonly Active[]): Promise<void> => {
  if (rows.length === 0) return;
  const { id } = ACTIVE[table];
  const [names, values, set] =
    table === "active_accounts" ? [", events", ", events::bigint[]", ", events = excluded.events"] : ["", "", ""];
  await query(
    `INSERT INTO ${table} (workspace, day, ${id}, quarters${names}) SELECT $1, day, id, quarters${values}
     FROM unnest($2::date[], $3::uuid[], $4::bit(${QUARTERS})[], $5::text[]) AS new (day, id, quarters, events)
     ON CONFLICT (workspace, day, ${id}) DO UPDATE SET quarters = excluded.quarters${set}`,
    [
      workspace,
      rows.map(({ day }) => dayOf(day)),
      rows.map(({ id }) => id),
      rows.map(({ quarters }) => quarters),
      rows.map(({ events }) =>
        values === "" ? null : `{${Array.from({ length: QUARTERS }, (_, at) => events[at] ?? "NULL")}}`,
      ),
    ],
  );
};

const read = (row: Record<string, unknown>): Active => ({
  ...{ day: Date.parse(String(row.day)), id: String(row.id), quarters: String(row.quarters) },
  events: ((row.events ?? []) as unknown[]).map((one) => (one === null ? undefined : Number(one))),
});
const columnsOf = (table: ActiveTable): string =>
  `day::text AS day, ${ACTIVE[table].id} AS id, quarters::text AS quarters${table === "active_accounts" ? ", events" : ""}`;

/** The day of an event and its quarter there, one bit of 96; and the Monday of its week. */
const DAY = "(to_timestamp(received_at / 1000) AT TIME ZONE 'UTC')::date";
const BIT = `'1${"0".repeat(QUARTERS - 1)}'::bit(${QUARTERS}) >> (received_at / ${QUARTER_MS} % ${QUARTERS})::int`;
const WEEK = `${DAY} - (extract(isodow FROM ${DAY})::int - 1)`;

/** Adds the contacts that were active by some events. */
export const addContacts = async (query: Query, { condition, values }: Part): Promise<void> => {
  await query(
    `INSERT INTO active_contacts (workspace, day, contact_id, quarters)
     SELECT workspace, ${DAY}, contact_id, bit_or(${BIT}) FROM events WHERE ${condition} AND ${COUNTED} GROUP BY 1, 2, 3
     ON CONFLICT (workspace, day, contact_id) DO UPDATE SET quarters = active_contacts.quarters | excluded.quarters
     WHERE active_contacts.quarters | excluded.quarters <> active_contacts.quarters`,
    values,
  );
  await query(
    `INSERT INTO active_weeks (workspace, week, contact_id)
     SELECT DISTINCT workspace, ${WEEK}, contact_id FROM events WHERE ${condition} AND ${COUNTED}
     ON CONFLICT (workspace, week, contact_id) DO NOTHING`,
    values,
  );
};

/** Adds the accounts that were active. @param counts of this kind */
export const addAccounts = async (query: Query, workspace: string, counts: readonly Count[]): Promise<void> => {
  const table = "active_accounts";
  const days = daysOf(counts);
  if (days.length === 0) return;
  const rows = await query(
    `SELECT ${columnsOf(table)} FROM ${table} WHERE workspace = $1 AND day = ANY($2::date[]) AND account_id = ANY($3::uuid[])`,
    [workspace, [...new Set(days.map(({ day }) => dayOf(day)))], [...new Set(days.map(({ id }) => id))]],
  );
  const before = new Map(rows.map(read).map((one) => [`${one.day} ${one.id}`, one]));
  const changed = days.map((one) => {
    const old = before.get(`${one.day} ${one.id}`) ?? noneOn(one.day, one.id);
    const quarters = Array.from(one.quarters, (bit, at) => (bit === "1" ? bit : old.quarters[at])).join("");
    const events = [...old.events];
    for (const [at, more] of one.events.entries()) if (more !== undefined) events[at] = (events[at] ?? 0) + more;
    return { ...old, quarters, events };
  });
  await store(query, workspace, table, changed);
};

/** The hour of a workspace that is counted anew. */
interface OfHour {
  workspace: string;
  hour: number;
}

/**
 * Makes the next ones of a day anew as they are counted in one of its hours.
 *
 * @param after the last that was made so
 * @param held what was counted of the hour, besides what is kept in `sums_anew`
 * @returns the last of these; nothing where there are no more
 */
export const renewActive = async (
  query: Query,
  { workspace, hour }: OfHour,
  { table, after, rows: most, held }: { table: ActiveTable; after: string; rows: number; held: readonly Count[] },
): Promise<string | undefined> => {
  const { id } = ACTIVE[table];
  const day = hour - (hour % DAY_MS);
  const bits = bitsOf(day, hour, hour + HOUR_MS);
  // Who was active in the hour has a bit of it, and nobody else changes.
  const rows = (
    await query(
      `SELECT ${columnsOf(table)} FROM ${table} WHERE workspace = $1 AND day = $2::date AND ${id} > $3
         AND (quarters & $4::bit(${QUARTERS})) <> $5::bit(${QUARTERS}) ORDER BY ${id} LIMIT ${most}`,
      [workspace, dayOf(day), after, bits, "0".repeat(QUARTERS)],
    )
  ).map(read);
  if (rows.length === 0) return undefined;
  const ids = new Set(rows.map(({ id }) => id));
  const counted = await query<Record<string, unknown>>(
    "SELECT quarter, key, events FROM sums_anew WHERE workspace = $1 AND kind = $2 AND quarter = ANY($3::bigint[]) AND key = ANY($4::text[])",
    [workspace, table, quartersOf(hour), [...ids]],
  );
  const counts = held.filter(({ kind, key }) => kind === table && ids.has(key));
  const fresh = new Map(daysOf([...counted.map((row) => toCount(table, row)), ...counts]).map((one) => [one.id, one]));
  const [from, to] = [hour, hour + HOUR_MS].map((time) => (time - day) / QUARTER_MS) as [number, number];
  const renewed = rows.map((old): Active => {
    const of = fresh.get(old.id) ?? noneOn(day, old.id);
    return {
      ...{ ...old, quarters: setAt(old.quarters, from, of.quarters.slice(from, to)) },
      events: old.events.map((events, at) => (at >= from && at < to ? of.events[at] : events)),
    };
  });
  const isActive = ({ quarters }: Active) => quarters.includes("1");
  const hasChanged = (one: Active, row: number) =>
    one.quarters !== rows[row]!.quarters || String(one.events) !== String(rows[row]!.events);
  const gone = renewed.filter((one) => !isActive(one)).map(({ id }) => id);
  await store(query, workspace, table, renewed.filter(hasChanged).filter(isActive));
  if (gone.length > 0) {
    const [monday, ...others] = weekOf(day);
    await query(`DELETE FROM ${table} WHERE workspace = $1 AND day = $2::date AND ${id} = ANY($3::uuid[])`, [
      workspace,
      dayOf(day),
      gone,
    ]);
    if (table === "active_contacts")
      await query(
        `DELETE FROM active_weeks WHERE workspace = $1 AND week = $2::date AND contact_id = ANY($3::uuid[]) AND NOT EXISTS (
           SELECT 1 FROM active_contacts AS active WHERE active.workspace = active_weeks.workspace
             AND active.day = ANY($4::date[]) AND active.contact_id = active_weeks.contact_id)`,
        [workspace, monday, gone, [monday, ...others]],
      );
  }
  return rows.length < most ? undefined : rows.at(-1)!.id;
};
