import { decodeText, recordId } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { afterAllHaveRead, moveGeneration } from "../database/generation.js";
import { BOUNDS, type Bounds } from "../database/transaction-time.js";
import { makeRecords } from "../ingest/missing-records.js";
import { hasContact } from "../records/contacts.js";
import { deleteLettersNaming } from "../records/deletion/letters.js";
import { deleteListed, type Which } from "../records/deletion/steps.js";
import { anonymiseEvents, newAnonym } from "./anonymise.js";
import { beginDeed, endDeed } from "./audit.js";
import { bury, hasTombstone } from "./tombstones.js";

export interface OfPerson {
  workspace: string;
  uid: string;
  /** Who asks for it, by the name of a token. */
  token: string;
}

export interface Erasure extends OfPerson {
  /** Members of the params that are kept under a contact of chance; nothing is where this is absent. */
  anonymise?: readonly string[] | undefined;
}

/** Is there anything of a person, or was there? */
export const isKnown = async (query: Query, workspace: string, uid: string): Promise<boolean> =>
  (await hasContact(query, workspace, uid)) || (await hasTombstone(query, workspace, uid));

/**
 * Erases a person: record, memberships, events, and dead letters that name it. Resolves to the numbers once no process can store
 * any more what had occurred before. Whoever comes back meanwhile is a contact that has nothing but its new events.
 */
export const eraseContact = async (
  database: Database,
  { workspace, uid, token, anonymise }: Erasure,
  bounds: Bounds = BOUNDS,
): Promise<{ events: number; letters: number }> => {
  const id = recordId("contact", uid, workspace);
  const at = Date.now();
  const line = await database.transaction(async (query) => {
    const subject = await bury(query, { workspace, uid, at });
    await moveGeneration(query);
    return beginDeed(query, { workspace, token, what: anonymise === undefined ? "erase" : "anonymise", subject });
  });
  const kept = anonymise && newAnonym(anonymise);
  const clear = (which: Which) =>
    kept === undefined ? deleteListed(database, workspace, which) : anonymiseEvents(database, workspace, which, kept);
  let events = await clear({ condition: "contact_id = $1", values: [id] });
  await forget(database, id, "");
  do {
    await afterAllHaveRead(database.query, bounds);
    events += await clear({ condition: "contact_id = $1 AND coalesce(occurred_at, 0) < $2", values: [id, at] });
    // One that such an event has made anew.
  } while (await forget(database, id, NO_EVENTS));
  await makeRecordOfEvents(database, workspace, id);
  const letters = await deleteLettersNaming(database, workspace, uid);
  await endDeed(database.query, line, events);
  return { events, letters };
};

const NO_EVENTS = " AND NOT EXISTS (SELECT 1 FROM events WHERE contact_id = $1)";

/** Deletes a contact's record and memberships; resolves to whether there were any. */
const forget = ({ transaction }: Database, id: string, condition: string): Promise<boolean> =>
  transaction(async (query) => {
    let deleted = 0;
    for (const [table, key] of [
      ["contacts", "id"],
      ["account_contacts", "contact_id"],
    ])
      deleted += (await query(`DELETE FROM ${table} WHERE ${key} = $1${condition} RETURNING 1 AS gone`, [id])).length;
    if (deleted > 0) await moveGeneration(query);
    return deleted > 0;
  });

/** Of whoever has come back, while processes still believed that the old record was there. */
const makeRecordOfEvents = async ({ transaction }: Database, workspace: string, id: string): Promise<void> => {
  await transaction(async (query) => {
    const rows = await query<Record<string, unknown>>(
      "SELECT contact_uid, account_uid, min(received_at) AS received_at FROM events WHERE contact_id = $1 GROUP BY contact_uid, account_uid",
      [id],
    );
    const told = rows.map(({ contact_uid, account_uid, received_at }) => ({
      workspace,
      contactUid: decodeText(String(contact_uid)),
      accountUid: account_uid === null ? undefined : decodeText(String(account_uid)),
      receivedAt: Number(received_at),
    }));
    for (const { text, values } of makeRecords(told)) await query(text, values);
  });
};
