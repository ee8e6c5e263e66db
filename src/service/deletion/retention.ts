import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, HOUR_MS, LONGEST_WAIT_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import { moveGeneration } from "../database/generation.js";
import { readClock, readState, writeState } from "../database/service-state.js";
import { tellError } from "../database/sql-state.js";
import type { Task } from "../database/tasks.js";
import { oldestTime } from "../days/counted-place.js";
import { clearPast, passDays } from "../days/forget.js";
import { deleteInSteps, type Which } from "./delete-in-steps.js";
import { forgetNoticesBefore, tellApart } from "./notices.js";

export interface Retention {
  days: number;
  workspaces(): readonly string[];
}

/** Time by which a run goes on from the oldest event, at most: what a wrong clock or a wrong number of days deletes is seen in time. */
const STEP_MS = 2 * DAY_MS;

/** Names in `service_state`: when a run ended well, and how many milliseconds it has left to the next ones. */
const [DONE, LEFT] = ["retention_done", "retention_left"] as const;

/**
 * The task that deletes events that are too old, and records that only they told of, every hour. Where more has become too old at once
 * than a run takes, the first one only says how much.
 */
export const keepFor = (log: FastifyBaseLogger, { days, workspaces }: Retention): Task => ({
  name: "retention",
  every: HOUR_MS,
  run: async (database) => {
    const { query } = database;
    const names = workspaces();
    const end = (await readClock(query)) - days * DAY_MS;
    const oldest = Math.min(end, ...(await Promise.all(names.map((name) => oldestTime(query, name)))));
    const before = Math.min(end, oldest + STEP_MS);
    const { [LEFT]: left = 0 } = await readState(query);
    if (before < end && left === 0) {
      log.warn(
        `events of ${Math.floor((end - oldest) / DAY_MS)} days are older than ${days} days (TRACKLET_RETENTION_DAYS): they are deleted from the next hour on, two days an hour`,
      );
    } else {
      let deleted = 0;
      for (const name of names) deleted += await deleteEventsBefore(database, name, before);
      await forgetTraces(query, before);
      const records = await deleteBareRecords(database, before, Math.floor(Date.now() / HOUR_MS));
      log.info(
        { deleted, records },
        `deleted ${deleted} events from before ${new Date(before).toISOString()}, and ${records} records that nothing else tells of`,
      );
    }
    await writeState(query, { [DONE]: end + days * DAY_MS, [LEFT]: end - before });
  },
  failed: (error) => log.error(`old events could not be deleted: ${tellError(error)}`),
});

/** By how much the oldest event of each workspace is older than it may be, in seconds. */
export const retentionBehind = async (query: Query, { days, workspaces }: Retention) => {
  const end = (await readClock(query)) - days * DAY_MS;
  return Promise.all(
    workspaces().map(async (workspace) => ({
      workspace,
      seconds: Math.max(0, end - (await oldestTime(query, workspace))) / 1_000,
    })),
  );
};

/** Hours without a run that ended well after which that is told. */
const SILENT_HOURS = 3;

/** What is wrong with retention; nothing where it goes on, however much it has to do. */
export const tellLate = async (query: Query, kept: Retention): Promise<string | undefined> => {
  const behind = Math.max(0, ...(await retentionBehind(query, kept)).map(({ seconds }) => seconds * 1_000));
  const { now, [DONE]: done } = await readState(query);
  const isRunning = done !== undefined && now - done < SILENT_HOURS * HOUR_MS;
  if (behind < DAY_MS || isRunning) return undefined;
  const last = done === undefined ? "it never ended well" : `it ended well last at ${new Date(done).toISOString()}`;
  return `retention is ${Math.floor(behind / DAY_MS)} days behind, ${last}: the log of the service says why`;
};

/**
 * Deletes the events of a workspace that were received before a time (epoch milliseconds); resolves to their number.
 *
 * @param stored those alone that were stored before another time
 */
export const deleteEventsBefore = async (
  database: Database,
  workspace: string,
  time: number,
  stored = Number.POSITIVE_INFINITY,
): Promise<number> => {
  const before = idAt(Math.min(time, stored));
  const old: Which = { condition: "workspace = $1 AND id < $2", values: [workspace, before] };
  const [first] = await database.query(`SELECT id FROM events WHERE ${old.condition} LIMIT 1`, old.values);
  // Before their events go: each day stands with its totals.
  if (stored >= time) await passDays(database, workspace, time);
  // Told first: they are settled, so who follows deletes the same ones, even where this process ends half-way.
  if (first !== undefined) await tellApart(database, workspace, { reason: "retention", before });
  // What was imported has a later id.
  const imported = "workspace = $1 AND origin_id IS NOT NULL AND received_at < $2 AND id < $3";
  const deleted =
    (await deleteInSteps(database, workspace, old)) +
    (await deleteInSteps(database, workspace, {
      condition: imported,
      values: [workspace, time, idAt(stored)],
      reason: "retention",
    }));
  await forgetNoticesBefore(database, workspace, before);
  if (stored >= time) await clearPast(database, workspace);
  return deleted;
};

