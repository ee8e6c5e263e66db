import type { Commands } from "../commands.js";

/** The command that brings the tables of a database up to date. */
export const addMigrateCommand = ({ program, over }: Pick<Commands, "program" | "over">) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .action(() => over(async () => {}, "newest tables"));
