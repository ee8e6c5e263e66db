import { Command, CommanderError } from "commander";
import { StartError } from "../base/start-error.js";
import type { ServiceConfig } from "../config/options.js";
import { BOUNDS } from "../database/event-id.js";
import { SERVICE } from "../database/migrations.js";
import { HttpError } from "../http/error-answers.js";
import { addArchiveCommand } from "./archive/write-days.js";
import { addBackupCommand } from "./backup.js";
import { addCheckCommand } from "./check.js";
import { createCommands, type Shell } from "./context.js";
import { addDeleteCommands } from "./delete.js";
import { addDumpCommand } from "./dump.js";
import { addEraseCommands } from "./erase.js";
import { addExportCommand } from "./export.js";
import { addImportCommand } from "./import.js";
import { addLeftOutCommands } from "./left-out.js";
import { addLossCommand } from "./loss.js";
import { addMigrateCommand } from "./migrate.js";
import { addMoveCommand } from "./move-to.js";
import { addPlanCommand } from "./plan.js";
import { addReportCommand } from "./report.js";
import { addRestoreCommand } from "./restore.js";
import { addMcpCommand, addSqlCommand } from "./sql.js";
import { addTokenCommands, addWorkspaceCommands } from "./workspaces.js";

/**
 * Runs a command of the service's command line.
 *
 * @throws StartError that says what is wrong with the command, or that the database cannot be used
 */
export const runCommand = async (
  args: string[],
  config: ServiceConfig,
  { stdout, stderr, bounds = BOUNDS }: Pick<Shell, "stdout" | "stderr"> & Partial<Pick<Shell, "bounds">> = process,
): Promise<void> => {
  try {
    await describeCommands({ config, bounds, stdout, stderr }).parseAsync(args, { from: "user" });
  } catch (error) {
    // What a request is answered with.
    if (error instanceof HttpError) throw new StartError(error.message);
    if (!(error instanceof CommanderError)) throw error;
    // What asks for help ends by an error, too.
    if (error.exitCode === 0 || error.code === "commander.help") return;
    const text = error.message.replace(/^error: |\.$/g, "").replaceAll("\n", " ");
    throw new StartError(`${text}; see tracklet-service help`);
  }
};

const describeCommands = (told: Shell): Command => {
  const program = new Command(SERVICE)
    .usage("[command]")
    .description(
      "Without a command the service starts. The commands work on its database, which the same environment variables name " +
        "(node --env-file=/etc/tracklet.env build/service/main.js loads them from a file); they never make one, but for restore and move-to. " +
        "They work while the service runs, too.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => told.stdout.write(text),
      writeErr: (text) => told.stdout.write(text),
      outputError: () => {},
    });
  const commands = createCommands(program, told);
  for (const add of [
    addExportCommand,
    addLossCommand,
    addImportCommand,
    addSqlCommand,
    addEraseCommands,
    addDeleteCommands,
    addWorkspaceCommands,
    addTokenCommands,
    addLeftOutCommands,
    addCheckCommand,
    addPlanCommand,
    addReportCommand,
    addMcpCommand,
    addArchiveCommand,
    addBackupCommand,
    addDumpCommand,
    addRestoreCommand,
    addMoveCommand,
    addMigrateCommand,
  ])
    add(commands);
  return program;
};
