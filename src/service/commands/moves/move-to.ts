import type { Command } from "commander";
import { StartError } from "../../base/start-error.js";
import { addressesOf } from "../../config/database-url.js";
import { markMoved, versionsOf } from "../../database/migrate.js";
import { openEmpty } from "../../database/open-database.js";
import type { Commands } from "../commands.js";
import { requireAlone } from "./alone.js";
import { copyTables, tellCounts } from "./tables.js";

type Needed = Pick<Commands, "program" | "config" | "over" | "say">;

/** The command that moves all data to another database, and lets no service start on this one any more. */
export const addMoveCommand = ({ program, config, over, say }: Needed) =>
  program
    .command("move-to")
    .description("copies all tables into an empty database of another server, while no service runs")
    .argument("<url>", "of that database, as in DATABASE_URL")
    .action((url: string, _options: object, command: Command) => {
      if (addressesOf(url).length === 0)
        command.error("the URL of the database is none, as in postgresql://user@host/name");
      return over(async ({ query, copying }) => {
        const versions = await versionsOf(query);
        const target = await openEmpty({ ...config, databaseUrl: url }, versions).catch((error: Error) => {
          throw new StartError(error.message.replace(" of DATABASE_URL", " to move to"));
        });
        try {
          const counts = await copying!(async (from) => {
            // A service that starts now waits for this, and is seen at the end; one that has started is seen now.
            await from.query("LOCK TABLE schema_migrations IN ACCESS EXCLUSIVE MODE");
            const [{ pid }] = (await from.query("SELECT pg_backend_pid() AS pid")) as [{ pid: number }];
            await requireAlone(query, pid);
            // The other database is committed first: what breaks off in between is there twice, and nothing is lost.
            return target.copying!(async (to) => {
              const counts = await copyTables(from, to);
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
