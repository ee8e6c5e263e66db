import type { Writable } from "node:stream";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { listWorkspaces } from "../access/token-store.js";
import { DEFAULT_WORKSPACE, isUuid } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import { readTime, TIME_EXPECTED } from "../base/times.js";
import type { ServiceConfig } from "../config/options.js";
import type { Database, Query } from "../database/database.js";
import { SERVICE } from "../database/migrations.js";
import { openExisting, openForReading } from "../database/open-database.js";
import { createSettled } from "../database/settled.js";
import { BOUNDS } from "../database/transaction-time.js";
import { hasContact } from "../records/contacts.js";
import { exportRows, TABLES, type Table } from "../records/export-page.js";
import { addArchiveCommand } from "./archive/archive-command.js";
import { addMcpCommand } from "./assistant/mcp.js";
import { addPlanCommand } from "./attach/plan.js";
import { addCheckCommand } from "./check.js";
import { addDeleteCommands } from "./delete.js";
import { addEraseCommands } from "./erase.js";
import { type Format, writeRows } from "./export.js";
import { exportSettled, followEvents } from "./follow.js";
import { addLeftOutCommands } from "./leave-out.js";
import { tellLoss } from "./loss.js";
import { addDumpCommand } from "./moves/dump.js";
import { addMigrateCommand } from "./moves/migrate-folder.js";
import { addMoveCommand } from "./moves/move-to.js";
import { addRestoreCommand } from "./moves/restore.js";
import { addSpreadCommand } from "./moves/spread.js";
import { addSqlCommand, file, format } from "./sql.js";
import { addTokenCommands } from "./tokens.js";

/** Where results go; the process's own unless a test says otherwise. */
export interface Output {
  stdout: Writable;
  stderr: Writable;
}

/**
 * Runs a command of the service's command line.
 *
 * @throws StartError that says what is wrong with the command, or that the database cannot be used
 */
export const runCommand = async (
  args: string[],
  config: ServiceConfig,
  { bounds = BOUNDS, ...output }: Output & { bounds?: typeof BOUNDS } = {
    stdout: process.stdout,
    stderr: process.stderr,
  },
): Promise<void> => {
  try {
    await describeCommands(config, output, bounds).parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // What asks for help ends by an error, too.
    if (error.exitCode === 0 || error.code === "commander.help") return;
    const text = error.message.replace(/^error: |\.$/g, "").replaceAll("\n", " ");
    throw new StartError(`${text}; see npm run service -- help`);
  }
};

