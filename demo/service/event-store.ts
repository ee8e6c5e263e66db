import { randomUUID } from "node:crypto";
import type { Database, Query } from "./database.js";
import type { NewEvent, StoredEvent } from "./event.js";
import { decodeText, digest, encodeText, recordId } from "./exact-text.js";
import { createGroupCommit } from "./group-commit.js";
import { insertMissing } from "./insert.js";
import { LAST_EVENT_ID } from "./schema.sql.js";

export interface EventFilter {
  /** Only events with a higher id. */
  after: number;
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
  /** Events by their ids, whose order is that of the commits. */
  list(filter: EventFilter): Promise<StoredEvent[]>;
  /** The id that no committed event exceeds. */
  lastId(): Promise<number>;
}

/** Contacts remembered as being in the database; forgetting them costs one look by the database. */
const MAX_KNOWN = 100_000;

/** @param onCommit called after each commit, with the number of its events and the seconds that it took */
export const createEventStore = (
  database: Database,
  onCommit: (events: number, seconds: number) => void,
): EventStore => {
  // Contacts are never deleted, so one that was committed once need not be made again.
  const known = new Set<string>();

  const commit = async (events: NewEvent[]): Promise<void> => {
    const began = performance.now();
    const contacts = new Map(events.map(({ contactUid }) => [recordId("contact", contactUid), contactUid]));
    for (const id of contacts.keys()) if (known.has(id)) contacts.delete(id);
    await database.transaction(async (query) => {
      await insertContacts(query, contacts);
      await insertEvents(query, events);
    });
    if (known.size > MAX_KNOWN) known.clear();
    for (const id of contacts.keys()) known.add(id);
    onCommit(events.length, (performance.now() - began) / 1_000);
  };

  return {
    add: createGroupCommit(
      commit,
      ({ params, contactUid, eventUid }) => params.length + contactUid.length + eventUid.length,
    ),
    list: (filter) => list(database.query, filter),
    lastId: async () => {
      const [row] = await database.query<{ value: unknown }>("SELECT value FROM service_state WHERE name = $1", [
        LAST_EVENT_ID,
      ]);
      return Number(row!.value);
    },
  };
};

/** Makes bare records of contacts that are not there yet. */
const insertContacts = (query: Query, contacts: Map<string, string>): Promise<void> => {
  const now = Math.floor(Date.now() / 1_000);
  // Sorted: two processes that make the same contacts in opposite orders would wait for each other for ever.
  const ids = [...contacts.keys()].sort();
  const rows = ids.map((id) => [id, encodeText(contacts.get(id)!), now, false, "{}"]);
  return insertMissing(query, "contacts", ["id", "unique_id", "created_at", "archived", "data"], "id", rows);
};

const insertEvents = async (query: Query, events: NewEvent[]): Promise<void> => {
  // The row stays locked until the commit, so ids are committed in their order, whichever process writes them, and
  // who has read up to an id has missed nothing below it. A sequence would not give that.
  const [position] = await query<{ value: unknown }>(
    "UPDATE service_state SET value = value + $1 WHERE name = $2 RETURNING value",
    [events.length, LAST_EVENT_ID],
  );
  const before = Number(position!.value) - events.length;
  const columns = ["event_key", "id", "received_at", "contact_id", "contact_uid", "event_uid", "params"];
  const rows = events.map((event, index) => [
    event.stamp === undefined ? randomUUID() : `stamp-${digest(event.stamp)}`,
    before + index + 1,
    event.receivedAt,
    recordId("contact", event.contactUid),
    encodeText(event.contactUid),
    encodeText(event.eventUid),
    event.params,
  ]);
  await insertMissing(query, "events", columns, "event_key", rows);
};

const list = async (
  query: Query,
  { after, limit, order = "asc", contactUid, eventUid }: EventFilter,
): Promise<StoredEvent[]> => {
  const parameters: unknown[] = [after, limit];
  const conditions = ["id > $1"];
  if (contactUid !== undefined) conditions.push(`contact_id = $${parameters.push(recordId("contact", contactUid))}`);
  if (eventUid !== undefined) conditions.push(`event_uid = $${parameters.push(encodeText(eventUid))}`);
  const rows = await query<Record<string, unknown>>(
    `SELECT id, received_at, contact_uid, event_uid, params FROM events
     WHERE ${conditions.join(" AND ")} ORDER BY id ${order} LIMIT $2`,
    parameters,
  );
  return rows.map((row) => ({
    id: Number(row.id),
    receivedAt: Number(row.received_at),
    contactUid: decodeText(String(row.contact_uid)),
    eventUid: decodeText(String(row.event_uid)),
    params: String(row.params),
  }));
};
