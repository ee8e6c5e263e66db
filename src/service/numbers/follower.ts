import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import type { Settled } from "../database/settled.js";
import { tellError } from "../database/sql-state.js";
import type { Task } from "../database/tasks.js";
import { renew, staleHours } from "./renew.js";
import { step } from "./sums.js";

/**
 * The task that makes the sums behind what is settled.
 *
 * @param workspaces tells whose events
 * @param every milliseconds between two looks for events that have become settled
 */
export const followSums = (
  log: FastifyBaseLogger,
  { workspaces, settled, every }: { workspaces: () => readonly string[]; settled: Settled; every: number },
): Task => ({
  name: "sums",
  every,
  run: async (database) => {
    const end = idAt(await settled());
    for (const workspace of await waiting(database, workspaces(), end)) {
      const isServed = () => workspaces().includes(workspace);
      for (const hour of await staleHours(database.query, workspace))
        if (isServed()) await renew(database, workspace, hour);
      while (isServed() && (await step(database, workspace, end)));
    }
  },
  failed: (error) => log.error(`the sums could not be made: ${tellError(error)}`),
});

/** Those that have an event that is settled and not in the sums, or an hour to be counted anew: asked for all in one question. */
const waiting = async (
  { query, shardOf }: Database,
  workspaces: readonly string[],
  end: string,
): Promise<readonly string[]> => {
  // Citus cannot answer that.
  if (shardOf?.(end) !== undefined) return workspaces;
  const rows = await query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS served (name)
     WHERE EXISTS (SELECT 1 FROM sums_stale WHERE workspace = name)
        OR EXISTS (SELECT 1 FROM events WHERE workspace = name AND id < $2
                   AND id >= coalesce((SELECT id FROM sums_followed WHERE workspace = name), $3))`,
    [workspaces, end, idAt(0)],
  );
  return rows.map(({ name }) => name);
};
