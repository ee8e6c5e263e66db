import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { type Static, type TSchema, Type } from "typebox";
import type { Validator } from "typebox/compile";
import { listWorkspaces } from "../access/tokens.js";
import { idOf, type NewRecord, type Table, TRAITS, Uid, writeRecords } from "../admin/write-records.js";
import { DEFAULT_WORKSPACE, digest, filledText, findMember, isUuid, parseJson, readLines } from "../base/exact-text.js";
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
import { analyzeAll } from "./dump.js";

/** Events or records that are stored together, and the characters of the params of those events. */
const [CHUNK, CHUNK_LENGTH] = [500, 8 * 2 ** 20];
const TELL_EVERY = 100_000;

/** What is stored together. @param lengthOf characters that one takes in memory */
async function* chunksOf<T>(all: AsyncIterable<T>, lengthOf: (one: T) => number = () => 0): AsyncGenerator<T[]> {
  let [chunk, length]: [T[], number] = [[], 0];
  for await (const one of all) {
    chunk.push(one);
    length += lengthOf(one);
    if (chunk.length < CHUNK && length <= CHUNK_LENGTH) continue;
    yield chunk;
    [chunk, length] = [[], 0];
  }
  if (chunk.length > 0) yield chunk;
}

/** Stores events that come from elsewhere as if they were sent; resolves to how many are new. */
const storeEvents = async (
  database: Database,
  events: AsyncIterable<NewEvent>,
  { workspace, lines, say }: { workspace: string; lines: number; say: Say },
): Promise<number> => {
  await continueIds(database.query, workspace);
  const so = (read: number) => `${read} of ${lines} events are done`;
  let [read, erased, repeated] = [0, 0, 0];
  const count: Count = (name, _, amount = 1) => {
    if (name === "events_of_erased_total") erased += amount;
  };
  const { add } = createEventStore(database, { ...(await readState(database)), count });
  try {
    for await (const chunk of chunksOf(events, ({ params }) => params.length)) {
      const news = await notFromHere(database, workspace, chunk);
      repeated += chunk.length - news.length;
      for (const why of (await add(news)).values()) {
        if (why !== REPEATED) throw why;
        repeated += 1;
      }
      read += chunk.length;
      if (read % TELL_EVERY === 0) say(so(read));
    }
  } catch (error) {
    throw new StartError(`${so(read)}, then ${(error as Error).message}: repeat the command to go on`);
  }
  if (repeated > 0) say(`${repeated} of ${read} events were here already`);
  if (erased > 0) say(`left out ${erased} events of contacts that were erased after them`);
  return read - erased - repeated;
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

const LINES = { accounts: Account, contacts: Contact, users: User };

/**
 * Stores records, but for contacts that were erased after what a line tells of them; resolves to the number of those. A line that
 * does not say since when there is such a contact tells of the one that was erased.
 */
const storeRecords = async (
  database: Database,
  lines: AsyncIterable<Line>,
  { table, workspace }: { table: Table; workspace: string },
): Promise<number> => {
  const { generation, erased: graves } = await readState(database);
  let erased = 0;
  for await (const chunk of chunksOf(lines)) {
    const records = chunk.map(({ line }) => line as NewRecord);
    const contactOf = ({ unique_id }: NewRecord) => ({ workspace, contactUid: unique_id! });
    erased += await writeAtGeneration(generation, async (believed) => {
      const erasedAt = await graves.of(table === "contacts" ? records.map(contactOf) : []);
      const kept = records.filter((record) => {
        const at = erasedAt(contactOf(record));
        return at === undefined || (record.created_at ?? 0) * 1_000 >= at;
      });
      const write = (query: Query) => writeRecords(query, table, workspace, kept);
      if (kept.length > 0) await transactInTime(database, write, { generation: believed });
      return records.length - kept.length;
    });
  }
  return erased;
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
    .option("--skip-wrong", "leaves wrong lines out and names them, instead of importing nothing")
    .addOption(workspace())
    .action((file: string, options: { workspace: string; skipWrong?: true }) => {
      const table = TABLES.find((name) => basename(file).startsWith(name));
      if (table === undefined)
        throw new StartError(
          `the name of ${file} must begin with events, accounts, contacts or users, which says what it holds`,
        );
      return use(async (database) => {
        await importLines(database, { ...options, name: file, read: () => read(file), table, say });
        await analyzeAll(database);
      });
    });
};

/**
 * Stores events, or makes or changes records, by lines of one table. All are checked before the first one is stored.
 *
 * @throws StartError that names the lines that are wrong
 */
const importLines = async (database: Database, options: ImportOptions): Promise<void> => {
  const { workspace, say, table } = options;
  if (table === "events") return say(`imported ${await importEvents(database, options)} events`);
  const seen = new Map<string, number>();
  const { lines, right } = await check(options, LINES[table], ({ line, number }) => {
    const id = idOf(table, workspace, line as NewRecord);
    if (seen.has(id)) return `it is of the same record as line ${seen.get(id)}`;
    seen.set(id, number);
    return undefined;
  });
  const erased = await storeRecords(database, right(), { table, workspace });
  if (erased > 0) say(`left out ${erased} contacts that were erased; PUT /v2/contacts makes one anew`);
  say(`imported ${lines - erased} ${table}`);
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
  await analyzeAll(database);
};

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
  { additionalProperties: false },
);
type EventLine = Static<typeof Event>;

