import { HOUR_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { newIds } from "../database/event-id.js";

/** The start of the hour of a time, both in epoch milliseconds. */
export const hourOf = (time: number): number => time - (time % HOUR_MS);

/**
 * Says that the hours of these times are to be counted anew. A mark has an id of its own: one that stands there already may be taken by a count
 * that does not see what this transaction has deleted.
 *
 * @param isDeleted whether something was deleted there: who was active may be so no longer. Default: it was
 */
export const markStale = async (
  query: Query,
  workspace: string,
  times: readonly number[],
  isDeleted = true,
): Promise<void> => {
  const hours = [...new Set(times.map(hourOf))];
  if (hours.length === 0) return;
  await query(
    `INSERT INTO sums_stale (workspace, hour, id, deleted)
     SELECT $1, hour, $2::uuid, $4::boolean FROM unnest($3::bigint[]) AS new (hour)`,
    [workspace, newIds(1)[0], hours, isDeleted],
  );
};
