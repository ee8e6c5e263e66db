import type { Database, Query } from "../../database/database.js";
import { continueIds } from "../../database/event-id.js";
import { transactInTime } from "../../database/transaction-time.js";

/*
 * A deletion is a row of its own for who follows, with an id like an event's: it is settled in its turn.
 */

/** Tells who follows, in the transaction that deletes, of events that a step has deleted. @param told its own id, and those of the events */
export const tellDeleted = async (
  query: Query,
  workspace: string,
  { id, ids }: { id: string; ids: string[] },
): Promise<void> => {
  await query("INSERT INTO deletions (workspace, id, ids) VALUES ($1, $2, $3)", [workspace, id, ids]);
};

/** Tells who follows that all events of a workspace in front of an id are deleted. */
export const tellDeletedBefore = (database: Database, workspace: string, before: string): Promise<void> =>
  withNoticeId(database, workspace, async (query, id) => {
    await query("INSERT INTO deletions (workspace, id, before) VALUES ($1, $2, $3)", [workspace, id, before]);
  });

/**
 * Takes out what says no more than that all events in front of an id are deleted: that those in front of a lower one are, and what names
 * events that were stored before it.
 */
export const forgetNoticesBefore = async ({ query }: Database, workspace: string, before: string): Promise<void> => {
  const [told] = await query("SELECT 1 AS found FROM deletions WHERE workspace = $1 AND before >= $2 LIMIT 1", [
    workspace,
    before,
  ]);
  if (told === undefined) return;
  await query("DELETE FROM deletions WHERE workspace = $1 AND (before < $2 OR id < $2)", [workspace, before]);
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
