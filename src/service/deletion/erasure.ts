import { randomUUID } from "node:crypto";
import { decodeText, filledText, findMember, recordId } from "../base/exact-text.js";
import { viewOf, wholeParams } from "../base/params.js";
import type { Database, Query } from "../database/database.js";
import { newIds } from "../database/event-id.js";
import { moveGeneration } from "../database/generation.js";
import { readClock } from "../database/service-state.js";
import { isUnavailable } from "../database/sql-state.js";
import { subtract } from "../days/add-events.js";
import { noonOf } from "../days/calendar.js";
import { columnsIn, dayOf, type EventRow } from "../days/count-tables.js";
import { hold } from "../days/counted-place.js";
import { forgetContacts } from "../days/forget.js";
import { insertEvents, makeRecords, type NewEvent } from "../ingest/store/event-rows.js";
import { contactsThere } from "../records/account-and-contact.js";
import { placesOfArchives } from "../records/known-archives.js";
import { beginDeeds, endDeeds } from "./audit.js";
import { afterAllHaveEnded, deleteInSteps, inSteps, type Which } from "./delete-in-steps.js";
import { appendErasures, type Erasures, type Mark, requireKey } from "./erasure-files.js";
import { tellApart, tellDeleted } from "./notices.js";
import { bury, createTombstones, keepKey, keyIn, markOf, markOfUid } from "./tombstones.js";

