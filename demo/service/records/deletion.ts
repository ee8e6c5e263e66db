import type { Database, Query } from "../database/database.js";
import { continueIds, idAt } from "../database/event-id.js";
import { decodeText, encodeText, parseJson, recordId } from "../database/exact-text.js";
import { afterAllHaveRead } from "../database/generation.js";
import { type Bounds, transactInTime } from "../database/transaction-time.js";
import { removeWorkspace } from "../http/token-store.js";
import { markStale, SUMS } from "../numbers/stale.js";
import { type Exported, exportRows } from "./stored.js";

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

/**
 * Deletes a workspace with all that belongs to it; resolves to the number of events, and of other records. Nobody follows
 * it any more. What running processes store until they have read that is deleted, too.
 */
export const deleteWorkspace = async (database: Database, workspace: string, bounds?: Bounds) => {
  await database.transaction((query) => removeWorkspace(query, workspace));
  const first = await deleteAll(database, workspace);
  await afterAllHaveRead(database.query, bounds);
  // A membership that was written while its records were being deleted is known by its event alone.
  await database.query(
    "DELETE FROM account_contacts WHERE contact_id IN (SELECT contact_id FROM events WHERE workspace = $1)",
    [workspace],
  );
  const between = await deleteAll(database, workspace);
  return { events: first.events + between.events, records: first.records + between.records };
};

