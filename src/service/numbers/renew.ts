import { HOUR_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { idAt, LATE_MS } from "../database/event-id.js";
import { renewActive } from "./active.js";
import { ALL_KINDS, KINDS, MAX_KEYS, OTHER, QUARTER } from "./keys.js";

/** Hours of a workspace that are to be counted anew. */
export const staleHours = async (query: Query, workspace: string): Promise<number[]> => {
  const marked = "SELECT DISTINCT hour FROM sums_stale WHERE workspace = $1 ORDER BY hour";
  return (await query<{ hour: unknown }>(marked, [workspace])).map(({ hour }) => Number(hour));
};

/** The events of an hour, with the values of a workspace, the first id that is not followed, and the hour. */
const OF_HOUR = `workspace = $1 AND id < $2 AND received_at >= $3 AND received_at < $4
  AND (id >= $5 AND id < $6 OR workspace = $1 AND origin_id IS NOT NULL AND received_at >= $3 AND received_at < $4)`;

/** Counts an hour anew, from the events that are there and are followed. */
export const renew = (database: Database, workspace: string, hour: number): Promise<void> =>
  database.transaction(async (query) => {
    // Waits for a step that is under way, and holds back the next one.
    const [followed] = await query<{ id: string }>(
      "UPDATE sums_followed SET id = id WHERE workspace = $1 RETURNING id",
      [workspace],
    );
    const marks = await query("DELETE FROM sums_stale WHERE workspace = $1 AND hour = $2 RETURNING hour", [
      workspace,
      hour,
    ]);
    if (followed === undefined || marks.length === 0) return;
    const end = hour + HOUR_MS;
    await query("DELETE FROM sums WHERE workspace = $1 AND kind = ANY($2::text[]) AND quarter >= $3 AND quarter < $4", [
      ...[workspace, ALL_KINDS, hour, end],
    ]);
    const values = [workspace, followed.id, hour, end, idAt(hour), idAt(end + LATE_MS)];
    for (const kind of ALL_KINDS) await query(countHour(kind), values);
    await renewActive(query, { workspace, hour, events: OF_HOUR, values });
  });

/** The most frequent keys of the hour, and the rest together. */
const countHour = (kind: keyof typeof KINDS): string => {
  const { key, where } = KINDS[kind];
  return `INSERT INTO sums (workspace, kind, quarter, key, events)
SELECT $1, '${kind}', quarter, CASE WHEN place <= ${MAX_KEYS} THEN key ELSE '${OTHER}' END, sum(events)
FROM (SELECT quarter, key, events, dense_rank() OVER (ORDER BY total DESC, key) AS place
      FROM (SELECT quarter, key, events, sum(events) OVER (PARTITION BY key) AS total
            FROM (SELECT ${QUARTER} AS quarter, ${key} AS key, count(*) AS events FROM events
                  WHERE ${OF_HOUR} AND ${where} GROUP BY 1, 2) AS counted) AS totalled) AS placed
GROUP BY 3, 4`;
};