const describeCommands = (config: ServiceConfig, output: Output, bounds: typeof BOUNDS): Command => {
  const program = new Command(SERVICE)
    .usage("[command]")
    .description(
      "Without a command the service starts. The commands work on its database, which the same environment variables name " +
        "(node --env-file=/etc/tracklet.env build/service/main.js loads them from a file); they never make one, but for restore and move-to. " +
        "They work while the service runs, too.",
    )
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.stdout.write(text),
      writeErr: (text) => output.stdout.write(text),
      outputError: () => {},
    });
  const workspace = () =>
    new Option("--workspace <name>", "whose data").default(DEFAULT_WORKSPACE).argParser((name: string) => {
      asked = name;
      return name;
    });
  let asked: string | undefined;
  const requireWorkspace = async (query: Query): Promise<void> => {
    if (asked !== undefined && !(await listWorkspaces(query)).includes(asked))
      throw new StartError(`there is no workspace "${asked}"; see npm run service -- workspace list`);
  };
  const over = (work: (database: Database) => Promise<void>) =>
    using(openExisting(config), async (database) => {
      await requireWorkspace(database.query);
      await work(database);
    });
  const reading = (work: (query: Query) => Promise<void>) =>
    using(openForReading(config), async ({ query }) => {
      await requireWorkspace(query);
      await work(query);
    });
  const say = (line: string) => void output.stderr.write(`${line}\n`);
  const since = (what: string) => new Option("--since <time>", what).argParser(timeArgument);
  const until = (what: string) => new Option("--until <time>", what).argParser(timeArgument);

  program
    .command("export")
    .description("writes events or records to stdout")
    .addArgument(new Argument("[table]", "what").choices(TABLES).default("events"))
    .addOption(format())
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .option("--contact <uid>", "of this contact only; for events and contacts")
    .addOption(file())
    .addOption(
      new Option("--follow", "goes on for ever with events as they become settled, and with deletions").conflicts([
        ...["format", "since", "until", "contact", "output"],
      ]),
    )
    .addOption(new Option("--after <id>", "with --follow: from this id on").argParser(idArgument))
    .addOption(workspace())
    .action(async (table: Table, options: ExportArguments, command: Command) => {
      const { format, output: file, follow, after, ...which } = options;
      if (table !== "events" && follow) command.error("--follow is for events");
      if (!follow && after !== undefined) command.error("--after is for --follow");
      if (follow)
        return reading((query) =>
          followEvents(query, { ...which, after }, { ...output, say, signal: ending(), bounds }),
        );
      if (table !== "events" && (which.since ?? which.until) !== undefined)
        command.error("--since and --until are for events");
      if (table !== "events" && table !== "contacts" && which.contact !== undefined)
        command.error("--contact is for events and contacts");
      await reading(async (query) => {
        if (which.contact !== undefined && !(await hasContact(query, which.workspace, which.contact)))
          throw new StartError(
            `there is no contact ${JSON.stringify(which.contact)} in the workspace ${which.workspace}`,
          );
        const settled = createSettled(query, bounds);
        const rows =
          table === "events"
            ? await exportSettled(query, { table, ...which }, { settled, say })
            : exportRows(query, { table, ...which });
        await writeRows(rows, { format, file, stdout: output.stdout });
      });
    });
  program
    .command("loss")
    .description(
      "counts the events that are missing, of pages with stamp: true, by the day on which the page was opened",
    )
    .addOption(since("pages opened from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("pages opened before"))
    .addOption(workspace())
    .action((options: Pick<ExportArguments, "since" | "until" | "workspace">) =>
      reading(async (query) => void output.stdout.write(await tellLoss(query, options))),
    );
  program
    .command("import")
    .description("stores events, or makes or changes records")
    .argument(
      "<file>",
      "events….ndjson, accounts….ndjson, contacts….ndjson or users….ndjson: one JSON object a line, as export writes it",
    )
    .option("--map <file>", "of events that another tool has exported: where their members are, as JSON")
    .option("--anonymous", "with --map: also visitors whom nobody has named")
    .option("--skip-wrong", "leaves wrong lines out and names them, instead of importing nothing")
    .addOption(workspace())
    .action((file: string, options: { workspace: string; map?: string; anonymous?: true; skipWrong?: true }) =>
      over(async (database) => {
        // Loaded where it is needed only.
        const { importFile } = await import("./store/import.js");
        const { lines, table } = await importFile(database, { ...options, file, say });
        say(`imported ${lines} ${table}`);
      }),
    );
  program
    .command("send-dead-letters")
    .description(
      "stores the events of dead letters (TRACKLET_DEAD_LETTERS) that are no longer refused, each stamped one once",
    )
    .option("--may-repeat", "also events without a stamp, which may be stored already")
    .addOption(workspace())
    .action(({ workspace, mayRepeat = false }: { workspace: string; mayRepeat?: boolean }) =>
      over(async (database) => {
        const { sendDeadLetters } = await import("./store/send-dead-letters.js");
        say(await sendDeadLetters(database, config, { workspace, mayRepeat }));
      }),
    );
  const write = (lines: readonly string[]) => void output.stdout.write(lines.join(""));
  const commands = { program, config, workspace, since, until, over, reading, say, write, bounds };
  addSqlCommand(commands, output.stdout);
  addEraseCommands(commands);
  addDeleteCommands(commands);
  addTokenCommands(commands);
  addLeftOutCommands(commands);
  addCheckCommand(commands);
  addPlanCommand(commands);
  addMcpCommand(commands);
  addArchiveCommand(commands);
  addSpreadCommand(commands);
  addDumpCommand(commands);
  addRestoreCommand(commands);
  addMoveCommand(commands);
  addMigrateCommand(commands);
  return program;
};

interface ExportArguments {
  format: Format;
  since?: number;
  until?: number;
  contact?: string;
  output: string | undefined;
  follow?: true;
  after?: string;
  workspace: string;
}

const timeArgument = (value: string): number => {
  const time = readTime(value);
  if (time === undefined) throw new InvalidArgumentError(`It ${TIME_EXPECTED}`);
  return time;
};

const idArgument = (value: string): string => {
  if (!isUuid(value)) throw new InvalidArgumentError("It must be the id of an event");
  return value;
};

/** What runs for ever is ended by a signal, and says how far it has come. */
const ending = (): AbortSignal => {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => controller.abort());
  return controller.signal;
};

const using = async <T extends { close(): Promise<void> }>(opening: Promise<T>, work: (it: T) => Promise<void>) => {
  const it = await opening;
  try {
    await work(it);
  } finally {
    await it.close();
  }
};
