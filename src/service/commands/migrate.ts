import type { Database } from "../database/database.js";
import { spreadTables } from "../database/postgres/spread.js";
import type { Commands, Say } from "./commands.js";
import { analyze } from "./dump.js";

/** The command that brings the tables of a database to where this build wants them. */
export const addMigrateCommand = ({ program, over, say }: Commands) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .option(
      "--spread",
      "instead: spreads them over the nodes of Citus, where they held events before; leaves those alone that are spread",
    )
    .action(({ spread }: { spread?: true }) =>
      spread
        ? over((database) => spreadOver(database, say))
        : over(async ({ copying }) => copying?.(({ query }) => analyze(query)), "newest tables"),
    );

const spreadOver = async (database: Database, say: Say): Promise<void> => {
  const spread = await spreadTables(database);
  for (const { table, column } of spread)
    say(column === null ? `put ${table} on all nodes` : `spread ${table} by ${column}`);
  if (spread.length === 0) say("all tables are spread already");
};
