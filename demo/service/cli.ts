import type { Writable } from "node:stream";
import { parseArgs } from "node:util";
import type { ServiceConfig } from "./config.js";
import type { Database, Query } from "./database.js";
import { deleteContactCommand, deleteWorkspaceCommand } from "./delete-commands.js";
import { deleteEventsBefore, hasContact } from "./deletion.js";
import { DEFAULT_WORKSPACE } from "./exact-text.js";
import { type Exported, TABLES, type Table } from "./export.js";
import { type Format, writeExport, writeRows } from "./export-command.js";
import { HELP } from "./help.js";
import { findMember } from "./json-text.js";
import { tellLoss } from "./loss.js";
import { openExisting, openForReading } from "./open-database.js";
import { DAY_MS } from "./retention.js";
import { StartError } from "./start-error.js";
import { readTime } from "./time-argument.js";
import { rankUsers } from "./user-pages.js";

const OPTIONS = {
  format: { type: "string", default: "ndjson" },
  since: { type: "string" },
  until: { type: "string" },
  contact: { type: "string" },
  output: { type: "string" },
  "older-than": { type: "string" },
  everywhere: { type: "boolean", default: false },
  workspace: { type: "string", default: DEFAULT_WORKSPACE },
  help: { type: "boolean", short: "h", default: false },
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
  if (values.help || command === "help") return void output.stdout.write(HELP);
  if (rest.length > 0) throw wrong(`"${rest[0]}" is one argument too many`);
  const { workspace, contact, output: file } = values;
  if (workspace !== DEFAULT_WORKSPACE && !config.workspaces.some(({ name }) => name === workspace))
    throw wrong(`TRACKLET_WORKSPACES has no workspace "${workspace}"`);
  const say = (line: string) => void output.stderr.write(`${line}\n`);
  const needed = (what: string): string => {
    if (!argument) throw wrong(`${command} needs ${what}`);
    return argument;
  };
  const over = (work: (database: Database) => Promise<void>) => using(openExisting(config), work);
  const reading = (work: (query: Query) => Promise<void>) => using(openForReading(config), ({ query }) => work(query));
  const bounds = () => ({ since: readTime("--since", values.since), until: readTime("--until", values.until) });
  const target = { format: values.format as Format, file, stdout: output.stdout };
  if (!["ndjson", "csv"].includes(target.format))
    throw wrong(`--format must be ndjson or csv, but is "${target.format}"`);

  switch (command) {
    case "export": {
      const table = (argument ?? "events") as Table;
      if (!TABLES.includes(table)) throw wrong(`export knows ${TABLES.join(", ")}, but not "${argument}"`);
      const within = bounds();
      if (table !== "events" && (values.since ?? values.until) !== undefined)
        throw wrong("--since and --until are for events");
      if (table !== "events" && table !== "contacts" && contact !== undefined)
        throw wrong("--contact is for events and contacts");
      return reading(async (query) => {
        if (contact !== undefined && !(await hasContact(query, workspace, contact)))
          throw new StartError(`there is no contact ${JSON.stringify(contact)} in the workspace ${workspace}`);
        await writeExport(query, { table, workspace, contact, ...within }, target);
      });
    }
    case "sql": {
      const sql = needed("a query").replace(/[;\s]+$/, "");
      return reading(async (query) => {
        // As JSON of the database itself: each driver has types of its own.
        const rows = await query<{ row: string }>(
          `SELECT row_to_json(answer)::text AS row FROM (${sql}
) AS answer`,
        ).catch((error: Error) => {
          throw new StartError(`the query cannot be answered, it must be one SELECT: ${error.message}`);
        });
        await writeRows(toExported(rows), target);
      });
    }
    case "loss": {
      const within = bounds();
      return reading(async (query) => void output.stdout.write(await tellLoss(query, { workspace, ...within })));
    }
    case "import":
      return over(async (database) => {
        // Loaded where it is needed only.
        const { importFile } = await import("./import.js");
        const { lines, table } = await importFile(database, workspace, needed("a file such as accounts.ndjson"));
        say(`imported ${lines} ${table}`);
      });
    case "delete-contact":
      return over((database) =>
        deleteContactCommand(database, workspace, { uid: needed("the uid of the contact"), say, ...values }),
      );
    case "delete-workspace": {
      const name = needed("the name of a workspace");
      if (name === DEFAULT_WORKSPACE || config.workspaces.some((one) => one.name === name))
        throw wrong(`"${name}" is in use: remove it from TRACKLET_WORKSPACES first`);
      return over((database) => deleteWorkspaceCommand(database, name, say));
    }
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

const wrong = (text: string) => new StartError(`${text}; see npm run service -- help`);

const using = async <T extends { close(): Promise<void> }>(opening: Promise<T>, work: (it: T) => Promise<void>) => {
  const it = await opening;
  try {
    await work(it);
  } finally {
    await it.close();
  }
};

/** Members of an object keep the text that they have in its JSON: numbers may be beyond a double. */
async function* toExported(rows: { row: string }[]): AsyncGenerator<Exported> {
  for (const { row } of rows)
    yield Object.fromEntries(
      Object.entries(JSON.parse(row)).map(([name, value]) => [
        name,
        typeof value === "number" || (typeof value === "object" && value !== null)
          ? { json: findMember(row, name)!.text }
          : (value as string | boolean | null),
      ]),
    );
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw wrong((error as Error).message);
  }
};
