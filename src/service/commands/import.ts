import { createReadStream } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import { type Static, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { digest, filledText, isUuid, parseJson } from "../base/exact-text.js";
import { findMember } from "../base/json-text.js";
import { viewOf } from "../base/params.js";
import { fileReason, StartError } from "../base/start-error.js";
import { TIME } from "../base/times.js";
import type { Database } from "../database/database.js";
import { type NewEvent, stampOf } from "../ingest/store/rows.js";
import { idOf, type Table, type Told } from "../person/traits.js";
import { exportRows, jsonLine } from "../records/export.js";
import type { Say } from "./commands.js";
import { LINES, storeEvents, storeRecords } from "./store.js";

/**
 * Stores events, or makes or changes records, by the lines of a file, whose name begins with what they are. All lines
 * are checked before the first one is stored.
 *
 * @throws StartError that names the line that is wrong
 */
export const importFile = async (database: Database, options: ImportOptions) => {
  const { workspace, file, say, skipWrong } = options;
  const table = ([...Object.keys(LINES), "events"] as (Table | "events")[]).find((name) =>
    basename(file).startsWith(name),
  );
  if (table === undefined)
    throw new StartError(
      `the name of ${file} must begin with events, accounts, contacts or users, which says what it holds`,
    );
  if (table === "events") return { table, lines: await importEvents(database, options) };
  const seen = new Map<string, number>();
  const more = ({ line, number }: { line: unknown; number: number }): string | undefined => {
    const id = idOf(table, workspace, line as Told);
    if (seen.has(id)) return `it is of the same record as line ${seen.get(id)}`;
    seen.set(id, number);
    return undefined;
  };
  const leaveOut = skipWrong ? say : undefined;
  const { lines, wrong } = await check(file, { schema: LINES[table], more, leaveOut });
  const right = async function* () {
    for await (const { line, number } of read(file)) if (!wrong.has(number)) yield line as Told;
  };
  const erased = await storeRecords(database, right(), { table, workspace });
  if (erased > 0) say(`left out ${erased} contacts that were erased; PUT /v2/contacts makes one anew`);
  return { lines: lines - erased, table };
};

/**
 * Copies the records and events of a workspace into another one of the same database; what is there of them already stays as it is, so a
 * copy that broke off is begun anew. Resolves to the numbers.
 */
export const copyWorkspace = async (
  database: Database,
  { from, to, say }: { from: string; to: string; say: Say },
): Promise<{ events: number; records: number }> => {
  let records = 0;
  for (const table of Object.keys(LINES) as Table[]) {
    const lines = async function* () {
      for await (const row of exportRows(database.query, { table, workspace: from })) {
        // The id is of its workspace.
        const { id, ...line } = JSON.parse(jsonLine(row));
        records += 1;
        yield line as Told;
      }
    };
    const erased = await storeRecords(database, lines(), { table, workspace: to });
    records -= erased;
  }
  const events = async function* () {
    for await (const row of exportRows(database.query, { table: "events", workspace: from })) {
      const text = jsonLine(row);
      yield eventOf(JSON.parse(text) as EventLine, { workspace: to, params: findMember(text, "params")!.text });
    }
  };
  return { events: await storeEvents(database, events(), { workspace: to, lines: undefined, say }), records };
};

const Uid = Type.String({ minLength: 1 });
const Time = Type.Integer(TIME);
const Schema = Type.Object(
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
const EVENT = Compile(Schema);
type EventLine = Static<typeof Schema>;

interface ImportOptions {
  workspace: string;
  file: string;
  say: Say;
  /** Are wrong lines left out, instead of ending it? */
  skipWrong?: boolean | undefined;
}

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
const importEvents = async (
  database: Database,
  { workspace, file, say, skipWrong = false }: ImportOptions,
): Promise<number> => {
  let withoutAccount = 0;
  const more = ({ line }: { line: unknown }) => {
    if (accountOf(line as EventLine) === undefined) withoutAccount += 1;
    return undefined;
  };
  const { lines, wrong } = await check(file, { schema: EVENT, more, leaveOut: skipWrong ? say : undefined });
  if (withoutAccount > 0) say(`${withoutAccount} of ${lines} events have no account`);
  const events = async function* () {
    for await (const { line, text, number } of read(file))
      if (!wrong.has(number)) yield eventOf(line as EventLine, { workspace, params: findMember(text, "params")!.text });
  };
  return storeEvents(database, events(), { workspace, lines, say });
};

/** As over the interface, the account is a member of the params; `export` writes it beside them, too. */
const accountOf = ({ account_uid, params }: EventLine): string | undefined =>
  filledText(account_uid) ?? filledText((params as Record<string, unknown>).account_uid);

/** The event that a line of an export tells of. */
const eventOf = (line: EventLine, { workspace, params }: Pick<NewEvent, "workspace" | "params">): NewEvent => ({
  workspace,
  params,
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

/** A line of a file of one JSON object a line. */
interface Line {
  line: unknown;
  text: string;
  number: number;
}

/** The lines of a file that are not empty. */
async function* read(file: string): AsyncGenerator<Line> {
  let number = 0;
  const input = createReadStream(file);
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (text.trim() === "") continue;
      yield { line: parseJson(text), text, number };
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? error
      : new StartError(`${file} cannot be read: ${fileReason(error as Error)}`);
  }
}

/** Wrong lines that are told of one by one. */
const MAX_TOLD = 20;

interface Checked {
  /** Those that are right. */
  lines: number;
  /** The numbers of the others, where these are left out. */
  wrong: ReadonlySet<number>;
}

interface Checking {
  schema: Validator;
  /** Says what else is wrong with a line, if anything. */
  more?: (line: Line) => string | undefined;
  /** Is told of wrong lines, which are left out then; without it the first one ends the import. */
  leaveOut?: ((line: string) => void) | undefined;
}

/**
 * Checks all lines, before the first one is stored.
 *
 * @throws StartError that names the line that is wrong
 */
const check = async (file: string, { schema, more, leaveOut }: Checking): Promise<Checked> => {
  let lines = 0;
  const wrong = new Set<number>();
  for await (const one of read(file)) {
    const what = wrongWith(one, schema) ?? more?.(one);
    if (what === undefined) {
      lines += 1;
      continue;
    }
    if (leaveOut === undefined) throw new StartError(`${file}, line ${one.number}: ${what}; nothing was imported`);
    if (wrong.size < MAX_TOLD) leaveOut(`line ${one.number} is left out: ${what}`);
    wrong.add(one.number);
  }
  if (wrong.size > 0) leaveOut?.(`${wrong.size} lines are wrong and left out, ${lines} are right`);
  return { lines, wrong };
};

const wrongWith = ({ line }: Line, schema: Validator): string | undefined => {
  if (line === undefined) return "it is no JSON";
  const [error] = schema.Errors(line);
  return error && `${error.instancePath.slice(1).replaceAll("/", ".") || "it"} ${error.message}`;
};
