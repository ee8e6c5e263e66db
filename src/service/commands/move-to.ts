import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import { StartError } from "../base/start-error.js";
import { addressesOf } from "../config/options.js";
import type { Query } from "../database/database.js";
import { askNodes } from "../database/event-id.js";
import { markMoved, takeBackMove, versionsOf } from "../database/migrations.js";
import { openDatabase } from "../database/open-database.js";
import type { Commands } from "./context.js";
import { countRows, listTables, loadScript, tellCounts, writeScript } from "./dump.js";

/** The command that moves all data to another database, and lets no service start on this one any more. */
export const addMoveCommand = ({ program, config, use, say }: Commands) =>
  program
    .command("move-to")
    .description("copies all tables into an empty database of another server, while no service runs")
    .argument("[url]", "of that database, as in DATABASE_URL")
    .option("--back", "instead: services start on this one again, after a move from it")
    .action(async (url: string | undefined, { back }: { back?: true }, command: Command) => {
      if (back && url === undefined)
        return use(async ({ query }) => {
          if (!(await takeBackMove(query))) throw new StartError("nothing was moved from this database");
          say("services start on this database again; what the other one has got since is not in it");
        }, "nothing");
      if (back || url === undefined || addressesOf(url).length === 0)
        command.error("the URL of the database is none, as in postgresql://user@host/name");
      return use(async ({ query, copying }) => {
        const needs = { empty: await versionsOf(query) };
        const target = await openDatabase({ ...config, databaseUrl: url }, needs).catch((error: Error) => {
          throw new StartError(error.message.replace(" of DATABASE_URL", " to move to"));
        });
        const move = copying!(async (from) => {
          // Who starts now waits for this, and is seen at the end.
          await from.query("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE");
          await requireAlone(query);
          // The other database is committed first: what breaks off in between is there twice, and nothing is lost.
          return target.copying!(async (to) => {
            const tables = await listTables(from.query);
            const counts = await countRows(from.query, tables);
            const loaded = await loadScript(to, writeScript(from, tables), { counts, say });
            await requireAlone(query);
            await markMoved(from.query);
            return loaded;
          });
        });
        say(`moved ${tellCounts(await move.finally(target.close))}: set DATABASE_URL to the other database`);
      });
    });

/** Those that are connected with the same role, but for who asks, and who has locked the versions of the tables. */
const OTHERS = `SELECT count(*)::text AS result FROM pg_stat_activity
  WHERE datname = current_database() AND usename = current_user AND backend_type = 'client backend'
    AND application_name NOT LIKE 'citus%' AND pid <> pg_backend_pid() AND pid NOT IN (
      SELECT pid FROM pg_locks WHERE relation = to_regclass('schema_migrations') AND mode = 'AccessExclusiveLock' AND granted)`;

/** Milliseconds that a connection may take that is just being closed, and after which it is asked for again. */
const [CLOSING_MS, POLL_MS] = [2_000, 50];

/** @throws StartError where somebody else is connected: a service, who follows it, another command */
const requireAlone = async (query: Query): Promise<void> => {
  for (const began = performance.now(); ; await sleep(POLL_MS)) {
    const count = (await askNodes(query, OTHERS)).reduce((sum, others) => sum + Number(others), 0);
    if (count === 0) return;
    if (performance.now() > began + CLOSING_MS)
      throw new StartError(
        `others are connected to the database (${count} connections of the same role): stop the service, and who follows it`,
      );
  }
};
