import type { FastifyBaseLogger } from "fastify";
import { DAY_MS, HOUR_MS } from "../../base/times.js";
import { tellError } from "../../database/sql-state.js";
import type { Task } from "../../database/tasks.js";
import { deleteEventsBefore } from "./chosen-events.js";
import { judgeClock } from "./retention-clock.js";

/**
 * The task that deletes events that are too old, every hour; none while the clock is in doubt.
 *
 * @param days how long events are kept
 * @param workspaces tells whose events
 */
export const keepFor = (
  log: FastifyBaseLogger,
  { days, workspaces }: { days: number; workspaces: () => readonly string[] },
): Task => {
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
      log.info({ deleted }, `deleted ${deleted} events from before ${new Date(judged.before).toISOString()}`);
    },
    failed: (error) => log.error(`old events could not be deleted: ${tellError(error)}`),
  };
};
