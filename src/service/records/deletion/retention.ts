import type { FastifyInstance } from "fastify";
import { DAY_MS } from "../../base/times.js";
import type { Database } from "../../database/database.js";
import { deleteEventsBefore } from "./chosen-events.js";
import { judgeClock } from "./retention-clock.js";

/** Milliseconds between two looks for events that are too old. */
const EVERY_MS = 3_600_000;

/**
 * Deletes events that are too old, at the start and then every hour, until the service closes; none while the clock is
 * in doubt. Several processes may do it at once.
 *
 * @param days how long events are kept
 * @param workspaces tells whose events
 */
export const keepFor = (
  app: FastifyInstance,
  database: Database,
  { days, workspaces }: { days: number; workspaces: () => readonly string[] },
): void => {
  let closing = false;
  let working = Promise.resolve();
  let lookedAt: number | undefined;
  const clean = async (): Promise<void> => {
    const at = performance.now();
    const look = { workspaces: workspaces(), age: days * DAY_MS, passed: at - (lookedAt ?? at) };
    const judged = await judgeClock(database.query, look);
    lookedAt = at;
    if ("doubt" in judged)
      return app.log.warn(
        `no old events are deleted: ${judged.doubt}. They will be when it has gone right for 7 days, or after service -- retention --confirm`,
      );
    let deleted = 0;
    for (const workspace of look.workspaces) {
      if (closing) return;
      deleted += await deleteEventsBefore(database, workspace, judged.before);
    }
    app.log.info({ deleted }, `deleted ${deleted} events from before ${new Date(judged.before).toISOString()}`);
  };
  const look = (): void => {
    working = clean().catch((error: Error) => app.log.error(`old events could not be deleted: ${error.message}`));
  };
  const timer = setInterval(look, EVERY_MS);
  timer.unref();
  app.addHook("onReady", async () => look());
  app.addHook("preClose", async () => {
    closing = true;
    clearInterval(timer);
    await working;
  });
};
