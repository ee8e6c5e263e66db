import { NIL } from "uuid";
import type { Database, Query } from "../database/database.js";
import { dayIn, later, monthOf } from "./calendar.js";
import { isEmpty, TABLES } from "./count-tables.js";
import { beginAnew, hold, markDays, setPlace } from "./counted-place.js";

/* What goes with people who are erased, and with days that are past by retention. */

/** Takes contacts out of who was active, who have no events that are counted; of what is there still of one who was left out, days are counted anew. */
export const forgetContacts = async (query: Query, workspace: string, contacts: readonly string[]): Promise<void> => {
  const held = await hold(query, workspace);
  const tables = ["active", "hours", "contact_names"] as const;
  for (const table of tables.flatMap((one) => [one, `${one}_anew`] as const)) {
    const { date } = TABLES[table.replace("_anew", "") as (typeof tables)[number]];
    // By each month or day: the contact is behind it in the key.
    const [dates] = await query<Record<"from" | "to", string | null>>(
      `SELECT min(${date})::text AS from, max(${date})::text AS to FROM ${table} WHERE workspace = $1`,
      [workspace],
    );
    await query(
      `DELETE FROM ${table} WHERE workspace = $1 AND ${date} = ANY(ARRAY(SELECT generate_series($2::date, $3::date, '1 ${date}')::date))
         AND contact = ANY($4::uuid[]) AND NOT EXISTS (SELECT FROM events WHERE contact_id = contact AND id < $5)`,
      [workspace, dates!.from, dates!.to, contacts, held.id ?? NIL],
    );
  }
  const gone = await query<{ id: string }>(
    "DELETE FROM left_out WHERE workspace = $1 AND kind = 'contact' AND id = ANY($2::uuid[]) RETURNING id",
    [workspace, contacts],
  );
  if (gone.length === 0) return;
  const days =
    "SELECT DISTINCT day::text AS day FROM counted_events WHERE workspace = $1 AND contact_id = ANY($2::uuid[])";
  await beginAnew(query, held);
  await markDays(
    query,
    held,
    (await query<{ day: string }>(days, [workspace, contacts])).map(({ day }) => day),
  );
};

/** Lets the days be past that end before a time, each with its totals. */
export const passDays = async (database: Database, workspace: string, before: number): Promise<void> => {
  while (await database.transaction((query) => passDay(query, workspace, before)));
};

/** @returns whether there may be more */
const passDay = async (query: Query, workspace: string, before: number): Promise<boolean> => {
  const held = await hold(query, workspace);
  const end = dayIn(held.zone, before);
  const [first] = await query<{ day: string | null }>("SELECT min(day)::text AS day FROM days WHERE workspace = $1", [
    workspace,
  ]);
  const { day } = first!;
  if (day === null || day >= end) {
    if (held.past === null || held.past < end) await setPlace(query, held, { past: end });
    return false;
  }
  const [[counted], [active]] = await Promise.all([
    query(
      `SELECT coalesce(sum(events) FILTER (WHERE kind = 'name'), 0) AS events, coalesce(sum(events) FILTER (WHERE kind = 'path'), 0) AS views
       FROM days WHERE workspace = $1 AND day = $2`,
      [workspace, day],
    ),
    query(
      `SELECT count(DISTINCT contact) AS contacts, count(DISTINCT account) FILTER (WHERE account <> '${NIL}') AS accounts
       FROM active WHERE workspace = $1 AND month = $2 AND get_bit(days, ${Number(day.slice(8)) - 1}) = 1`,
      [workspace, monthOf(day)],
    ),
  ]);
  await query(
    `INSERT INTO totals (workspace, day, events, views, contacts, accounts) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
    [workspace, day, counted!.events, counted!.views, active!.contacts, active!.accounts],
  );
  await query("DELETE FROM days WHERE workspace = $1 AND day = $2", [workspace, day]);
  await query("DELETE FROM hours WHERE workspace = $1 AND day <= $2", [workspace, day]);
  if (held.past === null || held.past <= day) await setPlace(query, held, { past: later(day, 1) });
  return true;
};

/** Days after which those that are past are taken out of the rows of their month. */
const CLEARED_AFTER = 7;
const CHUNK = 5_000;

/** Takes the days that are past out of who was active, once a week and at the end of a month: until then no question tells of them. */
export const clearPast = async (database: Database, workspace: string): Promise<void> => {
  while (await database.transaction((query) => clearSome(query, workspace)));
};

/** @returns whether there may be more */
const clearSome = async (query: Query, workspace: string): Promise<boolean> => {
  const held = await hold(query, workspace);
  const { past, cleared } = held;
  if (past === null) return false;
  const month = monthOf(past);
  if (cleared !== null && past < later(cleared, CLEARED_AFTER) && monthOf(cleared) === month) return false;
  const days = Number(past.slice(8)) - 1;
  for (const table of ["active", "account_names", "contact_names"] as const) {
    const [first, second] = TABLES[table].keys;
    const isPast = `workspace = $1 AND (month < $2 OR (month = $2 AND events[${days}] > 0))`;
    const [last] = await query<Record<"month" | "first" | "second", string>>(
      `SELECT month::text AS month, ${first} AS first, ${second} AS second FROM ${table} WHERE ${isPast}
       ORDER BY month, ${first}, ${second} LIMIT 1 OFFSET ${CHUNK}`,
      [workspace, month],
    );
    const [upto, values] =
      last === undefined
        ? ["", []]
        : [` AND (month, ${first}, ${second}) < ($3, $4, $5)`, [last.month, last.first, last.second]];
    await query(`DELETE FROM ${table} WHERE workspace = $1 AND month < $2${upto}`, [workspace, month, ...values]);
    await query(
      `UPDATE ${table} SET events = without(events, 0, ${days}), days = days & ~('${"1".repeat(days).padEnd(31, "0")}'::bit(31)) WHERE ${isPast}${upto}`,
      [workspace, month, ...values],
    );
    await query(`DELETE FROM ${table} WHERE workspace = $1 AND month = $2 AND ${isEmpty(table)}${upto}`, [
      workspace,
      month,
      ...values,
    ]);
    if (last !== undefined) return true;
  }
  await setPlace(query, held, { cleared: past });
  return false;
};
