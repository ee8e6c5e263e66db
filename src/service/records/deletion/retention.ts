import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, HOUR_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { tellError } from "../../database/sql-state.js";
import type { Task } from "../../database/tasks.js";
import { deleteBareRecords } from "./bare-records.js";
import { deleteEventsBefore } from "./chosen-events.js";
import { judgeClock } from "./retention-clock.js";

export interface Kept {
  /** How long events are kept. */
  days: number;
  /** Tells whose events. */
  workspaces(): readonly string[];
  /** Deletes what else goes by the time before which they are deleted (epoch milliseconds). */
  also(query: Query, before: number): Promise<void>;
}

/** The task that deletes events that are too old, and records that only they told of, every hour; none while the clock is in doubt. */
export const keepFor = (log: FastifyBaseLogger, { days, workspaces, also }: Kept): Task => {
  let lookedAt: number | undefined;
  return {
    name: "retention",
    every: HOUR_MS,
    run: async (database) => {
      const at = performance.now();
      const look = { workspaces: workspaces(), age: days * DAY_MS, passed: at - (lookedAt ?? at) };
      const judged = await judgeClock(database.query, look);
      lookedAt = at;
      if ("doubt" in judged)
        return log.warn(
          `no old events are deleted: ${judged.doubt}. They will be when it has gone right for 7 days, or after service -- retention --confirm`,
        );
      let deleted = 0;
      for (const workspace of look.workspaces) deleted += await deleteEventsBefore(database, workspace, judged.before);
      await also(database.query, judged.before);
      const records = await deleteBareRecords(database, judged.before, Math.floor(Date.now() / HOUR_MS));
      log.info(
        { deleted, records },
        `deleted ${deleted} events from before ${new Date(judged.before).toISOString()}, and ${records} records that nothing else tells of`,
      );
    },
    failed: (error) => log.error(`old events could not be deleted: ${tellError(error)}`),
  };
};
