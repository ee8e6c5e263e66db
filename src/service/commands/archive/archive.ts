import { Option } from "commander";
import { type Commands, daysArgument } from "../commands.js";
import type { ArchiveArguments } from "./run.js";

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
        // Its libraries are loaded for this command alone.
        const { runArchive } = await import("./run.js");
        await runArchive(database, place, { ...options, bounds, say });
      }),
    );
