import { NIL } from "uuid";
import { decodeText, encodeText, recordId } from "../base/exact-text.js";
import { countIn, type Database, type Query } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import { moveGeneration } from "../database/generation.js";
import { ofName } from "../records/read-rows.js";
import { afterAllHaveEnded, CHUNK, deleteInSteps, type Which } from "./delete-in-steps.js";
import { BARE, removeAccounts, removeContacts } from "./retention.js";

/** Of a name, received in a time, or in whose params a uid stands as a whole text; all of them where nothing is said. */
export interface Chosen {
  naming?: string;
  name?: string | undefined;
  /** Epoch milliseconds. */
  since?: number | undefined;
  /** Epoch milliseconds. */
  until?: number | undefined;
}

const chosen = (workspace: string, { name, since, until, naming }: Chosen): Which => {
  const values: unknown[] = [workspace];
  const bound = (value: unknown, condition: (value: string) => string) =>
    value === undefined ? "" : ` AND ${condition(`$${values.push(value)}`)}`;
  const called = bound(name && encodeText(name), ofName);
  const times = bound(since, (at) => `received_at >= ${at}`) + bound(until, (at) => `received_at < ${at}`);
  const named = bound(naming && JSON.stringify(naming), (at) => `strpos(params, ${at}) > 0`);
  return { condition: `workspace = $1${called}${times}${named}`, values };
};

export const countEvents = ({ query }: Pick<Database, "query">, workspace: string, which: Chosen): Promise<number> => {
  const { condition, values } = chosen(workspace, which);
  return countIn(query, `events WHERE ${condition}`, values);
};

export const deleteEvents = (database: Database, workspace: string, which: Chosen): Promise<number> =>
  deleteInSteps(database, workspace, { ...chosen(workspace, which), reason: "name" });

/** A contact that was seen in a span for the first time, and by nothing but events of that span. */
interface Newcomer {
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
  const rows = await query<Newcomer>(
    `WITH seen AS (
       SELECT contact_id, min(contact_uid) AS uid, count(*) AS events FROM events WHERE workspace = $1 AND id >= $2 AND id < $3
       GROUP BY contact_id HAVING bool_and(proven IS NOT TRUE AND origin_id IS NULL)
     ) SELECT contact_id::text AS id, uid, events FROM seen
     WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.contact_id = seen.contact_id AND (id < $2 OR id >= $3))
       AND NOT EXISTS (SELECT 1 FROM contacts WHERE contacts.id = seen.contact_id AND NOT (${BARE} AND NOT archived AND created_at >= $4))
     ORDER BY events DESC, uid`,
    [workspace, idAt(since), idAt(until), Math.floor(since / 1_000)],
  );
  return rows.map((row) => ({ ...row, uid: decodeText(row.uid) }));
};

const CONTACTS = 500;

/** Deletes such contacts, with their events and the accounts that nobody else belongs to. Resolves to the number of events. */
export const deleteNewcomers = async (
  database: Database,
  workspace: string,
  { newcomers, since, until }: Span & { newcomers: readonly Newcomer[] },
): Promise<number> => {
  let events = 0;
  for (let from = 0; from < newcomers.length; from += CONTACTS) {
    const ids = newcomers.slice(from, from + CONTACTS).map(({ id }) => id);
    const condition = "workspace = $1 AND contact_id = ANY($2::uuid[]) AND id >= $3 AND id < $4";
    const values = [workspace, ids, idAt(since), idAt(until)];
    events += await deleteInSteps(database, workspace, { condition, values, reason: "name" });
    await database.transaction((query) => deleteRecords(query, ids, Math.floor(since / 1_000)));
  }
  return events;
};

const deleteRecords = async (query: Query, ids: readonly string[], since: number): Promise<void> => {
  const condition = "id = ANY($1::uuid[]) AND created_at >= $2";
  const { accounts } = await removeContacts(query, { condition, values: [ids, since] });
  await removeAccounts(query, { condition, values: [accounts, since] });
  // Processes remember records that are gone now.
  await moveGeneration(query);
};

/** Deletes the record of an account and its memberships; resolves to whether there was any. Its events stay, and stay its own. */
export const deleteAccount = async (
  { transaction, query }: Database,
  workspace: string,
  uid: string,
): Promise<boolean> => {
  const id = recordId("account", uid, workspace);
  const own = { workspace, uid: encodeText(uid) };
  const membersBy = async (ask: Query, statement: string) => (await ask(statement, [id])).map((row) => row.contact_id);
  await unlist(query, own, await membersBy(query, "SELECT contact_id FROM account_contacts WHERE account_id = $1"));
  const deleted = await transaction(async (query) => {
    const gone = await query("DELETE FROM accounts WHERE id = $1 RETURNING id", [id]);
    const members = await membersBy(query, "DELETE FROM account_contacts WHERE account_id = $1 RETURNING contact_id");
    await moveGeneration(query);
    return { members, isGone: gone.length + members.length > 0 };
  });
  // What was being stored believed in the memberships.
  await afterAllHaveEnded(query);
  await unlist(query, own, deleted.members);
  return deleted.isGone;
};

/** Marks the events of an account whose contacts are no members of it any more: they are found by that, see `boundsOf`. */
const unlist = async (query: Query, { workspace, uid }: { workspace: string; uid: string }, members: unknown[]) => {
  for (const member of members)
    for (let [after, isLast]: [string, boolean] = [NIL, false]; !isLast; ) {
      const marked = await query<{ id: string }>(
        `UPDATE events SET unlisted = true WHERE contact_id = $1 AND id IN (
           SELECT id FROM events
           WHERE contact_id = $1 AND workspace = $2 AND account_uid = $3 AND unlisted IS NULL AND id > $4 ORDER BY id LIMIT ${CHUNK})
         RETURNING id`,
        [member, workspace, uid, after],
      );
      // Behind it, for what the step before has marked would be read again.
      after =
        marked
          .map(({ id }) => id)
          .sort()
          .at(-1) ?? after;
      isLast = marked.length < CHUNK;
    }
};

export const deleteUser = async ({ query }: Database, workspace: string, email: string): Promise<boolean> =>
  (await query("DELETE FROM users WHERE workspace = $1 AND email = $2 RETURNING id", [workspace, email])).length > 0;