const deleteAll = async (database: Database, workspace: string) => {
  const events = await deleteInSteps(database, workspace, { condition: "workspace = $1", values: [workspace] });
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
    for (const table of ["deletions", "dead_letters", "tombstones", "sums_followed", ...SUMS])
      await query(`DELETE FROM ${table} WHERE workspace = $1`, [workspace]);
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
  deleteListed(database, workspace, { condition: NAMING, values: naming(workspace, uid) });

/**
 * Deletes the dead letters in which a uid stands, and those of which not all can be searched: what is too large, or no text;
 * resolves to their number.
 */
export const deleteLettersNaming = async ({ query }: Database, workspace: string, uid: string): Promise<number> => {
  let deleted = 0;
  for await (const letter of exportRows(query, { table: "dead_letters", workspace })) {
    if (letter.status !== 413 && letter.body !== "" && !names(letter, uid)) continue;
    await query("DELETE FROM dead_letters WHERE id = $1", [letter.id]);
    deleted += 1;
  }
  return deleted;
};

/** The dead letters in which a uid stands. */
export async function* lettersNaming(query: Query, workspace: string, uid: string): AsyncGenerator<Exported> {
  for await (const letter of exportRows(query, { table: "dead_letters", workspace }))
    if (names(letter, uid)) yield letter;
}

const names = ({ body }: Exported, uid: string): boolean =>
  readings(String(body)).some((reading) => reading.includes(uid));

/** A text as it is, and without the escapes of JSON and of forms. */
const readings = (text: string): string[] => [
  text,
  text.replace(/\\(u[0-9a-f]{4}|.)/gis, (escaped) => String(parseJson(`"${escaped}"`) ?? escaped)),
  text
    .replaceAll("+", " ")
    .replace(/(%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8")),
];

/** Deletes the events of a workspace that were received before a time (epoch milliseconds); resolves to their number. */
export const deleteEventsBefore = async (database: Database, workspace: string, time: number): Promise<number> => {
  const before = idAt(time);
  const old: Which = { condition: "workspace = $1 AND id < $2", values: [workspace, before] };
  const [first] = await database.query(`SELECT id FROM events WHERE ${old.condition} LIMIT 1`, old.values);
  // Told first: they are settled, so who follows deletes the same ones, even where this process ends half-way.
  if (first !== undefined)
    await record(database, workspace, (query, id) =>
      query("INSERT INTO deletions (workspace, id, before) VALUES ($1, $2, $3)", [workspace, id, before]),
    );
  // What was imported has a later id.
  const imported = "workspace = $1 AND origin_id IS NOT NULL AND received_at < $2";
  return (
    (await deleteInSteps(database, workspace, old)) +
    (await deleteListed(database, workspace, { condition: imported, values: [workspace, time] }))
  );
};

/** Of a name, received in a time; all of them where nothing is said. */
export interface Chosen {
  name?: string | undefined;
  /** Epoch milliseconds. */
  since?: number | undefined;
  /** Epoch milliseconds. */
  until?: number | undefined;
}

const chosen = (workspace: string, { name, since, until }: Chosen): Which => {
  const values: unknown[] = [workspace];
  const bound = (value: unknown, condition: (value: string) => string) =>
    value === undefined ? "" : ` AND ${condition(`$${values.push(value)}`)}`;
  const ofName = bound(name && encodeText(name), (at) => `event_uid = ${at} AND left(event_uid, 64) = left(${at}, 64)`);
  const times = bound(since, (at) => `received_at >= ${at}`) + bound(until, (at) => `received_at < ${at}`);
  return { condition: `workspace = $1${ofName}${times}`, values };
};

/** Counts events of a workspace. */
export const countEvents = async (query: Query, workspace: string, which: Chosen): Promise<number> => {
  const { condition, values } = chosen(workspace, which);
  const [row] = await query(`SELECT count(*) AS count FROM events WHERE ${condition}`, values);
  return Number(row!.count);
};

/** Deletes events of a workspace; resolves to their number. */
export const deleteEvents = (database: Database, workspace: string, which: Chosen): Promise<number> =>
  deleteListed(database, workspace, chosen(workspace, which));

/** Which events; the values are those of the condition. */
export interface Which {
  condition: string;
  values: unknown[];
}

/** What one step has deleted, and whether there was more. */
export interface Step {
  ids: string[];
  isLast: boolean;
}

const step = async (query: Query, workspace: string, { condition, values }: Which): Promise<Step> => {
  const ids = await query<{ id: string }>(
    `SELECT id FROM events WHERE ${condition} ORDER BY id LIMIT ${CHUNK}`,
    values,
  );
  if (ids.length === 0) return { ids: [], isLast: true };
  // By the range of ids, which is found in the same index.
  const range = `id >= $${values.length + 1} AND id <= $${values.length + 2}`;
  const deleted = await query<{ id: string; received_at: unknown }>(
    `DELETE FROM events WHERE ${condition} AND ${range} RETURNING id, received_at`,
    [...values, ids[0]!.id, ids.at(-1)!.id],
  );
  const times = deleted.map(({ received_at }) => Number(received_at));
  await markStale(query, workspace, times);
  return { ids: deleted.map(({ id }) => id), isLast: ids.length < CHUNK };
};

/** Not until nothing is found: what is stored all the time would be deleted for ever. */
const repeat = async (once: () => Promise<Step>): Promise<number> => {
  for (let deleted = 0; ; ) {
    const { ids, isLast } = await once();
    deleted += ids.length;
    if (isLast) return deleted;
  }
};

const deleteInSteps = (database: Database, workspace: string, which: Which): Promise<number> =>
  repeat(() => database.transaction((query) => step(query, workspace, which)));

/** The same, with a row for who follows that names what the step has deleted: no uid outlives the contact there. */
export const deleteListed = (database: Database, workspace: string, which: Which): Promise<number> =>
  inSteps(database, workspace, async (query, id) => {
    const done = await step(query, workspace, which);
    if (done.ids.length > 0) await tellDeleted(query, workspace, { id, ids: done.ids });
    return done;
  });

/** Tells who follows of events that a step has deleted. @param told its own id, and those of the events */
export const tellDeleted = async (
  query: Query,
  workspace: string,
  { id, ids }: { id: string; ids: string[] },
): Promise<void> => {
  await query("INSERT INTO deletions (workspace, id, ids) VALUES ($1, $2, $3)", [workspace, id, ids]);
};

/** Steps in a transaction each, whose id is that of a row for who follows. Resolves to the number of events. */
export const inSteps = (
  database: Database,
  workspace: string,
  once: (query: Query, id: string) => Promise<Step>,
): Promise<number> => repeat(() => record(database, workspace, once));

const record = async <T>(
  database: Database,
  workspace: string,
  work: (query: Query, id: string) => Promise<T>,
): Promise<T> => {
  await continueIds(database.query, workspace);
  return transactInTime(database, work);
};