interface Erasure {
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
interface Erased {
  events: number;
  /** Where archives are, out of which their next run takes what they have. */
  archives: string[];
}

/** Of which people there is anything, or was? An archive may have what is here no more. */
export const knownOf = async (query: Query, workspace: string, uids: readonly string[]): Promise<string[]> => {
  if ((await placesOfArchives(query, workspace)).length > 0) return [...uids];
  const there = new Set(await contactsThere(query, workspace, uids));
  const tombstones = createTombstones(query);
  await tombstones.load();
  const buried = await tombstones.of(uids.map((contactUid) => ({ workspace, contactUid })));
  return uids.filter((contactUid) => there.has(contactUid) || buried({ workspace, contactUid }) !== undefined);
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
  const at = await readClock(query);
  const marks = uids.map((uid) => markOfUid(key, workspace, uid));
  const lines = newIds(uids.length);
  const what = anonymise === undefined ? "erase" : "anonymise";
  await writeErasures(
    database,
    { key, marks: lines.map((id, index) => ({ id, workspace, mark: marks[index]!, erased_at: at })), tell },
    async (query) => {
      await bury(query, { workspace, marks, at });
      await moveGeneration(query);
      await beginDeeds(
        query,
        lines.map((id, index) => ({ id, workspace, at, token, what, subject: marks[index]! })),
      );
    },
  );
  await afterAllHaveEnded(query);
  const { counts, ...erased } = await clearContacts(database, { workspace, uids, at, anonymise });
  await endDeeds(query, lines, counts);
  return erased;
};

/**
 * Writes erasures into the file of the data folder, then into the database. What is not in the file is not in the database either; what
 * is known not to have come into the database is taken back in the file.
 */
const writeErasures = async (
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
const clearContacts = async (
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
  const marks = contacts.map((id) => markOf(key, id));
  await tellApart(database, workspace, { reason: "erasure", ids: [], marks, at });
  const found = await query<{ id: string; count: number }>(
    `SELECT contact_id AS id, count(*) AS count FROM events WHERE ${which.condition} GROUP BY contact_id`,
    which.values,
  );
  const counts = new Map(found.map(({ id, count }) => [id, count]));
  const events = await (anonymise === undefined
    ? deleteInSteps(database, workspace, { ...which, reason: "erasure" })
    : anonymiseEvents(database, workspace, which, { contactUid: `anonymous-${randomUUID()}`, params: anonymise }));
  await transaction(async (query) => {
    await query("DELETE FROM contacts WHERE id = ANY ($1::uuid[])", [contacts]);
    await query("DELETE FROM account_contacts WHERE contact_id = ANY ($1::uuid[])", [contacts]);
    await forgetContacts(query, workspace, contacts);
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

/** Of those who have come back, while processes still believed that the old records were there. */
const makeRecordsOfEvents = async ({ transaction }: Database, workspace: string, contacts: string[]): Promise<void> => {
  await transaction(async (query) => {
    const rows = await query<{ contact: string; account: string | null; receivedAt: number }>(
      `SELECT contact_uid AS contact, account_uid AS account, min(received_at) AS "receivedAt" FROM events
       WHERE contact_id = ANY ($1::uuid[]) GROUP BY contact_uid, account_uid`,
      [contacts],
    );
    const told = rows.map(({ contact, account, receivedAt }) => ({
      workspace,
      receivedAt,
      contactUid: decodeText(contact),
      accountUid: account === null ? undefined : decodeText(account),
    }));
    for (const { text, values } of makeRecords(told)) await query(text, values);
  });
};

const CHUNK = 500;

/** What is left of a person's events. */
interface Rest {
  /** Of the contact that stands for it: of chance, and the same for all of its events. */
  contactUid: string;
  params: readonly string[];
}

/**
 * Puts events under another contact, with name, day and some of the params alone, and deletes the old ones in the same
 * transactions: none is lost, none is there twice. Resolves to their number.
 */
const anonymiseEvents = (database: Database, workspace: string, which: Which, kept: Rest): Promise<number> =>
  inSteps(database, workspace, async (query, id, { most }) => {
    const chunk = Math.min(most, CHUNK);
    const held = await hold(query, workspace);
    const old = await query<EventRow & Record<string, unknown>>(
      `SELECT ${columnsIn(`$${which.values.length + 1}`)}, occurred_at, event_uid, params, stamp, source, number
       FROM events WHERE ${which.condition} ORDER BY id LIMIT ${chunk}`,
      [...which.values, held.zone],
    );
    if (old.length === 0) return { ids: [], isLast: true };
    const events = old.map((row) => anonymous(row, { workspace, noon: noonOf(dayOf(row), held.zone) }, kept));
    const statements = [...makeRecords(events), ...insertEvents(newIds(events.length), events)];
    for (const { text, values } of statements) await query(text, values);
    const ids = old.map((row) => String(row.id));
    const these = `${which.condition} AND id IN (SELECT unnest($${which.values.length + 1}::uuid[]))`;
    await query(`DELETE FROM events WHERE ${these}`, [...which.values, ids]);
    await subtract(query, held, old);
    await tellDeleted(query, workspace, { id, ids, reason: "erasure" });
    return { ids, isLast: old.length < chunk };
  });

const anonymous = (
  row: Record<string, unknown>,
  { workspace, noon }: { workspace: string; noon: number },
  { contactUid, params }: Rest,
): NewEvent => {
  const whole = wholeParams(row);
  const members = params.flatMap((name) => {
    const member = findMember(whole, name);
    return member === undefined ? [] : [`${JSON.stringify(name)}:${member.text}`];
  });
  const text = `{${members.join(",")}}`;
  const kept = JSON.parse(text);
  const eventUid = decodeText(String(row.event_uid));
  return {
    workspace,
    contactUid,
    accountUid: filledText(kept.account_uid),
    eventUid,
    params: text,
    stamp: undefined,
    ...viewOf(eventUid, kept),
    receivedAt: noon,
    occurredAt: undefined,
    // Its id says nothing of its time.
    originId: randomUUID(),
  };
};

/**
 * Erases again whoever of the contacts of a database is among erasures; resolves to their number. Services may run.
 *
 * @param isAlone is nobody else connected? Then it may run in one transaction. Default `false`
 */
export const eraseAgain = async (
  database: Database,
  { key: given, marks }: Erasures,
  isAlone = false,
): Promise<number> => {
  const { query, folder } = database;
  const key = given ?? (await keyIn(query));
  requireKey(key, marks);
  await keepKey(query, key);
  const times = new Map<string, Mark>();
  for (const one of marks) if (one.erased_at >= (times.get(one.mark)?.erased_at ?? 0)) times.set(one.mark, one);
  for (const { workspace, mark, erased_at } of times.values())
    await bury(query, { workspace, marks: [mark], at: erased_at });
  // Whoever has come back since an erasure that had ended before the dump stays.
  const ended = await query<{ id: string }>("SELECT id FROM audit WHERE events IS NOT NULL AND what <> 'read'");
  const done = new Set(ended.map(({ id }) => id));
  // So that `erasures` tells of them here, too.
  await beginDeeds(
    query,
    marks.map(({ mark, erased_at, ...of }) => ({
      ...of,
      subject: mark,
      at: erased_at,
      token: "restore",
      what: "erase",
    })),
  );
  await moveGeneration(query);
  if (!isAlone) await afterAllHaveEnded(query);
  if (folder !== undefined) await appendErasures(folder, key, marks);
  const contacts = await query<{ id: string; workspace: string; uid: string }>(
    `SELECT id, workspace, unique_id AS uid FROM contacts
     UNION SELECT contact_id, workspace, contact_uid FROM events`,
  );
  let erased = 0;
  for (const { id, workspace, uid } of contacts) {
    const found = times.get(markOf(key, id));
    if (found === undefined || done.has(found.id)) continue;
    await clearContacts(database, { workspace, uids: [decodeText(uid)], at: found.erased_at, isAlone });
    erased += 1;
  }
  return erased;
};
