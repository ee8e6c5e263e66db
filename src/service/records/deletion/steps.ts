import { NIL } from "uuid";
import type { Database, Query } from "../../database/database.js";
import { markStale } from "../stale-hours.js";
import { type Reason, tellDeleted, withNoticeId } from "./notices.js";

/** Events deleted or changed in one transaction: a larger one would hold up those that are being stored. */
export const CHUNK = 5_000;

/** Which events; the values are those of the condition. */
export interface Which {
  condition: string;
  values: unknown[];
}

/** What one step has deleted, whether there was more, and up to which id. */
export interface Step {
  ids: string[];
  isLast: boolean;
  to?: string | undefined;
}

/** @param after the last id of the step before: what that has deleted stands in the index as long as a report may look at it */
const step = async (
  query: Query,
  workspace: string,
  { condition, values }: Which,
  after: string = NIL,
): Promise<Step> => {
  const [from, to] = [values.length + 1, values.length + 2];
  const ids = await query<{ id: string }>(
    `SELECT id FROM events WHERE ${condition} AND id > $${from} ORDER BY id LIMIT ${CHUNK}`,
    [...values, after],
  );
  if (ids.length === 0) return { ids: [], isLast: true };
  const last = ids.at(-1)!.id;
  // By the range of ids, which is found in the same index.
  const deleted = await query<{ id: string; received_at: unknown }>(
    `DELETE FROM events WHERE ${condition} AND id > $${from} AND id <= $${to} RETURNING id, received_at`,
    [...values, after, last],
  );
  const times = deleted.map(({ received_at }) => Number(received_at));
  await markStale(query, workspace, times);
  return { ids: deleted.map(({ id }) => id), isLast: ids.length < CHUNK, to: last };
};

/** Not until nothing is found: what is stored all the time would be deleted for ever. */
const repeat = async (database: Database, once: (after?: string) => Promise<Step>): Promise<number> => {
  let after: string | undefined;
  for (let deleted = 0; ; ) {
    const { ids, isLast, to } = await once(after);
    deleted += ids.length;
    after = to;
    if (!isLast) continue;
    // Not waited for. What fails here, the database does by itself later.
    if (deleted > 0) database.tidy?.().catch(() => {});
    return deleted;
  }
};

/** Deletes events without a word: who follows is told otherwise, or there is nobody. Resolves to their number. */
export const deleteInSteps = (database: Database, workspace: string, which: Which): Promise<number> =>
  repeat(database, (after) => database.transaction((query) => step(query, workspace, which, after)));

/** The same, with a row for who follows that names what the step has deleted: no uid outlives the contact there. */
export const deleteListed = (
  database: Database,
  workspace: string,
  { reason, ...which }: Which & { reason: Reason },
): Promise<number> =>
  inSteps(database, workspace, async (query, id, after) => {
    const done = await step(query, workspace, which, after);
    if (done.ids.length > 0) await tellDeleted(query, workspace, { id, ids: done.ids, reason });
    return done;
  });

/** Steps in a transaction each, whose id is that of a row for who follows. Resolves to the number of events. */
export const inSteps = (
  database: Database,
  workspace: string,
  once: (query: Query, id: string, after?: string) => Promise<Step>,
): Promise<number> =>
  repeat(database, (after) => withNoticeId(database, workspace, (query, id) => once(query, id, after)));
