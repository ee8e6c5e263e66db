import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "csv-stringify";
import { isUuid } from "../base/exact-text.js";
import { fileReason, StartError } from "../base/start-error.js";
import type { Database } from "../database/database.js";
import { createSettled } from "../database/settled.js";
import { noteReading } from "../deletion/audit.js";
import { csvRow, type Exported, exportRows, jsonLine, TABLES, type Table } from "../records/export.js";
import { hasContact } from "../records/records.js";
import type { Commands } from "./commands.js";
import { exportSettled, followEvents } from "./follow.js";

/** The command `export`: which options it takes, and which of them go together. */
export const addExportCommand = ({
  program,
  workspace,
  since,
  until,
  reading,
  say,
  bounds,
  stdout,
}: Commands): void => {
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
      const what = `exported ${table}${follow ? ", and follows" : ""}`;
      const note = (database: Database) => noteReading(database.query, { workspace: which.workspace, what }, say);
      if (follow)
        return reading(async (query, database) => {
          await note(database);
          await followEvents(query, { ...which, after }, { stdout, say, signal: ending(), bounds });
        });
      if (table !== "events" && (which.since ?? which.until) !== undefined)
        command.error("--since and --until are for events");
      if (table !== "events" && table !== "contacts" && which.contact !== undefined)
        command.error("--contact is for events and contacts");
      await reading(async (query, database) => {
        if (which.contact !== undefined && !(await hasContact(query, which.workspace, which.contact)))
          throw new StartError(
            `there is no contact ${JSON.stringify(which.contact)} in the workspace ${which.workspace}`,
          );
        await note(database);
        const settled = createSettled(query, bounds);
        const rows =
          table === "events"
            ? await exportSettled(query, { table, ...which }, { settled, say })
            : exportRows(query, { table, ...which });
        await writeRows(rows, { format, file, stdout });
      });
    });
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

export type Format = "ndjson" | "csv";

/** How rows are written, and where to; made anew for each command. */
export const format = () =>
  new Option("--format <format>", "how rows are written").choices(["ndjson", "csv"]).default("ndjson");
export const file = () => new Option("--output <file>", "writes a file instead");

/** Where rows go, and how they are written. */
interface Target {
  format: Format;
  /** A file, or else a stream, which stays open. */
  file: string | undefined;
  stdout: Writable;
}

/**
 * Uids come from anybody: cells that a spreadsheet would take for a formula begin with an apostrophe, and all but those of null
 * are quoted, for where the comma is the decimal sign a spreadsheet begins a new cell at each semicolon.
 */
const CSV = { header: true, escape_formulas: true, quoted: true };

/** Writes rows; a file has its name only once all are in it. */
export const writeRows = async (rows: AsyncIterable<Exported>, { format, file, stdout }: Target): Promise<void> => {
  const part = `${file}.part`;
  const to = file === undefined ? stdout : createWriteStream(part);
  const end = { end: to !== process.stdout };
  try {
    if (format === "ndjson") await pipeline(Readable.from(map(rows, (row) => `${jsonLine(row)}\n`)), to, end);
    else await pipeline(Readable.from(map(rows, csvRow)), stringify(CSV), to, end);
    if (file !== undefined) await rename(part, file);
  } catch (error) {
    if (file === undefined) throw error;
    await rm(part, { force: true });
    const reason = error as NodeJS.ErrnoException;
    throw reason.code === undefined
      ? error
      : new StartError(`--output ${file} cannot be written: ${fileReason(reason)}`);
  }
};

async function* map<From, To>(rows: AsyncIterable<From>, change: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield change(row);
}
