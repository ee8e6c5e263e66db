import type { Database } from "./database.js";
import { idAt } from "./event-id.js";
import { recordId } from "./exact-text.js";

/** Events deleted in one transaction: a larger one would hold up those that are being stored. */
const CHUNK = 5_000;

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

/** Deletes the events of a workspace that were received before a time (epoch milliseconds); resolves to their number. */
export const deleteEventsBefore = (database: Database, workspace: string, time: number): Promise<number> =>
  deleteInSteps(database, "workspace = $1 AND id < $2", [workspace, idAt(time)]);

const deleteInSteps = async (database: Database, condition: string, values: unknown[]): Promise<number> => {
  for (let deleted = 0; ; ) {
    const ids = await database.query<{ id: string }>(
      `SELECT id FROM events WHERE ${condition} ORDER BY id LIMIT ${CHUNK}`,
      values,
    );
    if (ids.length === 0) return deleted;
    // By the range up to the last of them, which any of these databases finds in the same index.
    await database.query(`DELETE FROM events WHERE ${condition} AND id <= $${values.length + 1}`, [
      ...values,
      ids.at(-1)!.id,
    ]);
    deleted += ids.length;
  }
};
