import type { Database, Query } from "../../database/database.js";
import { markStale } from "../stale-hours.js";
import { tellDeleted, withNoticeId } from "./notices.js";

/** Events deleted in one transaction: a larger one would hold up those that are being stored. */
const CHUNK = 5_000;

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
const repeat = async (database: Database, once: () => Promise<Step>): Promise<number> => {
  for (let deleted = 0; ; ) {
    const { ids, isLast } = await once();
    deleted += ids.length;
    if (!isLast) continue;
    // Not waited for. What fails here, the database does by itself later.
    if (deleted > 0) database.tidy?.().catch(() => {});
    return deleted;
  }
};

/** Deletes events without a word: who follows is told otherwise, or there is nobody. Resolves to their number. */
export const deleteInSteps = (database: Database, workspace: string, which: Which): Promise<number> =>
  repeat(database, () => database.transaction((query) => step(query, workspace, which)));

/** The same, with a row for who follows that names what the step has deleted: no uid outlives the contact there. */
export const deleteListed = (database: Database, workspace: string, which: Which): Promise<number> =>
  inSteps(database, workspace, async (query, id) => {
    const done = await step(query, workspace, which);
    if (done.ids.length > 0) await tellDeleted(query, workspace, { id, ids: done.ids });
    return done;
  });

/** Steps in a transaction each, whose id is that of a row for who follows. Resolves to the number of events. */
export const inSteps = (
  database: Database,
  workspace: string,
  once: (query: Query, id: string) => Promise<Step>,
): Promise<number> => repeat(database, () => withNoticeId(database, workspace, once));
