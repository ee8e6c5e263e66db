import type { Commands } from "../commands.js";

/** The commands that store events and records. What they need is loaded where it is needed only. */
export const addStoreCommands = ({ program, workspace, over, say }: Commands): void => {
  program
    .command("import")
    .description("stores events, or makes or changes records")
    .argument(
      "<file>",
      "events….ndjson, accounts….ndjson, contacts….ndjson or users….ndjson: one JSON object a line, as export writes it",
    )
    .option("--skip-wrong", "leaves wrong lines out and names them, instead of importing nothing")
    .addOption(workspace())
    .action((file: string, options: { workspace: string; skipWrong?: true }) =>
      over(async (database) => {
        const { importFile } = await import("./import.js");
        const { lines, table } = await importFile(database, { ...options, file, say });
        say(`imported ${lines} ${table}`);
      }),
    );
};
