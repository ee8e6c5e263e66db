import type { Database } from "./database.js";
import type { NewEvent, StoredEvent } from "./event.js";
import { newIds, newWriter } from "./event-id.js";
import { EVENT_COLUMNS, insertEvents, readEvent } from "./event-rows.js";
import { encodeText, recordId } from "./exact-text.js";
import { type Commit, createGroupCommit } from "./group-commit.js";
import { createMissingRecords } from "./missing-records.js";

export interface EventFilter {
  workspace: string;
  /** Only events with a higher id. */
  after?: string | undefined;
  /** At most so many. */
  limit: number;
  /** By id; `desc` gives the latest first. Default `asc`. */
  order?: "asc" | "desc" | undefined;
  contactUid?: string | undefined;
  eventUid?: string | undefined;
}

export interface EventStore {
  /** Stores an event; resolves once it is committed. */
  add(event: NewEvent): Promise<void>;
  /** Stores an event and takes it back, in one transaction: nobody sees it, and all that an event needs is tried. */
  probe(): Promise<void>;
  /** Events by their ids. */
  list(filter: EventFilter): Promise<StoredEvent[]>;
}

/** Transactions under way at a time: while the database commits one, this process prepares the next. */
const WRITERS = 2;

/** What is called after each commit, with the number of its events and the seconds that it took. */
type OnCommit = (events: number, seconds: number) => void;

export const createEventStore = (database: Database, onCommit: OnCommit): EventStore => {
  const missing = createMissingRecords();
  return {
    add: createGroupCommit(
      Array.from({ length: WRITERS }, () => createWriter(database, missing, onCommit)),
      ({ params, contactUid, eventUid }) => params.length + contactUid.length + eventUid.length,
    ),
    probe: () => probe(database),
    list: (filter) => list(database, filter),
  };
};

/** Belongs to nobody. */
const PROBE: NewEvent = {
  workspace: "",
  contactUid: "",
  accountUid: undefined,
  eventUid: "",
  params: "{}",
  stamp: undefined,
  receivedAt: 0,
  occurredAt: undefined,
};

const probe = (database: Database): Promise<void> => {
  const writer = newWriter();
  const [id] = newIds(writer, 1);
  return database.write([
    announce(writer, id!, id!),
    insertEvents([id!], [PROBE]),
    { name: "remove_probe", text: "DELETE FROM events WHERE id = $1 AND workspace = ''", values: [id] },
    { name: "remove_probe_writer", text: "DELETE FROM writers WHERE id = $1", values: [writer] },
  ]);
};

/**
 * Commits batches one after another. With each it says how far it has come, so that who follows the events knows which
 * of them to read, see `event-feed.ts`.
 */
const createWriter = (
  database: Database,
  missing: ReturnType<typeof createMissingRecords>,
  onCommit: OnCommit,
): Commit<NewEvent> => {
  let writer = newWriter();
  return async (events) => {
    const began = performance.now();
    const ids = newIds(writer, events.length);
    const records = missing(events);
    try {
      await database.write([announce(writer, ids[0]!, ids.at(-1)!), ...records.statements, insertEvents(ids, events)]);
      records.done();
    } catch (error) {
      // Nobody knows whether a broken connection commits it yet: what follows must not overtake it under the same name.
      writer = newWriter();
      throw error;
    }
    onCommit(events.length, (performance.now() - began) / 1_000);
  };
};

const announce = (writer: string, first: string, last: string) => ({
  name: "announce_writer",
  text: `INSERT INTO writers (id, opened, position) VALUES ($1, $2, $3)
         ON CONFLICT (id) DO UPDATE SET position = excluded.position`,
  values: [writer, first, last],
});

const list = async (database: Database, filter: EventFilter): Promise<StoredEvent[]> => {
  const { workspace, after, limit, order = "asc", contactUid, eventUid } = filter;
  const values: unknown[] = [workspace, limit];
  const conditions = ["workspace = $1"];
  if (after !== undefined) conditions.push(`id > $${values.push(after)}`);
  if (contactUid !== undefined)
    conditions.push(`contact_id = $${values.push(recordId("contact", contactUid, workspace))}`);
  if (eventUid !== undefined) {
    const at = values.push(encodeText(eventUid));
    conditions.push(`left(event_uid, 64) = left($${at}, 64) AND event_uid = $${at}`);
  }
  const rows = await database.query<Record<string, unknown>>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE ${conditions.join(" AND ")} ORDER BY id ${order} LIMIT $2`,
    values,
  );
  return rows.map(readEvent);
};