/** Records that a step looks at, and rows that it deletes. */
const CHUNK = 5_000;
/** Parts of all ids. A run looks at one: so each record is looked at once a day, and no place needs to be kept. */
export const PARTS = 24;

/** The first and the last id of a part. Ids are digests, so parts are of one size. */
const boundsOf = (part: number): [string, string] => {
  const at = (number: number) => Math.floor((number * 2 ** 32) / PARTS);
  const hex = (start: number) => start.toString(16).padStart(8, "0");
  return [`${hex(at(part))}-0000-0000-0000-000000000000`, `${hex(at(part + 1) - 1)}-ffff-ffff-ffff-ffffffffffff`];
};

/** Nobody has said more of a record than its uid. */
export const BARE = "data = '{}' AND stage IS NULL AND health IS NULL";

/** Deletes those of some contacts that nothing else tells of any more; resolves to their number, and to the accounts that they were of. */
export const removeContacts = async (query: Query, { condition, values }: Which) => {
  const gone = await query<{ id: string }>(
    `DELETE FROM contacts WHERE ${condition} AND ${BARE} AND NOT archived
     AND NOT EXISTS (SELECT 1 FROM events WHERE contact_id = contacts.id) RETURNING id`,
    values,
  );
  const memberships = "DELETE FROM account_contacts WHERE contact_id = ANY($1::uuid[]) RETURNING account_id";
  const left = await query<{ account_id: string }>(memberships, [gone.map(({ id }) => id)]);
  return { gone: gone.length, accounts: [...new Set(left.map(({ account_id }) => account_id))] };
};

/** The same of accounts to which nobody belongs. In steps: an account may lie on another node than its memberships. */
export const removeAccounts = async (query: Query, { condition, values }: Which): Promise<{ gone: number }> => {
  const bare = await query<{ id: string }>(`SELECT id FROM accounts WHERE ${condition} AND ${BARE}`, values);
  const used = await query<{ id: string }>(
    "SELECT DISTINCT account_id AS id FROM account_contacts WHERE account_id = ANY($1::uuid[])",
    [bare.map(({ id }) => id)],
  );
  const unused = bare.map(({ id }) => id).filter((id) => !used.some((one) => one.id === id));
  await query("DELETE FROM accounts WHERE id = ANY($1::uuid[])", [unused]);
  return { gone: unused.length };
};

/**
 * Deletes records that only events told of, once these are gone: contacts with their memberships, and accounts to which nobody
 * belongs any more. An event that comes later makes its records anew. Resolves to their number.
 *
 * @param before epoch milliseconds, from when on a record is too young
 * @param turn which part of all ids is looked at
 */
export const deleteBareRecords = async (
  { transaction }: Pick<Database, "transaction">,
  before: number,
  turn: number,
): Promise<number> => {
  const [first, last] = boundsOf(turn % PARTS);
  let deleted = 0;
  for (const [table, remove] of [
    ["contacts", removeContacts],
    ["accounts", removeAccounts],
  ] as const)
    for (let from: string | undefined = first; from !== undefined; ) {
      const { gone, next } = await transaction(async (query): Promise<{ gone: number; next: string | undefined }> => {
        const page = `SELECT id FROM ${table} WHERE id >= $1 AND id <= $2 ORDER BY id LIMIT 1 OFFSET ${CHUNK}`;
        const next = (await query<{ id: string }>(page, [from, last]))[0]?.id;
        const values = [from, next ?? last, Math.floor(before / 1_000)];
        const { gone } = await remove(query, { condition: "id >= $1 AND id <= $2 AND created_at < $3", values });
        // Processes remember records that are gone now.
        if (gone > 0) await moveGeneration(query);
        return { gone, next };
      });
      deleted += gone;
      from = next;
    }
  return deleted;
};

/** Milliseconds for which a line of the audit log is kept at least. */
const AUDIT_MS = 3 * 366 * DAY_MS;

/**
 * Takes out what erasures and the like have left, where retention goes: tombstones once an event that they keep out would be deleted by its age, and
 * lines of the audit log after three years.
 *
 * @param before epoch milliseconds; what was received before is deleted
 */
export const forgetTraces = async (query: Query, before: number): Promise<void> => {
  await query("DELETE FROM tombstones WHERE erased_at < $1", [before - LONGEST_WAIT_MS]);
  await query("DELETE FROM audit WHERE at < $1", [Math.min(before, Date.now() - AUDIT_MS)]);
};
