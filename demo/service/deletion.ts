import type { Database, Query } from "./database.js";
import { idAt } from "./event-id.js";
import { decodeText, encodeText, recordId } from "./exact-text.js";

/** Events deleted in one transaction: a larger one would hold up those that are being stored. */
const CHUNK = 5_000;
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

/** Deletes a contact: its record, its memberships, and every event of it. Resolves to the number of events. */
export const deleteContact = async (database: Database, workspace: string, uid: string): Promise<number> => {
  const id = recordId("contact", uid, workspace);
  const events = await deleteInSteps(database, "contact_id = $1", [id]);
  await database.transaction(async (query) => {
    await query("DELETE FROM account_contacts WHERE contact_id = $1", [id]);
    await query("DELETE FROM contacts WHERE id = $1", [id]);
  });
  return events;
};

/** Deletes all that belongs to a workspace; resolves to the number of events, and of other records. */
export const deleteWorkspace = async (database: Database, workspace: string) => {
  const events = await deleteInSteps(database, "workspace = $1", [workspace]);
  let records = 0;
  await database.transaction(async (query) => {
    await query("DELETE FROM account_contacts WHERE account_id IN (SELECT id FROM accounts WHERE workspace = $1)", [
      workspace,
    ]);
    await query("DELETE FROM account_contacts WHERE contact_id IN (SELECT id FROM contacts WHERE workspace = $1)", [
      workspace,
    ]);
    records = 0;
    for (const table of ["accounts", "contacts", "users"])
      records += (await query(`DELETE FROM ${table} WHERE workspace = $1 RETURNING id`, [workspace])).length;
  });
  return { events, records };
};

/** Events in whose params a uid stands, as a whole text. */
const NAMING = "workspace = $1 AND strpos(params, $2) > 0";
const naming = (workspace: string, uid: string) => [workspace, JSON.stringify(uid)];

/** Counts the events whose params name a contact, whoever they belong to. */
export const countNaming = async ({ query }: Database, workspace: string, uid: string): Promise<number> => {
  const [row] = await query(`SELECT count(*) AS count FROM events WHERE ${NAMING}`, naming(workspace, uid));
  return Number(row!.count);
};

/** Deletes the events whose params name a contact; resolves to their number. */
export const deleteNaming = (database: Database, workspace: string, uid: string): Promise<number> =>
  deleteInSteps(database, NAMING, naming(workspace, uid));

/** Deletes the events of a workspace that were received before a time (epoch milliseconds); resolves to their number. */
export const deleteEventsBefore = (database: Database, workspace: string, time: number): Promise<number> =>
  deleteInSteps(database, "workspace = $1 AND id < $2", [workspace, idAt(time)]);

const deleteInSteps = async ({ query }: Database, condition: string, values: unknown[]): Promise<number> => {
  let after = idAt(0);
  for (let deleted = 0; ; ) {
    // By the range of ids, which any of these databases finds in the same index.
    const ids = await query<{ id: string }>(
      `SELECT id FROM events WHERE ${condition} AND id > $${values.length + 1} ORDER BY id LIMIT ${CHUNK}`,
      [...values, after],
    );
    if (ids.length === 0) return deleted;
    const last = ids.at(-1)!.id;
    await query(
      `DELETE FROM events WHERE ${condition} AND id > $${values.length + 1} AND id <= $${values.length + 2}`,
      [...values, after, last],
    );
    after = last;
    deleted += ids.length;
  }
};
