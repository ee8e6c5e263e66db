import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { type Static, type TObject, Type } from "typebox";
import type { Validator } from "typebox/compile";
import { listWorkspaces } from "../access/tokens.js";
import { idOf, type NewRecord, type Table, TRAITS, Uid, writeRecords } from "../admin/write-records.js";
import {
  DEFAULT_WORKSPACE,
  digest,
  filledText,
  findMember,
  isUuid,
  nearName,
  parseJson,
  readLines,
} from "../base/exact-text.js";
import { viewOf } from "../base/params.js";
import { cannotRead, StartError } from "../base/start-error.js";
import { SECONDS, TIME } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { continueIds, transactInTime } from "../database/event-id.js";
import { createGeneration, writeAtGeneration } from "../database/generation.js";
import { createTombstones } from "../deletion/tombstones.js";
import type { Count } from "../ingest/schemas.js";
import { type NewEvent, stampOf } from "../ingest/store/event-rows.js";
import { createEventStore, REPEATED, type StoreOptions } from "../ingest/store/event-store.js";
import { type Table as ExportTable, exportRows, jsonLine, TABLES } from "../records/read-rows.js";
import type { Commands, Say } from "./context.js";
import { analyze } from "./dump.js";

/** Events or records that are stored together, and the characters of their lines. */
const [CHUNK, CHUNK_LENGTH] = [500, 8 * 2 ** 20];
const TELL_EVERY = 100_000;

