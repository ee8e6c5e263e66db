import { createWriteStream } from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { stringify } from "csv-stringify";
import { type ServiceConfig, StartError } from "./config.js";
import type { Database } from "./database.js";
import {
  countNaming,
  deleteContact,
  deleteEventsBefore,
  deleteNaming,
  hasContact,
  similarContacts,
} from "./deletion.js";
import { DEFAULT_WORKSPACE } from "./exact-text.js";
import { csvRow, exportRows, ndjsonLine, TABLES, type Table } from "./export.js";
import { openExisting } from "./open-database.js";
import { DAY_MS } from "./retention.js";
import { rankUsers } from "./user-pages.js";

const HELP = `Usage: npm run --silent service -- [command]

Without a command the service starts. The commands work on its database, which the same environment variables name
(node --env-file=/etc/tracklet.env demo/.service/main.js loads them from a file); they never make one. The embedded
database (TRACKLET_DATA) only while the service is stopped.

  export [events|contacts|accounts|users]   writes them to stdout; events where none is named
      --format ndjson|csv                   default ndjson
      --since 2026-01-31, --until …         events received from then on, and before; UTC
      --output <file>                       writes a file instead
  delete-contact <uid>                      deletes the contact and all its events
      --everywhere                          also events of others whose params name it
  delete-events --older-than <days>         deletes events by their age
  rank-users                                needed after users were removed, or added with an early created_at, by SQL
  help                                      this text

  --workspace <name>                        whose data; default ${DEFAULT_WORKSPACE}
`;

const OPTIONS = {
  format: { type: "string", default: "ndjson" },
  since: { type: "string" },
  until: { type: "string" },
  output: { type: "string" },
  "older-than": { type: "string" },
  everywhere: { type: "boolean", default: false },
  workspace: { type: "string", default: DEFAULT_WORKSPACE },
} as const;

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
export const runCommand = async (args: string[], config: ServiceConfig, output: Output = process): Promise<void> => {
  const { values, positionals } = parse(args);
  const [command, argument, ...rest] = positionals;
  const wrong = (text: string) => new StartError(`${text}; see npm run service -- help`);
  if (rest.length > 0) throw wrong(`"${rest[0]}" is one argument too many`);
  const { workspace } = values;
  if (workspace !== DEFAULT_WORKSPACE && !config.workspaces.some(({ name }) => name === workspace))
    throw wrong(`TRACKLET_WORKSPACES has no workspace "${workspace}"`);
  const over = async (work: (database: Database) => Promise<void>): Promise<void> => {
    const database = await openExisting(config);
    try {
      await work(database);
    } finally {
      await database.close();
    }
  };
  const say = (line: string) => void output.stderr.write(`${line}\n`);

  switch (command) {
    case "help":
      output.stdout.write(HELP);
      return;
    case "export": {
      const table = (argument ?? "events") as Table;
      if (!TABLES.includes(table)) throw wrong(`export knows ${TABLES.join(", ")}, but not "${argument}"`);
      const { format, since, until, output: file } = values;
      if (format !== "ndjson" && format !== "csv") throw wrong(`--format must be ndjson or csv, but is "${format}"`);
      const bounds = { since: time("--since", since), until: time("--until", until) };
      if (table !== "events" && (since ?? until) !== undefined) throw wrong("--since and --until are for events");
      return over(async ({ query }) => {
        const rows = exportRows(query, { table, workspace, ...bounds });
        const to = file === undefined ? output.stdout : createWriteStream(file);
        await (format === "csv" ? writeCsv(rows, to) : pipeline(Readable.from(map(rows, ndjsonLine)), to, END(to)));
      });
    }
    case "delete-contact":
      if (argument === undefined) throw wrong("delete-contact needs the uid of the contact");
      return over(async (database) => {
        const others = await similarContacts(database, workspace, argument);
        const note = others.length > 0 ? `; by case alone differ ${others.map(quote).join(", ")}` : "";
        const isThere = await hasContact(database, workspace, argument);
        const events = await deleteContact(database, workspace, argument);
        const naming = await (values.everywhere ? deleteNaming : countNaming)(database, workspace, argument);
        if (!isThere && !(values.everywhere && naming > 0))
          throw new StartError(`there is no contact ${quote(argument)} in the workspace ${workspace}${note}`);
        if (isThere) say(`deleted the contact ${quote(argument)} and ${events} events${note}`);
        if (values.everywhere) say(`deleted ${naming} events of others that name it`);
        else if (naming > 0) say(`${naming} events name it in their params: repeat with --everywhere to delete these`);
      });
    case "delete-events": {
      const days = Number(values["older-than"]);
      if (!Number.isInteger(days) || days < 1) throw wrong("--older-than must be a number of days, such as 365");
      return over(async (database) => {
        const events = await deleteEventsBefore(database, workspace, Date.now() - days * DAY_MS);
        say(`deleted ${events} events`);
      });
    }
    case "rank-users":
      return over((database) => rankUsers(database, workspace));
    default:
      throw wrong(`there is no command "${command}"`);
  }
};

const quote = (uid: string): string => JSON.stringify(uid);

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new StartError(`${(error as Error).message}; see npm run service -- help`);
  }
};

/** A day or a time (ISO 8601) as epoch milliseconds. */
const time = (name: string, value: string | undefined): number | undefined => {
  if (value === undefined) return undefined;
  const milliseconds = /^\d{4}-\d\d-\d\d(T.+)?$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(milliseconds))
    throw new StartError(`${name} must be a day or a time such as 2026-01-31T12:00:00Z, but is "${value}"`);
  return milliseconds;
};

async function* map<From, To>(rows: AsyncIterable<From>, change: (row: From) => To): AsyncGenerator<To> {
  for await (const row of rows) yield change(row);
}

/** A file is closed after the last row, the process's own output is not. */
const END = (to: Writable) => ({ end: to !== process.stdout });

/** Cells that a spreadsheet would take for a formula begin with an apostrophe: uids come from anybody. */
const writeCsv = (rows: AsyncIterable<Parameters<typeof csvRow>[0]>, to: Writable): Promise<void> =>
  pipeline(Readable.from(map(rows, csvRow)), stringify({ header: true, escape_formulas: true }), to, END(to));
