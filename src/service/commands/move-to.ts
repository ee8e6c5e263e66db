import type { Command } from "commander";
import { StartError } from "../base/start-error.js";
import { addressesOf } from "../config/database-url.js";
import { markMoved, takeBackMove, versionsOf } from "../database/migrations.js";
import { openDatabase } from "../database/open-database.js";
import type { Commands } from "./commands.js";
import { countRows, listTables, loadScript, tellCounts, writeScript } from "./copy.js";
import { requireAlone } from "./dump.js";

/** The command that moves all data to another database, and lets no service start on this one any more. */
export const addMoveCommand = ({ program, config, over, say }: Commands) =>
  program
    .command("move-to")
    .description("copies all tables into an empty database of another server, while no service runs")
    .argument("[url]", "of that database, as in DATABASE_URL")
    .option("--back", "instead: services start on this one again, after a move from it")
    .action(async (url: string | undefined, { back }: { back?: true }, command: Command) => {
      if (back && url === undefined)
        return over(async ({ query }) => {
          if (!(await takeBackMove(query))) throw new StartError("nothing was moved from this database");
          say("services start on this database again; what the other one has got since is not in it");
        }, "nothing");
      if (back || url === undefined || addressesOf(url).length === 0)
        command.error("the URL of the database is none, as in postgresql://user@host/name");
      return over(async ({ query, copying }) => {
        const versions = await versionsOf(query);
        const target = await openDatabase({ ...config, databaseUrl: url }, { empty: versions }).catch(
          (error: Error) => {
            throw new StartError(error.message.replace(" of DATABASE_URL", " to move to"));
          },
        );
        try {
          const counts = await copying!(async (from) => {
            // A service that starts now waits for this, and is seen at the end; one that has started is seen now.
            await from.query("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE");
            const [{ pid }] = (await from.query("SELECT pg_backend_pid() AS pid")) as [{ pid: number }];
            await requireAlone(query, pid);
            // The other database is committed first: what breaks off in between is there twice, and nothing is lost.
            return target.copying!(async (to) => {
              const tables = await listTables(from.query);
              const script = writeScript(from, tables);
              const counts = await loadScript(to, script, { counts: await countRows(from.query, tables), say });
              await requireAlone(query, pid);
              await markMoved(from.query);
              return counts;
            });
          });
          say(`moved ${tellCounts(counts)}: set DATABASE_URL to the other database`);
        } finally {
          await target.close();
        }
      });
    });
