import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../../base/start-error.js";
import type { Query } from "../../database/database.js";

/** Those that are connected to this database with the same role but for two: processes of the service, and who follows it. */
const others = (own: number) => `SELECT count(*) AS result FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
    AND pid NOT IN (pg_backend_pid(), ${own}) AND application_name NOT LIKE 'citus%'`;

/** Is the database spread by Citus? No transaction there sees one moment of all nodes. */
export const isSpread = async (query: Query): Promise<boolean> =>
  (await query("SELECT 1 AS found FROM pg_extension WHERE extname = 'citus'")).length > 0;

/** Milliseconds that a connection may take that is just being closed, and between two looks for it. */
const [CLOSING_MS, LOOK_MS] = [2_000, 50];

/**
 * @param query asks outside of a transaction: one would be told the same again and again
 * @param own the process of the server that has another connection of this command
 * @throws StartError where somebody else is connected
 */
export const requireAlone = async (query: Query, own = 0): Promise<void> => {
  const spread = await isSpread(query);
  const until = performance.now() + CLOSING_MS;
  for (;;) {
    const rows = await (spread
      ? query<{ result: unknown }>("SELECT result FROM run_command_on_all_nodes($1)", [others(own)])
      : query<{ result: unknown }>(others(own)));
    const count = rows.reduce((sum, { result }) => sum + Number(result), 0);
    if (count === 0) return;
    if (performance.now() > until)
      throw new StartError(
        `others are connected to the database (${count} connections of the same role): stop the service, and who follows it`,
      );
    await sleep(LOOK_MS);
  }
};
