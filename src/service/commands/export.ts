import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { stringify } from "csv-stringify";
import { isUuid } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { Database, Query } from "../database/database.js";
import { createSettled, idAt, type Settled, timeOf } from "../database/event-id.js";
import { noteReading } from "../deletion/audit.js";
import { contactsThere } from "../records/account-and-contact.js";
import { lostPlace } from "../records/lost-places.js";
import {
  csvRow,
  type Exported,
  exportPage,
  exportRows,
  jsonLine,
  type Part,
  TABLES,
  type Table,
} from "../records/read-rows.js";
import type { Commands, Say } from "./context.js";

const POLL_MS = 1_000;
const TELL_MS = 5_000;

/**
 * Hands on events and deletions in the order of their ids as they become settled, one JSON object a line, until told to end.
 *
 * @param which whose, and the id to go on from; the first of all where it is absent
 */
const followEvents = async (
  query: Query,
  { workspace, after = idAt(0) }: { workspace: string; after: string | undefined },
  { stdout, say, signal, bounds }: Pick<Commands, "stdout" | "say" | "bounds"> & { signal: AbortSignal },
): Promise<void> => {
  const settled = createSettled(query, bounds);
  let last = after;
  let told = { last, at: performance.now() };
  const tell = (): void => {
    if (last !== told.last)
      say(`handed on what was stored up to ${new Date(timeOf(last)).toISOString()}; go on with --after ${last}`);
    told = { last, at: performance.now() };
  };
  // The error comes with the line that it is about, too.
  stdout.on("error", () => {});
  try {
    while (!signal.aborted) {
      const lost = await lostPlace(query, workspace, last);
      if (lost !== undefined) throw new StartError(lost);
      for await (const row of settledRows(query, workspace, { after: last, before: idAt(await settled()) })) {
        await write(stdout, `${jsonLine(row)}\n`);
        last = String(row.id);
        if (performance.now() - told.at > TELL_MS) tell();
        if (signal.aborted) return;
      }
      tell();
      await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    }
  } finally {
    tell();
  }
};

const write = (to: Writable, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    to.write(text, (error) => (error ? reject(error) : resolve()));
  });

async function* settledRows(query: Query, workspace: string, part: Part): AsyncGenerator<Exported> {
  const events = (part: Part) => exportRows(query, { table: "events", workspace }, part);
  for (let { after } = part; ; ) {
    const [deletion] = await query<{ id: string; before: string | null; ids: string[] | null; reason: string }>(
      `SELECT id, before, ids, reason FROM deletions WHERE workspace = $1 AND id > $2 AND id < $3 ORDER BY id LIMIT 1`,
      [workspace, after, part.before],
    );
    if (deletion === undefined) return yield* events({ ...part, after });
    const { id, before, ids, reason } = deletion;
    yield* events({ after, before: id });
    yield before === null
      ? { id, deleted: { json: JSON.stringify(ids) }, reason }
      : { id, deleted_before: before, reason };
    after = id;
  }
}

interface Waiting {
  settled: Settled;
  say: Say;
  what?: string;
}

/** Waits until a row is settled, if there is one. Resolves to the first id that is not settled yet. */
export const untilSettled = async (
  newest: string | undefined,
  { settled, say, what = "the newest event" }: Waiting,
): Promise<string> => {
  for (let isTold = false; ; isTold = true) {
    const end = await settled();
    const missing = newest === undefined ? 0 : timeOf(newest) + 1 - end;
    if (missing <= 0) return idAt(end);
    if (!isTold) say(`${what} will be settled in ${Math.ceil(missing / 1_000)} s: waiting until then`);
    await sleep(Math.min(missing, POLL_MS));
  }
};

/** The command `export`: which options it takes, and which of them go together. */
export const addExportCommand = ({ program, workspace, since, until, read, say, bounds, stdout }: Commands): void => {
  program
    .command("export")
    .description("writes events or records to stdout")
    .addArgument(new Argument("[table]", "what").choices(TABLES).default("events"))
    .addOption(format())
    .addOption(since("events received from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("events received before"))
    .option("--contact <uid>", "of this contact only; for events and contacts")
    .addOption(
      new Option("--follow", "goes on for ever with events as they become settled, and with deletions").conflicts([
        "format",
        "since",
        "until",
        "contact",
      ]),
    )
    .addOption(new Option("--after <id>", "with --follow: from this id on").argParser(idArgument))
    .addOption(workspace())
    .action(async (table: Table, options: ExportArguments, command: Command) => {
      const { format, follow, after, ...which } = options;
      if (table !== "events" && follow) command.error("--follow is for events");
      if (!follow && after !== undefined) command.error("--after is for --follow");
      const what = `exported ${table}${follow ? ", and follows" : ""}`;
      const note = (database: Database) => noteReading(database.query, { workspace: which.workspace, what }, say);
      if (follow)
        return read(async (query, database) => {
          await note(database);
          await followEvents(query, { ...which, after }, { stdout, say, signal: ending(), bounds });
        });
      if (table !== "events" && (which.since ?? which.until) !== undefined)
        command.error("--since and --until are for events");
      if (table !== "events" && table !== "contacts" && which.contact !== undefined)
        command.error("--contact is for events and contacts");
      await read(async (query, database) => {
        const { workspace, contact } = which;
        if (contact !== undefined && (await contactsThere(query, workspace, [contact])).length === 0)
          throw new StartError(`there is no contact ${JSON.stringify(contact)} in the workspace ${workspace}`);
        await note(database);
        const options = { table, ...which };
        const part: Part = {};
        // Up to what is settled, once the newest event is: so none is missing that was there at the beginning.
        if (table === "events") {
          const newest = (await exportPage(query, options, { limit: 1, order: "desc" })).rows[0];
          const settled = createSettled(query, bounds);
          part.before = await untilSettled(newest && String(newest.id), { settled, say });
        }
        await writeRows(exportRows(query, options, part), format, stdout);
      });
    });
};

interface ExportArguments {
  format: Format;
  since?: number;
  until?: number;
  contact?: string;
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

/** How rows are written; made anew for each command. */
export const format = () =>
  new Option("--format <format>", "how rows are written").choices(["ndjson", "csv"]).default("ndjson");

/**
 * Uids come from anybody: cells that a spreadsheet would take for a formula begin with an apostrophe, and all but those of null
 * are quoted, for where the comma is the decimal sign a spreadsheet begins a new cell at each semicolon.
 */
const CSV = { header: true, escape_formulas: true, quoted: true };

/** Writes rows to a stream, which stays open where it is that of this process. */
export const writeRows = async (rows: AsyncIterable<Exported>, format: Format, to: Writable): Promise<void> => {
  const end = { end: to !== process.stdout };
  if (format === "ndjson") await pipeline(Readable.from(map(rows, (row) => `${jsonLine(row)}\n`)), to, end);
  else await pipeline(Readable.from(map(rows, csvRow)), stringify(CSV), to, end);
};

async function* map<From, To>(rows: AsyncIterable<From>, change: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield change(row);
}
