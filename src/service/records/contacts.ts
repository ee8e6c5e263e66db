import { decodeText, encodeText, recordId } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";

/** Uids that are named at most. */
const MAX_NAMED = 10;

/** Is there anything of a contact: a record, or an event? */
export const hasContact = async (query: Query, workspace: string, uid: string): Promise<boolean> => {
  const id = recordId("contact", uid, workspace);
  for (const table of ["contacts WHERE id", "events WHERE contact_id"])
    if ((await query(`SELECT 1 AS found FROM ${table} = $1 LIMIT 1`, [id])).length > 0) return true;
  return false;
};

/** Uids of other contacts that differ from this one by upper and lower case only. */
export const similarContacts = async ({ query }: Database, workspace: string, uid: string): Promise<string[]> => {
  const found = new Set<string>();
  for (const [table, column] of [
    ["contacts", "unique_id"],
    ["events", "contact_uid"],
  ]) {
    const rows = await query<{ uid: string }>(
      `SELECT DISTINCT ${column} AS uid FROM ${table}
       WHERE workspace = $1 AND lower(${column}) = lower($2) AND ${column} <> $2 ORDER BY uid LIMIT ${MAX_NAMED}`,
      [workspace, encodeText(uid)],
    );
    for (const row of rows) found.add(decodeText(row.uid));
  }
  return [...found];
};
