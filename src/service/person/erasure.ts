import { decodeText, recordId } from "../base/exact-text.js";
import type { Database, Query } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { moveGeneration } from "../database/generation.js";
import { isUnavailable } from "../database/sql-state.js";
import { makeRecords } from "../ingest/store/make-records.js";
import { placesOfArchives } from "../records/archives.js";
import { hasContact } from "../records/contacts.js";
import { afterAllHaveEnded } from "../records/deletion/fence.js";
import { tellErased } from "../records/deletion/notices.js";
import { deleteListed, type Which } from "../records/deletion/steps.js";
import { anonymiseEvents, newAnonym } from "./anonymise.js";
import { beginDeeds, endDeeds } from "./audit.js";
import { appendErasures, type Mark } from "./erasure-files.js";
import { bury, createTombstones, keyIn, markOf, markOfUid } from "./tombstones.js";

export interface Erasure {
  workspace: string;
  /** Of the contacts: some hundreds at most. */
  uids: readonly string[];
  /** Who asks for it, by the name of a token. */
  token: string;
  /** Members of the params that are kept under a contact of chance, one for all of them; nothing is where this is absent. */
  anonymise?: readonly string[] | undefined;
  /** Hears where it is not known whether they were erased. */
  tell?(text: string): void;
}

/** What was deleted, or put under another contact. */
export interface Erased {
  events: number;
  /** Where archives are, out of which their next run takes what they have. */
  archives: string[];
}

/** Is there anything of a person, or was there? An archive may have what is here no more. */
export const isKnown = async (query: Query, workspace: string, uid: string): Promise<boolean> => {
  if (await hasContact(query, workspace, uid)) return true;
  if ((await placesOfArchives(query, workspace)).length > 0) return true;
  const tombstones = createTombstones(query);
  await tombstones.load();
  const contact = { workspace, contactUid: uid };
  return (await tombstones.of([contact]))(contact) !== undefined;
};

/**
 * Erases people: records, memberships, and events. First the tombstones are set, and the generation moves
 * with them: what begins to be stored from then on is left out where it had occurred before. When all that had begun has ended, what
 * is there is deleted. Whoever comes back meanwhile is a contact that has nothing but its new events.
 */
export const eraseContacts = async (
  database: Database,
  { workspace, uids, token, anonymise, tell }: Erasure,
): Promise<Erased> => {
  const { query } = database;
  const key = await keyIn(query);
  const at = await databaseTime(query);
  const marks = uids.map((uid) => markOfUid(key, workspace, uid));
  const lines = newIds(uids.length);
  const what = anonymise === undefined ? "erase" : "anonymise";
  await told(
    database,
    { key, marks: lines.map((id, index) => ({ id, workspace, mark: marks[index]!, erased_at: at })), tell },
    async (query) => {
      await bury(query, { workspace, marks, at });
      await moveGeneration(query);
      await beginDeeds(query, { workspace, token, what, at }, { ids: lines, subjects: marks });
    },
  );
  await afterAllHaveEnded(query);
  const { counts, ...erased } = await clearContacts(database, { workspace, uids, at, anonymise });
  await endDeeds(query, lines, counts);
  return erased;
};

/** The time of an erasure: that of the machine that asks may be another one. */
const databaseTime = async (query: Query): Promise<number> =>
  Number((await query("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now"))[0]!.now);

/**
 * Writes erasures into the file of the data folder, then into the database. What is not in the file is not in the database either; what
 * is known not to have come into the database is taken back in the file.
 */
const told = async (
  { transaction, folder }: Database,
  { key, marks, tell }: { key: string; marks: readonly Mark[]; tell: Erasure["tell"] },
  work: (query: Query) => Promise<void>,
): Promise<void> => {
  const append = async (marks: readonly Mark[]) => {
    if (folder !== undefined) await appendErasures(folder, key, marks);
  };
  await append(marks);
  let isWorked = false;
  await transaction(async (query) => {
    isWorked = false;
    await work(query);
    isWorked = true;
  }).catch(async (error) => {
    const stands = () =>
      tell?.(`it is not known whether ${marks.length} contacts were erased: repeat it; the list of erasures has them`);
    // What failed before its commit is rolled back, wherever the connection has gone.
    if (isWorked && isUnavailable(error)) stands();
    else await append(marks.map((mark) => ({ ...mark, erased_at: 0 }))).catch(stands);
    throw error;
  });
};

/**
 * Deletes what is there of people that had occurred before a time, when nothing of before it can be stored any more.
 *
 * @param isAlone is nobody else connected? Then it may run in one transaction. Default `false`
 */
export const clearContacts = async (
  database: Database,
  { workspace, uids, at, anonymise, isAlone = false }: Omit<Erasure, "token"> & { at: number; isAlone?: boolean },
): Promise<Erased & { counts: number[] }> => {
  const { query, transaction } = database;
  const contacts = uids.map((uid) => recordId("contact", uid, workspace));
  const which: Which = {
    condition: "contact_id = ANY ($1::uuid[]) AND (occurred_at IS NULL OR occurred_at < $2 OR received_at < $2)",
    values: [contacts, at],
  };
  const key = await keyIn(query);
  await tellErased(database, workspace, { marks: contacts.map((id) => markOf(key, id)), at });
  const counts = await countOf(query, which);
  const events = await (anonymise === undefined
    ? deleteListed(database, workspace, { ...which, reason: "erasure" })
    : anonymiseEvents(database, workspace, which, newAnonym(anonymise)));
  await transaction(async (query) => {
    await query("DELETE FROM contacts WHERE id = ANY ($1::uuid[])", [contacts]);
    await query("DELETE FROM account_contacts WHERE contact_id = ANY ($1::uuid[])", [contacts]);
    await query("DELETE FROM left_out WHERE id = ANY ($1::uuid[])", [contacts]);
    await moveGeneration(query);
  });
  // Who has stored an event meanwhile may have believed that the old record was there.
  if (!isAlone) await afterAllHaveEnded(query);
  await makeRecordsOfEvents(database, workspace, contacts);
  // Not waited for. What fails here, the database does by itself later.
  database.tidy?.().catch(() => {});
  const archives = await placesOfArchives(query, workspace);
  return { events, archives, counts: contacts.map((id) => counts.get(id) ?? 0) };
};

/** How many events each contact has. */
const countOf = async (query: Query, { condition, values }: Which): Promise<Map<string, number>> => {
  const rows = await query<Record<string, unknown>>(
    `SELECT contact_id, count(*) AS count FROM events WHERE ${condition} GROUP BY contact_id`,
    values,
  );
  return new Map(rows.map(({ contact_id, count }) => [String(contact_id), Number(count)]));
};

/** Of those who have come back, while processes still believed that the old records were there. */
const makeRecordsOfEvents = async ({ transaction }: Database, workspace: string, contacts: string[]): Promise<void> => {
  await transaction(async (query) => {
    const rows = await query<Record<string, unknown>>(
      `SELECT contact_uid, account_uid, min(received_at) AS received_at FROM events
       WHERE contact_id = ANY ($1::uuid[]) GROUP BY contact_uid, account_uid`,
      [contacts],
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
