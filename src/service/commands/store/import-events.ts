import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { UUID } from "../../base/exact-text.js";
import { findMember } from "../../base/json-text.js";
import { viewOf } from "../../base/page-of.js";
import { StartError } from "../../base/start-error.js";
import { TIME } from "../../base/times.js";
import type { Database } from "../../database/database.js";
import { continueIds } from "../../database/event-id.js";
import { type NewEvent, stampOf } from "../../ingest/store/rows.js";
import { createEventStore } from "../../ingest/store/store.js";
import type { Reading } from "../../person/mapping.js";
import { type Change, check, read } from "./import-lines.js";
import { readState } from "./state.js";

const Uid = Type.String({ minLength: 1 });
const Time = Type.Integer(TIME);
const Schema = Type.Object(
  {
    id: Type.String({ pattern: UUID.source }),
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
const LINE = Compile(Schema);
export type Line = Static<typeof Schema>;

/** Events that are stored together, and the characters of their params. */
const [CHUNK, CHUNK_LENGTH] = [500, 8 * 2 ** 20];
/** Events between two lines of progress. */
const TELL_EVERY = 100_000;

export interface ImportOptions {
  workspace: string;
  file: string;
  say(line: string): void;
  /** A file that says where the members of an event are in a line, see `mapping.ts`; without it they are those of an export. */
  map?: string | undefined;
  /** With `map`: are visitors taken, too, whom nobody has named? */
  anonymous?: boolean | undefined;
  /** Are wrong lines left out, instead of ending it? */
  skipWrong?: boolean | undefined;
}

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @param reading of a file that is none of `export`
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
export const importEvents = async (
  database: Database,
  { workspace, file, say, skipWrong = false }: ImportOptions,
  reading?: Reading,
): Promise<number> => {
  const leftOut = new Map<string, number>();
  const tell = (why: string) => leftOut.set(why, (leftOut.get(why) ?? 0) + 1);
  const change = (tell: (why: string) => void) => (reading === undefined ? undefined : changeBy(reading, tell));
  const checked = await check(file, { schema: LINE, change: change(tell), leaveOut: skipWrong ? say : undefined });
  const { lines, wrong } = checked;
  for (const [why, count] of leftOut) say(`left out ${count} lines ${why}`);
  const events = async function* () {
    for await (const { line, text, number } of read(
      file,
      change(() => {}),
    ))
      if (!wrong.has(number)) yield eventOf(line as Line, { workspace, params: findMember(text, "params")!.text });
  };
  return storeEvents(database, events(), { workspace, lines, say });
};

/** Makes of each line one of an export. @param leftOut hears why one is none */
const changeBy =
  ({ event }: Reading, leftOut: (why: string) => void): Change =>
  ({ text, number }) => {
    const mapped = event(text.trim());
    if (typeof mapped === "string") return void leftOut(mapped);
    return { line: mapped.line, number, text: `{"params":${mapped.params}}` };
  };

/** Stores events that come from elsewhere as if they were sent; resolves to how many are new. */
export const storeEvents = async (
  database: Database,
  events: AsyncIterable<NewEvent>,
  { workspace, lines, say }: { workspace: string; lines: number | undefined; say(line: string): void },
): Promise<number> => {
  await continueIds(database.query, workspace);
  const so = (read: number) => `${read}${lines === undefined ? "" : ` of ${lines}`} events are done`;
  let [read, erased, repeated, length] = [0, 0, 0, 0];
  const leftOut = () => {
    erased += 1;
  };
  const onRepeat = () => {
    repeated += 1;
  };
  const { add } = createEventStore(database, { ...(await readState(database)), leftOut });
  let chunk: NewEvent[] = [];
  const store = async () => {
    const news = await notFromHere(database, workspace, chunk);
    repeated += chunk.length - news.length;
    await Promise.all(news.map((event) => add({ ...event, onRepeat })));
    read += chunk.length;
    [chunk, length] = [[], 0];
    if (read % TELL_EVERY === 0) say(so(read));
  };
  try {
    for await (const event of events) {
      chunk.push(event);
      length += event.params.length;
      if (chunk.length === CHUNK || length > CHUNK_LENGTH) await store();
    }
    if (chunk.length > 0) await store();
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

export const eventOf = (line: Line, { workspace, params }: Pick<NewEvent, "workspace" | "params">): NewEvent => ({
  workspace,
  params,
  contactUid: line.contact_uid,
  accountUid: line.account_uid || undefined,
  eventUid: line.event_uid,
  stamp: stampOf(line.params, line.stamped === false),
  ...viewOf(line.event_uid, line.params),
  receivedAt: line.received_at,
  occurredAt: line.occurred_at ?? undefined,
  originId: line.id,
  isProven: line.proven,
});