/** What is stored together. */
async function* chunksOf(lines: AsyncIterable<Line>): AsyncGenerator<Line[]> {
  let [chunk, length]: [Line[], number] = [[], 0];
  for await (const one of lines) {
    chunk.push(one);
    length += one.text.length;
    if (chunk.length < CHUNK && length <= CHUNK_LENGTH) continue;
    yield chunk;
    [chunk, length] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

/** Stores lines; resolves to how many of them were here already, and how many are of contacts that were erased after what they tell. */
type Store = (lines: readonly Line[]) => Promise<{ repeated: number; erased: number }>;

/**
 * Stores events as if they were sent, under new ids: what is there already, from an earlier import or as the origin of the export, stays as
 * it is. So an import that broke off is simply begun anew.
 */
const storeEvents = async (database: Database, workspace: string): Promise<Store> => {
  await continueIds(database.query, workspace);
  let erased = 0;
  const count: Count = (name, _, amount = 1) => {
    if (name === "events_of_erased_total") erased += amount;
  };
  const { add } = createEventStore(database, { ...(await readState(database)), count });
  return async (lines) => {
    erased = 0;
    const news = await notFromHere(
      database,
      workspace,
      lines.map((line) => eventOf(line, workspace)),
    );
    const left = [...(await add(news)).values()];
    const failed = left.find((why) => why !== REPEATED);
    if (failed !== undefined) throw failed;
    return { repeated: lines.length - news.length + left.length, erased };
  };
};

/** Those that were not exported from this very database, where they are under their former ids. */
const notFromHere = async ({ query }: Database, workspace: string, events: NewEvent[]): Promise<NewEvent[]> => {
  const rows = await query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 AND id IN (SELECT unnest($2::uuid[]))",
    [workspace, events.map(({ originId }) => originId)],
  );
  const present = new Set(rows.map(({ id }) => id));
  return events.filter(({ originId }) => !present.has(originId!));
};

const strict = { additionalProperties: false };
const keys = {
  /** Given out by the service, and written by `export`; derived from `unique_id` anew. */
  id: Type.Optional(Type.String()),
  unique_id: Uid,
};
const Account = Type.Object({ ...keys, ...TRAITS.account }, strict);
const Contact = Type.Object({ ...keys, ...TRAITS.contact }, strict);
const User = Type.Object(
  {
    id: Type.Optional(Uid),
    email: Uid,
    name: Type.String(),
    role: Type.String(),
    enabled: Type.Optional(Type.Boolean()),
    created_at: Type.Optional(Type.Integer(SECONDS)),
  },
  strict,
);

const Time = Type.Integer(TIME);
const Event = Type.Object(
  {
    /** A UUID, as `export` writes it, or what another tool calls it by. */
    id: Uid,
    received_at: Time,
    occurred_at: Type.Optional(Type.Union([Time, Type.Null()])),
    contact_uid: Uid,
    account_uid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    event_uid: Uid,
    params: Type.Object({}, { additionalProperties: true }),
    proven: Type.Optional(Type.Boolean()),
    stamped: Type.Optional(Type.Boolean()),
  },
  strict,
);
type EventLine = Static<typeof Event>;

const SCHEMAS = { events: Event, accounts: Account, contacts: Contact, users: User };

/**
 * Stores records, but for contacts that were erased after what a line tells of them. A line that does not say since when there is such a
 * contact tells of the one that was erased.
 */
const storeRecords = async (database: Database, table: Table, workspace: string): Promise<Store> => {
  const { generation, erased } = await readState(database);
  const contactOf = ({ unique_id }: NewRecord) => ({ workspace, contactUid: unique_id! });
  return (lines) => {
    const records = lines.map(({ line }) => line as NewRecord);
    return writeAtGeneration(generation, async (believed) => {
      const erasedAt = await erased.of(table === "contacts" ? records.map(contactOf) : []);
      const kept = records.filter((record) => {
        const at = erasedAt(contactOf(record));
        return at === undefined || (record.created_at ?? 0) * 1_000 >= at;
      });
      const write = (query: Query) => writeRecords(query, table, workspace, kept);
      if (kept.length > 0) await transactInTime(database, write, { generation: believed });
      return { repeated: 0, erased: records.length - kept.length };
    });
  };
};

/** What a command that stores must know of the database, read anew where the generation has moved: as a running service does. */
export const readState = async ({
  query,
}: Database): Promise<Pick<StoreOptions, "generation" | "erased" | "isServed">> => {
  const erased = createTombstones(query);
  let workspaces: string[] = [];
  const generation = await createGeneration(query, {
    moved: async () => {
      workspaces = await listWorkspaces(query);
      await erased.load();
    },
  });
  // That one is never deleted.
  return {
    generation,
    erased,
    isServed: (workspace) => workspace === DEFAULT_WORKSPACE || workspaces.includes(workspace),
  };
};

export const addImportCommand = ({ program, workspace, use, say }: Commands): void => {
  program
    .command("import")
    .description("stores events, or makes or changes records")
    .argument(
      "<file>",
      "events….ndjson, accounts….ndjson, contacts….ndjson or users….ndjson: one JSON object a line, as export writes it",
    )
    .addOption(workspace())
    .action((file: string, options: { workspace: string }) => {
      const table = TABLES.find((name) => basename(file).startsWith(name));
      if (table === undefined)
        throw new StartError(
          `the name of ${file} must begin with events, accounts, contacts or users, which says what it holds`,
        );
      return use(async (database) => {
        await importLines(database, { ...options, name: file, read: () => read(file), table, say });
        await analyze(database);
      });
    });
};

/**
 * Stores events, or makes or changes records, by lines of one table. All are checked before the first one is stored.
 *
 * @throws StartError that names the lines that are wrong; nothing is stored then
 */
const importLines = async (database: Database, { workspace, name, read, table, say }: ImportOptions): Promise<void> => {
  const seen = new Map<string, number>();
  let withoutAccount = 0;
  const lines = await check({ name, read }, SCHEMAS[table], ({ line, number }) => {
    if (table === "events") {
      if (accountOf(line as EventLine) === undefined) withoutAccount += 1;
      return undefined;
    }
    const id = idOf(table, workspace, line as NewRecord);
    if (seen.has(id)) return `it is of the same record as line ${seen.get(id)}`;
    seen.set(id, number);
    return undefined;
  });
  if (withoutAccount > 0) say(`${withoutAccount} of ${lines} events have no account`);
  let [done, repeated, erased] = [0, 0, 0];
  const so = () => `${done} of ${lines} ${table} are done`;
  try {
    const store = await (table === "events"
      ? storeEvents(database, workspace)
      : storeRecords(database, table, workspace));
    for await (const chunk of chunksOf(read())) {
      const more = await store(chunk);
      repeated += more.repeated;
      erased += more.erased;
      done += chunk.length;
      if (done % TELL_EVERY === 0) say(so());
    }
  } catch (error) {
    throw new StartError(`${so()}, then ${(error as Error).message}: repeat the command to go on`);
  }
  if (repeated > 0) say(`${repeated} of ${done} events were here already`);
  if (erased > 0)
    say(
      table === "events"
        ? `left out ${erased} events of contacts that were erased after them`
        : `left out ${erased} contacts that were erased; PUT /v2/contacts makes one anew`,
    );
  say(`imported ${done - repeated - erased} ${table}`);
};

/** Imports into a workspace what `export` writes of another one of the same database; what broke off is begun anew. */
export const copyWorkspace = async (
  database: Database,
  { from, to, say }: { from: string; to: string; say: Say },
): Promise<void> => {
  for (const table of ["users", "accounts", "contacts", "events"] as const) {
    const read = async function* () {
      let number = 0;
      for await (const { id, ...rest } of exportRows(database.query, { table, workspace: from })) {
        // That of a record is of its workspace.
        const text = jsonLine(table === "events" ? { id: id!, ...rest } : rest);
        yield { line: parseJson(text), text, number: ++number };
      }
    };
    await importLines(database, { workspace: to, name: `${table} of ${from}`, read, table, say });
  }
  await analyze(database);
};

interface ImportOptions {
  workspace: string;
  /** What is told of where the lines are. */
  name: string;
  read(): AsyncIterable<Line>;
  table: ExportTable;
  say: Say;
}

/** As over the interface, the account is a member of the params; `export` writes it beside them, too. */
const accountOf = ({ account_uid, params }: EventLine): string | undefined =>
  filledText(account_uid) ?? filledText((params as Record<string, unknown>).account_uid);

const eventOf = ({ line, text }: Line, workspace: string): NewEvent => {
  const { contact_uid, event_uid, params, stamped, received_at, occurred_at, id, proven } = line as EventLine;
  return {
    workspace,
    params: findMember(text, "params")!.text,
    contactUid: contact_uid,
    accountUid: accountOf(line as EventLine),
    eventUid: event_uid,
    stamp: stampOf(params, stamped === false),
    ...viewOf(event_uid, params),
    receivedAt: received_at,
    occurredAt: occurred_at ?? undefined,
    originId: isUuid(id) ? id : digest(id),
    isProven: proven,
  };
};

interface Line {
  line: unknown;
  text: string;
  number: number;
}

/** The lines of a file that are not empty. */
async function* read(file: string): AsyncGenerator<Line> {
  let number = 0;
  try {
    for await (const text of readLines(createReadStream(file))) {
      number += 1;
      if (text.trim() === "") continue;
      yield { line: parseJson(text), text, number };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    cannotRead(file)(error as Error);
  }
}

/** Wrong lines that are told of. */
const MAX_TOLD = 20;

/**
 * Checks all lines; resolves to their number.
 *
 * @param more says what else is wrong with a line, if anything
 * @throws StartError that names the lines that are wrong
 */
const check = async (
  { name, read }: Pick<ImportOptions, "name" | "read">,
  schema: TObject,
  more: (line: Line) => string | undefined,
): Promise<number> => {
  const { Compile } = await import("typebox/compile");
  const validator = Compile(schema);
  let lines = 0;
  const told: string[] = [];
  for await (const one of read()) {
    const what = wrongWith(one, validator, Object.keys(schema.properties)) ?? more(one);
    lines += 1;
    if (what !== undefined && told.push(`line ${one.number}: ${what}`) === MAX_TOLD) break;
  }
  if (told.length > 0) throw new StartError(`${name}, ${told.join("\n")}; nothing was imported`);
  return lines;
};

const wrongWith = ({ line }: Line, validator: Validator, known: string[]): string | undefined => {
  if (line === undefined) return "it is no JSON";
  const [error] = validator.Errors(line);
  if (error === undefined) return undefined;
  const name = error.instancePath.slice(1).replaceAll("/", ".") || "it";
  // The schema of what else there is.
  if (error.keyword !== "boolean") return `${name} ${error.message}`;
  const meant = nearName(name, known);
  return `${name} is not known${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
};
