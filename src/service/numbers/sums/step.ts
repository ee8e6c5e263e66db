import { HOUR_MS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { idAt, timeOf } from "../../database/event-id.js";
import { hourOf, markStale } from "../../records/stale-hours.js";
import { addAccounts, addContacts } from "./add-active.js";
import { followedTo } from "./behind.js";
import { ALL_KINDS, addCounts, count, nextPlace, OTHER, STEP } from "./keys.js";
import { createFeed } from "./renewal/renewal.js";
import { boundKeys, knownKeys } from "./top-keys.js";

/** Milliseconds after an hour in which nearly all that was received in it is read. */
const LATE_MS = 300_000;

/**
 * Adds the next settled events of a workspace to the sums, each once: how far they go moves in the same transaction, and a
 * step that another process has done meanwhile is left to it.
 *
 * @param settled the first id that is not settled
 * @param rows events of the step
 * @returns whether there may be more
 */
export const step = async (database: Database, workspace: string, settled: string, rows = STEP): Promise<boolean> => {
  const from = await followedTo(database.query, workspace);
  const next = { condition: "workspace = $1 AND id >= $2 AND id < $3", values: [workspace, from, settled] };
  const found = await database.query(`SELECT 1 AS found FROM events WHERE ${next.condition} LIMIT 1`, next.values);
  if (found.length === 0) return false;
  const behind = await nextPlace(database.query, next, { order: "id", rows });
  const to = behind?.id ?? settled;
  const part = { ...next, values: [workspace, from, to] };
  await database.transaction(async (query) => {
    if (!(await move(query, part.values))) return;
    const feed = await createFeed(query, workspace);
    const overfull = new Set<number>();
    for (const kind of ALL_KINDS) {
      const counted = await count(query, kind, part);
      const { counts, full } = boundKeys(counted, await knownKeys(query, workspace, counted));
      await addCounts(query, workspace, counts);
      await feed.add(counted);
      for (const hour of full) overfull.add(hour);
    }
    await addContacts(query, part);
    const accounts = await count(query, "active_accounts", part);
    await addAccounts(query, workspace, accounts);
    await feed.add(accounts);
    // Asked for where they are counted anew alone: there may be as many as there are events.
    if (feed.hasActive) await feed.add(await count(query, "active_contacts", part));
    // Which keys of an hour are the most frequent is known once it is over: it is counted anew then.
    const [over, now] = [isOver(timeOf(from)), isOver(timeOf(to))];
    if (over < now && from !== idAt(0))
      for (const hour of await fullHours(query, workspace, over, now)) overfull.add(hour);
    overfull.delete(feed.hour ?? Number.NaN);
    await markStale(
      query,
      workspace,
      [...overfull].filter((hour) => hour < now),
      false,
    );
  });
  return behind !== undefined;
};

/** The first hour that is not over. */
const isOver = (time: number): number => hourOf(time - LATE_MS);

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

const fullHours = async (query: Query, workspace: string, from: number, to: number): Promise<number[]> => {
  const rows = await query<{ hour: unknown }>(
    `SELECT DISTINCT quarter - quarter % ${HOUR_MS} AS hour FROM sums
     WHERE workspace = $1 AND kind = ANY($2::text[]) AND quarter >= $3 AND quarter < $4 AND key = '${OTHER}'`,
    [workspace, ALL_KINDS, from, to],
  );
  return rows.map(({ hour }) => Number(hour));
};