interface ImportOptions {
  workspace: string;
  /** What is told of where the lines are. */
  name: string;
  read(): AsyncIterable<Line>;
  table: ExportTable;
  say: Say;
  /** Are wrong lines left out, instead of ending it? */
  skipWrong?: true;
}

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
const importEvents = async (database: Database, options: ImportOptions): Promise<number> => {
  const { workspace, say } = options;
  let withoutAccount = 0;
  const { lines, right } = await check(options, Event, ({ line }) => {
    if (accountOf(line as EventLine) === undefined) withoutAccount += 1;
    return undefined;
  });
  if (withoutAccount > 0) say(`${withoutAccount} of ${lines} events have no account`);
  const events = async function* () {
    for await (const { line, text } of right()) yield eventOf(line as EventLine, workspace, text);
  };
  return storeEvents(database, events(), { workspace, lines, say });
};

/** As over the interface, the account is a member of the params; `export` writes it beside them, too. */
const accountOf = ({ account_uid, params }: EventLine): string | undefined =>
  filledText(account_uid) ?? filledText((params as Record<string, unknown>).account_uid);

const eventOf = (line: EventLine, workspace: string, text: string): NewEvent => ({
  workspace,
  params: findMember(text, "params")!.text,
  contactUid: line.contact_uid,
  accountUid: accountOf(line),
  eventUid: line.event_uid,
  stamp: stampOf(line.params, line.stamped === false),
  ...viewOf(line.event_uid, line.params),
  receivedAt: line.received_at,
  occurredAt: line.occurred_at ?? undefined,
  originId: isUuid(line.id) ? line.id : digest(line.id),
  isProven: line.proven,
});

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
 * Checks all lines, before the first one is stored; resolves to those that are right, and their number.
 *
 * @param more says what else is wrong with a line, if anything
 * @throws StartError that names the lines that are wrong, where these are not left out
 */
const check = async (
  { name, read, skipWrong, say }: ImportOptions,
  schema: TSchema,
  more: (line: Line) => string | undefined,
) => {
  const { Compile } = await import("typebox/compile");
  const validator = Compile(schema);
  let lines = 0;
  const wrong = new Set<number>();
  const told: string[] = [];
  for await (const one of read()) {
    const what = wrongWith(one, validator) ?? more(one);
    if (what === undefined) lines += 1;
    else if (wrong.add(one.number).size <= MAX_TOLD) told.push(`line ${one.number}: ${what}`);
    else if (!skipWrong) break;
  }
  const text = `${name}, ${told.join("\n")}`;
  if (wrong.size > 0 && !skipWrong) throw new StartError(`${text}; nothing was imported`);
  if (wrong.size > 0) say(`${text}\n${wrong.size} lines are wrong and left out, ${lines} are right`);
  const right = async function* () {
    for await (const one of read()) if (!wrong.has(one.number)) yield one;
  };
  return { lines, right };
};

const wrongWith = ({ line }: Line, validator: Validator): string | undefined => {
  if (line === undefined) return "it is no JSON";
  const [error] = validator.Errors(line);
  return error && `${error.instancePath.slice(1).replaceAll("/", ".") || "it"} ${error.message}`;
};
