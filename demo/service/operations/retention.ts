import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";
import { deleteEventsBefore } from "../records/deletion.js";

export const DAY_MS = 86_400_000;
/** Milliseconds between two looks for events that are too old. */
const EVERY_MS = 3_600_000;

/**
 * Deletes events that are too old, at the start and then every hour, until the service closes. Several processes may
 * do it at once.
 *
 * @param days how long events are kept
 * @param workspaces whose events
 */
export const keepFor = (
  app: FastifyInstance,
  database: Database,
  days: number,
  workspaces: readonly string[],
): void => {
  let closing = false;
  let working = Promise.resolve();
  const clean = async (): Promise<void> => {
    for (const workspace of workspaces) {
      if (closing) return;
      const deleted = await deleteEventsBefore(database, workspace, Date.now() - days * DAY_MS);
      if (deleted > 0) app.log.info({ workspace, deleted }, `deleted events older than ${days} days`);
    }
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
