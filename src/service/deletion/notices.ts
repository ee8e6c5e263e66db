import type { Database, Query } from "../database/database.js";
import { continueIds, transactInTime } from "../database/event-id.js";
import { neededByArchives } from "../records/known-archives.js";

/*
 * A deletion is a row of its own for who follows, with an id like an event's: it is settled in its turn.
 */

/** Why events were deleted: on request of whom they are of, because somebody named them, or by their age. */
export type Reason = "erasure" | "name" | "retention";

/** What is deleted: these events; all events in front of an id; all of these contacts that had occurred before a time, also where it is kept longer. */
interface Notice {
  id: string;
  reason: Reason;
  ids?: readonly string[];
  before?: string;
  marks?: readonly string[];
  at?: number;
}

/** Tells who follows, in the transaction that deletes. */
export const tellDeleted = async (
  query: Query,
  workspace: string,
  { id, reason, ids, before, marks, at }: Notice,
): Promise<void> => {
  await query(
    "INSERT INTO deletions (workspace, id, reason, ids, before, marks, erased_at) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    [workspace, id, reason, ids, before, marks, at],
  );
};

/** The same in a transaction of its own. */
export const tellApart = (database: Database, workspace: string, notice: Omit<Notice, "id">): Promise<void> =>
  withNoticeId(database, workspace, (query, id) => tellDeleted(query, workspace, { ...notice, id }));

/**
 * Takes out what says no more than that all events in front of an id are deleted: that those in front of a lower one are, and what names
 * events that were stored before it. An archive keeps these events: what it has not read yet of others than retention stays.
 */
export const forgetNoticesBefore = async ({ query }: Database, workspace: string, before: string): Promise<void> => {
  const [told] = await query("SELECT 1 AS found FROM deletions WHERE workspace = $1 AND before >= $2 LIMIT 1", [
    workspace,
    before,
  ]);
  if (told === undefined) return;
  await query(
    `DELETE FROM deletions
     WHERE workspace = $1 AND (before < $2 OR id < $2) AND (reason = 'retention' OR $3::uuid IS NULL OR id < $3)`,
    [workspace, before, (await neededByArchives(query, workspace)) ?? null],
  );
};

/** Runs `work` in one transaction, with the id that a notice has in it. */
export const withNoticeId = async <T>(
  database: Database,
  workspace: string,
  work: (query: Query, id: string) => Promise<T>,
): Promise<T> => {
  await continueIds(database.query, workspace);
  return transactInTime(database, work);
};
