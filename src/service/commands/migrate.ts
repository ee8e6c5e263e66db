import type { Commands } from "./commands.js";
import { analyzeAll } from "./dump.js";

/** The command that brings the tables of a database to where this build wants them. */
export const addMigrateCommand = ({ program, over }: Commands) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .action(() => over(analyzeAll, "newest tables"));
