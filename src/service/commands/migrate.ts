import type { Command } from "commander";
import { spreadTables } from "../database/postgres/spread-tables.js";
import type { Commands } from "./commands.js";

/** The command that brings the tables of a database up to date. */
export const addMigrateCommand = ({ program, over }: Pick<Commands, "program" | "over">) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .action(() => over(async () => {}, "newest tables"));

/** The command that spreads the tables of a database that held events before it had Citus. */
export const addSpreadCommand = ({ program, over, say }: Pick<Commands, "program" | "over" | "say">): Command =>
  program
    .command("spread")
    .description("spreads the tables over the nodes of Citus, and leaves those alone that are spread")
    .action(() =>
      over(async (database) => {
        const spread = await spreadTables(database);
        for (const { table, column } of spread)
          say(column === null ? `put ${table} on all nodes` : `spread ${table} by ${column}`);
        if (spread.length === 0) say("all tables are spread already");
      }),
    );
