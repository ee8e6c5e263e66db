import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Database } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import type { Settled } from "../database/settled.js";
import { isUnavailable } from "../database/sql-state.js";
import { renew, staleHours } from "./renew.js";
import { step } from "./sums.js";

/** Milliseconds after a failure, which may be of the database and of long duration. */
const AGAIN_MS = 60_000;

/**
 * Makes the sums behind what is settled, until the service closes. Several processes may do it at once: each step is done by
 * one of them.
 *
 * @param workspaces tells whose events
 * @param every milliseconds between two looks for events that have become settled
 */
export const followSums = (
  app: FastifyInstance,
  database: Database,
  { workspaces, settled, every }: { workspaces: () => readonly string[]; settled: Settled; every?: number },
): void => {
  const closing = new AbortController();
  const { signal } = closing;
  const look = async (): Promise<void> => {
    const end = idAt(await settled());
    const isServed = (workspace: string) => !signal.aborted && workspaces().includes(workspace);
    for (const workspace of workspaces()) {
      for (const hour of await staleHours(database.query, workspace))
        if (isServed(workspace)) await renew(database, workspace, hour);
      while (isServed(workspace) && (await step(database, workspace, end)));
    }
  };
  const follow = async (): Promise<void> => {
    for (let wait = every; ; ) {
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      wait = every;
      await look().catch((error: Error) => {
        // Where the database is away, those who need it are told.
        if (isUnavailable(error) || signal.aborted) return;
        app.log.error(`the sums could not be made: ${error.message}`);
        wait = AGAIN_MS;
      });
    }
  };
  let following = Promise.resolve();
  app.addHook("onReady", async () => {
    following = follow();
  });
  app.addHook("preClose", async () => {
    closing.abort();
    await following;
  });
};
