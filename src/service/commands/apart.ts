import { Option } from "commander";
import type { ArchiveArguments } from "./archive/run.js";
import { type Commands, daysArgument } from "./commands.js";
import { analyze } from "./copy.js";

/* Commands whose libraries are loaded for them alone. */

/** The command that puts events into files which warehouses read, and takes out of them whoever was erased. */
export const addArchiveCommand = ({ program, workspace, over, say, bounds }: Commands) =>
  program
    .command("archive")
    .description(
      "puts the events of each day that is over into a Parquet file, and takes whoever was erased out of files; for cron",
    )
    .argument("<place>", "a folder")
    .option("--now", "also what has come of today, into a file of its own; the rest follows in another one")
    .option("--check", "instead: compares the files with the database")
    .option("--forget", "instead: the database knows no more of this archive, whose files nobody keeps clean then")
    .addOption(
      new Option(
        "--delete-older-than <days>",
        "instead: deletes from the database what is older, and is in these files",
      ).argParser(daysArgument),
    )
    .addOption(workspace().default(undefined, "all"))
    .action((place: string, options: ArchiveArguments) =>
      over(async (database) => {
        const { runArchive } = await import("./archive/run.js");
        await runArchive(database, place, { ...options, bounds, say });
      }),
    );

/** The command that stores events and records. */
export const addImportCommand = ({ program, workspace, over, say }: Commands): void => {
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
        await database.copying?.(({ query }) => analyze(query));
        say(`imported ${lines} ${table}`);
      }),
    );
};

/** The command by which an assistant asks. */
export const addMcpCommand = ({ program, config, say }: Commands): void => {
  program
    .command("mcp")
    .description(
      "lets an assistant ask, by the Model Context Protocol over stdin and stdout: which events there are, and the questions of docs/service/sql.md",
    )
    .addOption(
      new Option(
        "--token <token>",
        "an access token, of whose workspace alone is told; others on this machine see an argument, and not the variable",
      )
        .env("MCP_ACCESS_TOKEN")
        .makeOptionMandatory(),
    )
    .action(async ({ token }: { token: string }) => {
      const { serveAssistant } = await import("./assistant.js");
      await serveAssistant(config, token, say);
    });
};
