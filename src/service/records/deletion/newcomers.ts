import { decodeText } from "../../base/exact-text.js";
import type { Database, Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { moveGeneration } from "../../database/generation.js";
import { BARE } from "./bare-records.js";
import { deleteListed } from "./steps.js";

/** A contact that was seen in a span for the first time, and by nothing but events of that span. */
export interface Newcomer {
  id: string;
  uid: string;
  events: number;
}

/** Epoch milliseconds. */
export interface Span {
  since: number;
  until: number;
}

/**
 * Finds contacts that events of a span alone tell of: no proof, no import, no record that somebody has filled, and no event of before or after.
 * Whoever has the token of the pages can make such; real ones of that span are among them.
 */
export const findNewcomers = async (query: Query, workspace: string, { since, until }: Span): Promise<Newcomer[]> => {
  const rows = await query<Record<string, unknown>>(
    `WITH seen AS (
       SELECT contact_id, min(contact_uid) AS uid, count(*) AS events FROM events WHERE workspace = $1 AND id >= $2 AND id < $3
       GROUP BY contact_id HAVING bool_and(proven IS NOT TRUE AND origin_id IS NULL)
     ) SELECT contact_id::text AS id, uid, events FROM seen
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.contact_id = seen.contact_id AND (id < $2 OR id >= $3))
       AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.id = seen.contact_id AND NOT (${BARE} AND NOT archived AND created_at >= $4))
     ORDER BY events DESC, uid`,
    [workspace, idAt(since), idAt(until), Math.floor(since / 1_000)],
  );
  return rows.map(({ id, uid, events }) => ({ id: String(id), uid: decodeText(String(uid)), events: Number(events) }));
};

/** Contacts of one step. */
const CHUNK = 500;

/** Deletes such contacts, with their events and the accounts that nobody else belongs to. Resolves to the number of events. */
export const deleteNewcomers = async (
  database: Database,
  workspace: string,
  { newcomers, since, until }: Span & { newcomers: readonly Newcomer[] },
): Promise<number> => {
  let events = 0;
  for (let from = 0; from < newcomers.length; from += CHUNK) {
    const ids = newcomers.slice(from, from + CHUNK).map(({ id }) => id);
    const condition = "workspace = $1 AND contact_id = ANY($2::uuid[]) AND id >= $3 AND id < $4";
    const values = [workspace, ids, idAt(since), idAt(until)];
    events += await deleteListed(database, workspace, { condition, values, reason: "name" });
    await database.transaction((query) => deleteRecords(query, ids, Math.floor(since / 1_000)));
  }
  return events;
};

const deleteRecords = async (query: Query, ids: readonly string[], since: number): Promise<void> => {
  const gone = await query<{ id: string }>(
    `DELETE FROM contacts WHERE id = ANY($1::uuid[]) AND ${BARE} AND NOT archived AND created_at >= $2
     AND NOT EXISTS (SELECT 1 FROM events WHERE contact_id = contacts.id) RETURNING id`,
    [ids, since],
  );
  const left = await query<{ account_id: string }>(
    "DELETE FROM account_contacts WHERE contact_id = ANY($1::uuid[]) RETURNING account_id",
    [gone.map(({ id }) => id)],
  );
  // In steps: an account may lie on another node than its memberships.
  const accounts = [...new Set(left.map(({ account_id }) => account_id))];
  const used = await query<{ id: string }>(
    "SELECT DISTINCT account_id AS id FROM account_contacts WHERE account_id = ANY($1::uuid[])",
    [accounts],
  );
  const unused = accounts.filter((account) => !used.some(({ id }) => id === account));
  await query(`DELETE FROM accounts WHERE id = ANY($1::uuid[]) AND ${BARE} AND created_at >= $2`, [unused, since]);
  // Processes remember records that are gone now.
  await moveGeneration(query);
};
