import { HOUR_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { idAt, timeOf } from "../database/event-id.js";
import { hourOf, markStale } from "../records/stale-hours.js";
import { addActive } from "./active.js";
import { ALL_KINDS, KINDS, type Kind, OTHER, QUARTER } from "./keys.js";
import { addCounts, boundKeys, type Count } from "./top-keys.js";

/** Events of one step: its transaction holds up nobody for long. */
export const STEP = 5_000;
/** Milliseconds after an hour in which nearly all that was received in it is read. */
const LATE_MS = 300_000;

/** The first event of a workspace that is not in the sums has this id or a later one. */
export const followedTo = async (query: Query, workspace: string): Promise<string> => {
  const [row] = await query<{ id: string }>("SELECT id FROM sums_followed WHERE workspace = $1", [workspace]);
  return row?.id ?? idAt(0);
};

/**
 * Adds the next settled events of a workspace to the sums, each once: how far they go moves in the same transaction, and a
 * step that another process has done meanwhile is left to it.
 *
 * @param settled the first id that is not settled
 * @returns whether there may be more
 */
export const step = async (database: Database, workspace: string, settled: string): Promise<boolean> => {
  const from = await followedTo(database.query, workspace);
  const [first, behind] = await Promise.all(
    [0, STEP].map((offset) => nextId(database.query, { workspace, from, settled, offset })),
  );
  if (first === undefined) return false;
  const to = behind ?? settled;
  const range = [workspace, from, to];
  await database.transaction(async (query) => {
    if (!(await move(query, range))) return;
    const overfull = new Set<number>();
    for (const kind of ALL_KINDS) {
      const { counts, full } = await boundKeys(query, workspace, await count(query, kind, range));
      await addCounts(query, workspace, counts);
      for (const hour of full) overfull.add(hour);
    }
    await addActive(query, range);
    // Which keys of an hour are the most frequent is known once it is over: it is counted anew then.
    const [over, now] = [isOver(timeOf(from)), isOver(timeOf(to))];
    if (over < now && from !== idAt(0))
      for (const hour of await fullHours(query, workspace, over, now)) overfull.add(hour);
    await markStale(
      query,
      workspace,
      [...overfull].filter((hour) => hour < now),
    );
  });
  return behind !== undefined;
};

/** The first hour that is not over. */
const isOver = (time: number): number => hourOf(time - LATE_MS);

const nextId = async (
  query: Query,
  { workspace, from, settled, offset }: { workspace: string; from: string; settled: string; offset: number },
): Promise<string | undefined> => {
  const next = "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1 OFFSET $4";
  return (await query<{ id: string }>(next, [workspace, from, settled, offset]))[0]?.id;
};

/** @returns false where another process has moved it meanwhile */
const move = async (query: Query, [workspace, from, to]: unknown[]): Promise<boolean> => {
  if (from === idAt(0))
    await query("INSERT INTO sums_followed (workspace, id) VALUES ($1, $2) ON CONFLICT (workspace) DO NOTHING", [
      workspace,
      from,
    ]);
  const moved = "UPDATE sums_followed SET id = $3 WHERE workspace = $1 AND id = $2 RETURNING workspace";
  return (await query(moved, [workspace, from, to])).length > 0;
};

const count = async (query: Query, kind: Kind, range: unknown[]): Promise<Count[]> => {
  const { key, where } = KINDS[kind];
  const rows = await query<Record<string, unknown>>(
    `SELECT ${QUARTER} AS quarter, ${key} AS key, count(*) AS events FROM events
     WHERE workspace = $1 AND id >= $2 AND id < $3 AND ${where} GROUP BY 1, 2`,
    range,
  );
  return rows.map((row) => ({ kind, quarter: Number(row.quarter), key: String(row.key), events: Number(row.events) }));
};

const fullHours = async (query: Query, workspace: string, from: number, to: number): Promise<number[]> => {
  const rows = await query<{ hour: unknown }>(
    `SELECT DISTINCT quarter - quarter % ${HOUR_MS} AS hour FROM sums
     WHERE workspace = $1 AND kind = ANY($2::text[]) AND quarter >= $3 AND quarter < $4 AND key = '${OTHER}'`,
    [workspace, ALL_KINDS, from, to],
  );
  return rows.map(({ hour }) => Number(hour));
};
