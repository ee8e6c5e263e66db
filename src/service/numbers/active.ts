import { DAY_MS, HOUR_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { QUARTER_MS, QUARTERS } from "./keys.js";

/** The tables of who was active, and whom an event makes active there. */
const ACTIVE = {
  active_contacts: { id: "contact_id", of: "contact_id", where: "true" },
  active_accounts: {
    id: "account_id",
    // As `recordId` has it.
    of: "left(encode(sha256(convert_to(workspace || '/account:' || account_uid, 'UTF8')), 'hex'), 32)::uuid",
    where: "account_uid <> ''",
  },
} as const;
type Table = keyof typeof ACTIVE;
export const ACTIVE_TABLES = Object.keys(ACTIVE) as Table[];

/** The day of an event, and its quarter there as one bit of 96. */
const DAY = "(to_timestamp(received_at / 1000) AT TIME ZONE 'UTC')::date";
const QUARTER = `'1${"0".repeat(QUARTERS - 1)}'::bit(${QUARTERS}) >> (received_at / ${QUARTER_MS} % ${QUARTERS})::int`;
const NONE = `'${"0".repeat(QUARTERS)}'::bit(${QUARTERS})`;

/** The bits of the quarters from one time to another of a day. */
export const bitsOf = (day: number, from: number, to: number): string => {
  const [first, end] = [from, to].map((time) =>
    Math.round((Math.min(Math.max(time, day), day + DAY_MS) - day) / QUARTER_MS),
  );
  return "0".repeat(first!) + "1".repeat(end! - first!) + "0".repeat(QUARTERS - end!);
};

/** A day in UTC, as the database takes it. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** Adds who was active by events between two ids. @param range workspace, the first id, and the one behind the last */
export const addActive = async (query: Query, range: unknown[]): Promise<void> => {
  for (const table of ACTIVE_TABLES) {
    const { id, of, where } = ACTIVE[table];
    await query(
      `INSERT INTO ${table} (workspace, day, ${id}, quarters)
       SELECT workspace, ${DAY}, ${of}, bit_or(${QUARTER}) FROM events
       WHERE workspace = $1 AND id >= $2 AND id < $3 AND ${where} GROUP BY 1, 2, 3
       ON CONFLICT (workspace, day, ${id}) DO UPDATE SET quarters = ${table}.quarters | excluded.quarters
       WHERE ${table}.quarters | excluded.quarters <> ${table}.quarters`,
      range,
    );
  }
};

/**
 * Takes out who was active in an hour by events that are no longer there.
 *
 * @param events a condition, with values of its own, that finds those of the hour
 */
export const renewActive = async (
  query: Query,
  { workspace, hour, events, values }: { workspace: string; hour: number; events: string; values: unknown[] },
): Promise<void> => {
  const day = hour - (hour % DAY_MS);
  const [date, bits] = [values.length + 1, values.length + 2];
  const all = [...values, dayOf(day), bitsOf(day, hour, hour + HOUR_MS)];
  for (const table of ACTIVE_TABLES) {
    const { id, of, where } = ACTIVE[table];
    await query(
      `UPDATE ${table} AS stored SET quarters = stored.quarters & ~$${bits}::bit(${QUARTERS}) | renewed.quarters
       FROM (SELECT before.${id}, coalesce(found.quarters, ${NONE}) AS quarters FROM ${table} AS before
             LEFT JOIN (SELECT ${of} AS ${id}, bit_or(${QUARTER}) AS quarters FROM events WHERE ${events} AND ${where} GROUP BY 1) AS found
             ON found.${id} = before.${id}
             WHERE before.workspace = $1 AND before.day = $${date}::date AND before.quarters & $${bits}::bit(${QUARTERS}) <> ${NONE}) AS renewed
       WHERE stored.workspace = $1 AND stored.day = $${date}::date AND stored.${id} = renewed.${id}
         AND stored.quarters & $${bits}::bit(${QUARTERS}) <> renewed.quarters`,
      all,
    );
    await query(`DELETE FROM ${table} WHERE workspace = $1 AND day = $2::date AND quarters = ${NONE}`, [
      workspace,
      dayOf(day),
    ]);
  }
};
