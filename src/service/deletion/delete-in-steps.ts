import { setTimeout as sleep } from "node:timers/promises";
import { NIL } from "uuid";
import type { Database, Query } from "../database/database.js";
import { askNodes } from "../database/event-id.js";
import { tookTooLong } from "../database/sql-state.js";
import { subtract } from "../days/add-events.js";
import { columnsIn, type EventRow } from "../days/count-tables.js";
import { hold } from "../days/counted-place.js";
import { type Reason, tellDeleted, withNoticeId } from "./notices.js";

/** The transactions of a node that have written, or are prepared. */
const WRITING = `SELECT string_agg(transactionid::text, ' ') AS result FROM pg_locks
  WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock' AND granted
    AND (pid IS NULL OR pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database()))`;

/** Milliseconds after which it is asked again whether they have ended, and after which that is given up: none of ours lasts so long. */
const [POLL_MS, LONGEST_MS] = [10, 60_000];

/**
 * To be called after the generation was moved: resolves when each transaction has ended that had begun to write until then. One that
 * stores reads the generation as its last statement, when it has written: either it is seen here, or it sees that this has moved.
 *
 * @throws Error of an unavailable database where one does not end
 */
export const afterAllHaveEnded = async (query: Query): Promise<void> => {
  const writing = async (): Promise<Set<string>> => {
    const nodes = await askNodes(query, WRITING);
    return new Set(
      nodes.flatMap((node, at) =>
        (node ?? "")
          .split(" ")
          .filter(Boolean)
          .map((id) => `${at} ${id}`),
      ),
    );
  };
  const until = performance.now() + LONGEST_MS;
  // Twice: what has been open at one node may be prepared at another meanwhile, and the generation itself may be so.
  for (let round = 0; round < 2; round += 1) {
    let begun = await writing();
    while (begun.size > 0) {
      if (performance.now() > until)
        throw Object.assign(new Error("a transaction that had begun before does not end"), { code: "57014" });
      await sleep(POLL_MS);
      const still = await writing();
      begun = new Set([...begun].filter((one) => still.has(one)));
    }
  }
};

/** Events deleted or changed in one transaction at most: a larger one would hold up those that are being stored. */
export const CHUNK = 5_000;

/** What a step is told: how many events it may take, the last id of the step before, and whether they stay in the counts. */
interface Part {
  most: number;
  after?: string | undefined;
  staysCounted?: boolean;
}

/** Which events; the values are those of the condition. */
export interface Which {
  condition: string;
  values: unknown[];
}

/** What one step has deleted, whether there was more, and up to which id. */
interface Step {
  ids: string[];
  isLast: boolean;
  to?: string | undefined;
}

/** It begins behind the last id of the step before: what that has deleted stands in the index as long as a report may look at it. */
const step = async (
  query: Query,
  workspace: string,
  { condition, values }: Which,
  { most, after = NIL, staysCounted = false }: Part,
): Promise<Step> => {
  const [from, to, zone] = [1, 2, 3].map((at) => values.length + at);
  const held = staysCounted ? undefined : await hold(query, workspace);
  const ids = await query<{ id: string }>(
    `SELECT id FROM events WHERE ${condition} AND id > $${from} ORDER BY id LIMIT ${most}`,
    [...values, after],
  );
  if (ids.length === 0) return { ids: [], isLast: true };
  const last = ids.at(-1)!.id;
  // By the range of ids, which is found in the same index.
  const deleted = await query<EventRow>(
    `DELETE FROM events WHERE ${condition} AND id > $${from} AND id <= $${to} RETURNING ${held === undefined ? "id" : columnsIn(`$${zone}`)}`,
    [...values, after, last, ...(held === undefined ? [] : [held.zone])],
  );
  if (held !== undefined) await subtract(query, held, deleted);
  return { ids: deleted.map(({ id }) => id), isLast: ids.length < most, to: last };
};

/**
 * Steps in a transaction each, whose id is that of a row for who follows; one that takes too long is done by halves. Not until nothing
 * is found: what is stored all the time would be deleted for ever. Resolves to the number of events.
 */
export const inSteps = async (
  database: Database,
  workspace: string,
  once: (query: Query, id: string, part: Part) => Promise<Step>,
): Promise<number> => {
  let after: string | undefined;
  let most = CHUNK;
  for (let deleted = 0; ; ) {
    const part = { most, after };
    const done = await withNoticeId(database, workspace, (query, id) => once(query, id, part)).catch(
      (error: unknown) => {
        if (!tookTooLong(error) || most === 1) throw error;
      },
    );
    if (done === undefined) {
      most = Math.ceil(most / 2);
      continue;
    }
    deleted += done.ids.length;
    after = done.to;
    if (!done.isLast) continue;
    // Not waited for. What fails here, the database does by itself later.
    if (deleted > 0) database.tidy?.().catch(() => {});
    return deleted;
  }
};

/**
 * Deletes events. For a reason, each step has a row for who follows that names what it has deleted: no uid outlives the contact there.
 * Without one they go without a word, and stay counted: who follows is told otherwise, or there is nobody. Resolves to their number.
 */
export const deleteInSteps = (
  database: Database,
  workspace: string,
  { reason, ...which }: Which & { reason?: Reason },
): Promise<number> =>
  inSteps(database, workspace, async (query, id, part) => {
    const staysCounted = reason === undefined || reason === "retention";
    const done = await step(query, workspace, which, { ...part, staysCounted });
    if (reason !== undefined && done.ids.length > 0) await tellDeleted(query, workspace, { id, ids: done.ids, reason });
    return done;
  });
