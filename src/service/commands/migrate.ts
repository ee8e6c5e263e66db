import { spreadTables } from "../database/postgres/spread.js";
import type { Commands } from "./context.js";
import { analyze } from "./dump.js";

export const addMigrateCommand = ({ program, use, say }: Commands) =>
  program
    .command("migrate")
    .description("brings the tables up to date, while the service runs, too")
    .option(
      "--spread",
      "instead: spreads them over the nodes of Citus, where they held events before; leaves those alone that are spread",
    )
    .action(({ spread }: { spread?: true }) =>
      spread
        ? use((database) => spreadTables(database).then(() => say("all tables are spread")))
        : use(analyze, "newest tables"),
    );
