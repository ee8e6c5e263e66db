import type { FastifyBaseLogger } from "fastify";
import { backOffMs } from "../../shared/retry-policy.js";
import type { Database } from "../database/database.js";
import { idAt, SET_BACK_MS, type Settled, timeOf } from "../database/event-id.js";
import { isUnavailable, tellError, tookTooLong } from "../database/sql-state.js";
import { isTaken, type Task } from "../database/tasks.js";
import { countNext, dueAt, STEP } from "./add-events.js";
import { findAhead, putRight, readClocks } from "./clock-put-right.js";
import { countAnew } from "./count-anew.js";
import { allWaiting } from "./lag.js";
import { moveOn } from "./leave-out.js";

/** Longest time for which a workspace is left after a failure, in milliseconds. */
const LONGEST_MS = 60_000;

interface Following {
  workspaces: () => readonly string[];
  settled: Settled;
  /** Milliseconds between two looks for events that have become settled. */
  every: number;
  /** Those after which an event is settled, see `Bounds`. */
  delay: number;
  rows?: number;
}

/**
 * The task that counts behind what is settled: one step of each workspace after another, so that none waits for
 * another one. A step that takes too long is tried again with half as many events.
 *
 * @param following whose events, and how they become settled
 */
export const countDays = (
  log: FastifyBaseLogger,
  { workspaces, settled, every, delay, rows: most = STEP }: Following,
): Task => {
  /** Events of a step where it is not the usual number; how often one has failed in a row, and until when its workspace is left. */
  const sizes = new Map<string, number>();
  const left = new Map<string, { failures: number; until: number }>();

  /** @returns whether there may be more to do */
  const turn = async (database: Database, workspace: string, end: string): Promise<boolean> => {
    const rows = sizes.get(workspace) ?? most;
    try {
      const more = await turnOf(database, workspace, end, rows);
      if (rows < most) sizes.set(workspace, Math.min(most, rows + Math.ceil(rows / 8)));
      left.delete(workspace);
      return more;
    } catch (error) {
      const fault = { workspace, rows, reason: tellError(error) };
      const isSlow = tookTooLong(error);
      if (isSlow && rows > 1) {
        sizes.set(workspace, Math.ceil(rows / 2));
        log.warn(fault, "a step of the counts takes too long: tried again with half as many events");
        return true;
      }
      // Where the database is away, those who need it are told.
      if (isTaken(error) || (isUnavailable(error) && !isSlow)) throw error;
      const { failures } = left.get(workspace) ?? { failures: 0 };
      left.set(workspace, { failures: failures + 1, until: performance.now() + backOffMs(failures, LONGEST_MS) });
      log.error(fault, "the events could not be counted");
      return false;
    }
  };

  /** Says where this machine's clock is wrong, and corrects what a wrong clock of the database has done. */
  const lookAtClocks = async (database: Database): Promise<void> => {
    const clock = await readClocks(database.query);
    const ahead = await findAhead(database.query, clock - delay);
    if (ahead.length === 0) return;
    const seconds = Math.round((Date.now() - clock) / 1_000);
    if (Math.abs(seconds) * 1_000 > SET_BACK_MS)
      return log.error({ seconds }, "the clock of this machine and that of the database differ by over five minutes");
    log.error({ ahead }, "a clock of the database was ahead, and was put right: what came since is counted anew");
    await putRight(database, ahead, { clock, settled: clock - delay });
    // First: what is behind the place is in the figures until then, and would be there twice.
    for (const { workspace } of ahead) while (await countAnew(database, workspace, most));
  };

  return {
    name: "days",
    every,
    run: async (database) => {
      for (const map of [sizes, left])
        for (const name of map.keys()) if (!workspaces().includes(name)) map.delete(name);
      await lookAtClocks(database);
      const end = idAt(await settled());
      const isServed = (workspace: string) =>
        workspaces().includes(workspace) && performance.now() >= (left.get(workspace)?.until ?? 0);
      for (let open = await busy(database, workspaces(), end); open.length > 0; ) {
        const more: string[] = [];
        for (const workspace of open)
          if (isServed(workspace) && (await turn(database, workspace, end))) more.push(workspace);
        open = more;
      }
    },
    failed: (error) => log.error(`the events could not be counted: ${tellError(error)}`),
  };
};

/** Does the next step of each kind. @returns whether there may be more */
export const turnOf = async (database: Database, workspace: string, end: string, rows = STEP): Promise<boolean> => {
  let more = await countNext(database, workspace, end, rows);
  for (const work of [moveOn, countAnew]) more = (await work(database, workspace, rows)) || more;
  return more;
};

const busy = async (database: Database, workspaces: readonly string[], end: string): Promise<readonly string[]> => {
  const waiting = await allWaiting(database, workspaces, end);
  const open = await database.query<{ workspace: string }>(
    `SELECT workspace FROM days_stale UNION SELECT workspace FROM left_out WHERE upto IS NOT NULL`,
  );
  const places = await database.query<{ workspace: string; id: string; folded: string; zone: string }>(
    `SELECT workspace, id, folded::text AS folded, coalesce(zone, 'UTC') AS zone FROM counted LEFT JOIN workspaces ON name = workspace
     WHERE id IS NOT NULL`,
  );
  const due = places.filter((one) => dueAt(one) < timeOf(end));
  return workspaces.filter(
    (name) => waiting.has(name) || [...open, ...due].some(({ workspace }) => workspace === name),
  );
};
