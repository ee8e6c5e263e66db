import { type Static, Type } from "typebox";
import { Compile } from "typebox/compile";
import { createTombstones } from "../admin/tombstones.js";
import { StartError } from "../config/start-error.js";
import type { Database } from "../database/database.js";
import { continueIds, newIds } from "../database/event-id.js";
import { UUID } from "../database/exact-text.js";
import { BOUNDS, writeInTime } from "../database/transaction-time.js";
import { findMember } from "../ingest/json-text.js";
import { createMissingRecords } from "../ingest/missing-records.js";
import { insertEvents, type NewEvent } from "../ingest/rows.js";
import { check, read } from "./import-lines.js";

const Uid = Type.String({ minLength: 1 });
const Time = Type.Integer({ minimum: 0 });
const Schema = Type.Object(
  {
    id: Type.String({ pattern: UUID.source }),
    received_at: Time,
    occurred_at: Type.Optional(Type.Union([Type.Integer(), Type.Null()])),
    contact_uid: Uid,
    account_uid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    event_uid: Uid,
    params: Type.Object({}, { additionalProperties: true }),
    proven: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
const LINE = Compile(Schema);
type Line = Static<typeof Schema>;

/** Events that are written in one transaction. */
const CHUNK = 500;
/** Events between two lines of progress. */
const TELL_EVERY = 100_000;

/**
 * Stores the events of an export under new ids: what is there already, from an earlier import or as the origin of the
 * export, stays as it is. So an import that broke off is simply begun anew.
 *
 * @throws StartError that names the line that is wrong; nothing is stored then
 */
export const importEvents = async (
  database: Database,
  { workspace, file, say }: { workspace: string; file: string; say(line: string): void },
): Promise<number> => {
  const lines = await check(file, LINE, () => undefined);
  await continueIds(database.query, workspace);
  const missing = createMissingRecords();
  const tombstones = createTombstones(database.query);
  await tombstones.load();
  let erased = 0;
  let stored = 0;
  let chunk: NewEvent[] = [];
  const store = async () => {
    if (chunk.length === 0) return;
    const records = missing(chunk);
    const ids = newIds(chunk.length);
    const events = await notFromHere(database, workspace, chunk);
    const statements = [...records.statements, ...(events.length > 0 ? [insertEvents(ids, events)] : [])];
    records.done(await writeInTime(database, statements, { oldest: ids[0]!, bounds: BOUNDS }));
    stored += chunk.length;
    chunk = [];
    if (stored % TELL_EVERY === 0) say(`${stored} of ${lines} events are imported`);
  };
  try {
    for await (const { line, text } of read(file)) {
      const event = eventOf(line as Line, { workspace, params: findMember(text, "params")!.text });
      if (tombstones.isErased(event)) erased += 1;
      else chunk.push(event);
      if (chunk.length === CHUNK) await store();
    }
    await store();
  } catch (error) {
    const reason = (error as Error).message;
    throw new StartError(`${stored} of ${lines} events are imported, then ${reason}: repeat the command to go on`);
  }
  if (erased > 0) say(`left out ${erased} events of contacts that were erased after them`);
  return lines - erased;
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

const eventOf = (line: Line, { workspace, params }: Pick<NewEvent, "workspace" | "params">): NewEvent => {
  const { event_id: stamp } = line.params as Record<string, unknown>;
  return {
    workspace,
    params,
    contactUid: line.contact_uid,
    accountUid: line.account_uid || undefined,
    eventUid: line.event_uid,
    stamp: typeof stamp === "string" && stamp !== "" ? stamp : undefined,
    receivedAt: line.received_at,
    occurredAt: line.occurred_at ?? undefined,
    originId: line.id,
    isProven: line.proven,
  };
};
