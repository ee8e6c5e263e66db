import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, HOUR_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { timeOf } from "../../database/event-id.js";
import { readClock, readState, writeState } from "../../database/service-state.js";
import { tellError } from "../../database/sql-state.js";
import type { Task } from "../../database/tasks.js";
import { deleteBareRecords } from "./bare-records.js";
import { countEventsBefore, deleteEventsBefore } from "./chosen-events.js";

export interface Kept {
  /** How long events are kept. */
  days: number;
  /** Tells whose events. */
  workspaces(): readonly string[];
  /** Deletes what else goes by the time before which they are deleted (epoch milliseconds). */
  also(query: Query, before: number): Promise<void>;
}

/** Time by which a run goes on from the oldest event, at most: what a wrong clock or a wrong number of days deletes is seen in time. */
const STEP_MS = 2 * DAY_MS;

/** Names in `service_state`: when a run ended well, and how many milliseconds it has left to the next ones. */
const [DONE, LEFT] = ["retention_done", "retention_left"] as const;

/**
 * The task that deletes events that are too old, and records that only they told of, every hour. Where more has become too old at once
 * than a run takes, the first one only says how much.
 */
export const keepFor = (log: FastifyBaseLogger, { days, workspaces, also }: Kept): Task => ({
  name: "retention",
  every: HOUR_MS,
  run: async (database) => {
    const { query } = database;
    const names = workspaces();
    const end = (await readClock(query)) - days * DAY_MS;
    const oldest = Math.min(end, ...(await Promise.all(names.map((name) => oldestTime(query, name)))));
    const before = Math.min(end, oldest + STEP_MS);
    const { [LEFT]: left = 0 } = await readState(query);
    if (before < end && left === 0) {
      let events = 0;
      for (const name of names) events += await countEventsBefore(query, name, end);
      log.warn(
        { events },
        `${events} events of ${Math.floor((end - oldest) / DAY_MS)} days are older than ${days} days (TRACKLET_RETENTION_DAYS): they are deleted from the next hour on, two days an hour`,
      );
    } else {
      let deleted = 0;
      for (const name of names) deleted += await deleteEventsBefore(database, name, before);
      await also(query, before);
      const records = await deleteBareRecords(database, before, Math.floor(Date.now() / HOUR_MS));
      log.info(
        { deleted, records },
        `deleted ${deleted} events from before ${new Date(before).toISOString()}, and ${records} records that nothing else tells of`,
      );
    }
    await writeState(query, { [DONE]: end + days * DAY_MS, [LEFT]: end - before });
  },
  failed: (error) => log.error(`old events could not be deleted: ${tellError(error)}`),
});

/** By how much the oldest event of a workspace is older than it may be, in seconds. */
export type RetentionBehind = () => Promise<{ workspace: string; seconds: number }[]>;

export const createRetentionBehind =
  (query: Query, { days, workspaces }: Pick<Kept, "days" | "workspaces">): RetentionBehind =>
  async () => {
    const end = (await readClock(query)) - days * DAY_MS;
    return Promise.all(
      workspaces().map(async (workspace) => ({
        workspace,
        seconds: Math.max(0, end - (await oldestTime(query, workspace))) / 1_000,
      })),
    );
  };

/** Hours without a run that ended well after which that is told. */
const SILENT_HOURS = 3;

/** What is wrong with retention; nothing where it goes on, however much it has to do. */
export const tellLate = async (query: Query, kept: Pick<Kept, "days" | "workspaces">): Promise<string | undefined> => {
  const behind = Math.max(0, ...(await createRetentionBehind(query, kept)()).map(({ seconds }) => seconds * 1_000));
  const { [DONE]: done } = await readState(query);
  const isRunning = done !== undefined && (await readClock(query)) - done < SILENT_HOURS * HOUR_MS;
  if (behind < DAY_MS || isRunning) return undefined;
  const last = done === undefined ? "it never ended well" : `it ended well last at ${new Date(done).toISOString()}`;
  return `retention is ${Math.floor(behind / DAY_MS)} days behind, ${last}: the log of the service says why`;
};

/** When the oldest event of a workspace was received, in epoch milliseconds: of one that was imported its id does not tell it. */
const oldestTime = async (query: Query, workspace: string): Promise<number> => {
  const first = "SELECT id FROM events WHERE workspace = $1 ORDER BY id LIMIT 1";
  const imported =
    "SELECT received_at FROM events WHERE workspace = $1 AND origin_id IS NOT NULL ORDER BY received_at LIMIT 1";
  const times = [
    ...(await query<{ id: string }>(first, [workspace])).map(({ id }) => timeOf(id)),
    ...(await query(imported, [workspace])).map(({ received_at }) => Number(received_at)),
  ];
  return Math.min(Number.POSITIVE_INFINITY, ...times);
};
