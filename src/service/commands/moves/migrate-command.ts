import { migrateDatabase } from "../../database/open-database.js";
import type { Commands } from "../commands.js";

/** The command that brings the tables of a database up to date. */
export const addMigrateCommand = ({ program, config, say }: Pick<Commands, "program" | "config" | "say">) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .action(() => migrateDatabase(config, say));
