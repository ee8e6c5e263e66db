import type { Query } from "../../database/database.js";
import { columnsOf, daysOf, noneOn, readActive, storeActive } from "./active-rows.js";
import { COUNTED, type Count, type Part, QUARTER_MS, QUARTERS } from "./keys.js";
import { dayOf } from "./utc-days.js";

/* Adds who was active: a contact on a day and in a week, an account on a day with its events. Days and weeks are those of UTC. */

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
  const before = new Map(rows.map(readActive).map((one) => [`${one.day} ${one.id}`, one]));
  const changed = days.map((one) => {
    const old = before.get(`${one.day} ${one.id}`) ?? noneOn(one.day, one.id);
    const quarters = Array.from(one.quarters, (bit, at) => (bit === "1" ? bit : old.quarters[at])).join("");
    const events = [...old.events];
    for (const [at, more] of one.events.entries()) if (more !== undefined) events[at] = (events[at] ?? 0) + more;
    return { ...old, quarters, events };
  });
  await storeActive(query, workspace, table, changed);
};
