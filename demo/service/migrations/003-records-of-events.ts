import type { Query } from "../database.js";
import { decodeText } from "../exact-text.js";
import { makeRecords } from "../missing-records.js";

/**
 * Makes the records that events tell of, and which the versions before did not make, and forgets times that cannot be:
 * before 2000, or more than a day ahead. What was sent stays in the params.
 */
export const up = async (query: Query): Promise<void> => {
  for (const statement of BEFORE) await query(statement);
  for (let after = ""; ; ) {
    const contacts = await query<{ contact_id: string }>(
      "SELECT DISTINCT contact_id FROM events WHERE contact_id > $1 ORDER BY contact_id LIMIT $2",
      [after, CHUNK],
    );
    if (contacts.length === 0) return;
    const last = contacts.at(-1)!.contact_id;
    const rows = await query<Record<string, string | null>>(
      `SELECT workspace, contact_uid, account_uid, min(received_at) AS received_at FROM events
       WHERE contact_id > $1 AND contact_id <= $2
       GROUP BY workspace, contact_uid, account_uid ORDER BY min(received_at)`,
      [after, last],
    );
    const told = rows.map((row) => ({
      workspace: row.workspace!,
      contactUid: decodeText(row.contact_uid!),
      accountUid: row.account_uid === null ? undefined : decodeText(row.account_uid!),
      receivedAt: Number(row.received_at),
    }));
    for (const { text, values } of makeRecords(told)) await query(text, values);
    after = last;
  }
};

/** Contacts at a time. */
const CHUNK = 500;

const BEFORE = [
  // An account that only its events tell of is in no stage and has no metrics yet.
  "ALTER TABLE accounts ALTER COLUMN stage DROP NOT NULL",
  "ALTER TABLE accounts ALTER COLUMN health DROP NOT NULL",
  "UPDATE events SET occurred_at = NULL WHERE occurred_at < 946684800000 OR occurred_at > received_at + 86400000",
];
