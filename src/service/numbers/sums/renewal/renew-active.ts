import { DAY_MS, HOUR_MS } from "../../../base/times.js";
import type { Query } from "../../../database/database.js";
import { type Active, columnsOf, daysOf, noneOn, readActive, setAt, storeActive } from "../active-rows.js";
import { ACTIVE, type ActiveTable, type Count, QUARTER_MS, QUARTERS, quartersOf, toCount } from "../keys.js";
import { bitsOf, dayOf, weekOf } from "../utc-days.js";
import type { Renewal } from "./renewal.js";

/* Who was active in an hour that is counted anew: who has no event left of a day, or of a week, goes. */

/**
 * Makes the next ones of a day anew as they are counted in one of its hours.
 *
 * @param after the last that was made so
 * @param held what was counted of the hour, besides what is kept in `sums_anew`
 * @returns the last of these; nothing where there are no more
 */
export const renewActive = async (
  query: Query,
  { workspace, hour }: Pick<Renewal, "workspace" | "hour">,
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
  ).map(readActive);
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
  await storeActive(query, workspace, table, renewed.filter(hasChanged).filter(isActive));
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
