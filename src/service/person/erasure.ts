import { decodeText, recordId } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { moveGeneration } from "../database/generation.js";
import { makeRecords } from "../ingest/missing-records.js";
import { hasContact } from "../records/contacts.js";
import { afterAllHaveEnded } from "../records/deletion/fence.js";
import { deleteLettersNaming } from "../records/deletion/letters.js";
import { deleteListed, type Which } from "../records/deletion/steps.js";
import { anonymiseEvents, newAnonym } from "./anonymise.js";
import { beginDeed, endDeed } from "./audit.js";
import { bury, createTombstones, marksIn } from "./tombstones.js";

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
export const isKnown = async (query: Query, workspace: string, uid: string): Promise<boolean> => {
  if (await hasContact(query, workspace, uid)) return true;
  const tombstones = createTombstones(query);
  await tombstones.load();
  const contact = { workspace, contactUid: uid };
  return (await tombstones.of([contact]))(contact) !== undefined;
};

/**
 * Erases a person: record, memberships, events, and dead letters that name it. First its tombstone is set, and the generation moves
 * with it: what begins to be stored from then on is left out where it had occurred before. When all that had begun has ended, what
 * is there is deleted. Whoever comes back meanwhile is a contact that has nothing but its new events.
 */
export const eraseContact = async (
  database: Database,
  { workspace, uid, token, anonymise }: Erasure,
): Promise<{ events: number; letters: number }> => {
  const { query, transaction } = database;
  const id = recordId("contact", uid, workspace);
  const at = Date.now();
  const line = await transaction(async (query) => {
    const marks = await marksIn(query, workspace, [uid]);
    await bury(query, { workspace, marks, at });
    await moveGeneration(query);
    const what = anonymise === undefined ? "erase" : "anonymise";
    return beginDeed(query, { workspace, token, what, subject: marks[0]! });
  });
  await afterAllHaveEnded(query);
  const kept = anonymise && newAnonym(anonymise);
  const which: Which = {
    condition: "contact_id = $1 AND (occurred_at IS NULL OR occurred_at < $2 OR received_at < $2)",
    values: [id, at],
  };
  const events = await (kept === undefined
    ? deleteListed(database, workspace, which)
    : anonymiseEvents(database, workspace, which, kept));
  await transaction(async (query) => {
    await query("DELETE FROM contacts WHERE id = $1", [id]);
    await query("DELETE FROM account_contacts WHERE contact_id = $1", [id]);
    await moveGeneration(query);
  });
  // Who has stored an event meanwhile may have believed that the old record was there.
  await afterAllHaveEnded(query);
  await makeRecordOfEvents(database, workspace, id);
  const letters = await deleteLettersNaming(database, workspace, uid);
  await endDeed(query, line, events);
  return { events, letters };
};

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
