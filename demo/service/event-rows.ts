import type { Statement } from "./database.js";
import type { NewEvent, StoredEvent } from "./event.js";
import { decodeText, digest, encodeText, recordId } from "./exact-text.js";

/** The columns of an event, their types, and what they hold. */
const COLUMNS: readonly [name: string, type: string, value: (event: NewEvent) => string | null][] = [
  ["contact_id", "text", (event) => recordId("contact", event.contactUid, event.workspace)],
  ["workspace", "text", (event) => event.workspace],
  ["contact_uid", "text", (event) => encodeText(event.contactUid)],
  ["account_uid", "text", (event) => (event.accountUid === undefined ? null : encodeText(event.accountUid))],
  ["event_uid", "text", (event) => encodeText(event.eventUid)],
  ["received_at", "bigint", (event) => String(event.receivedAt)],
  ["occurred_at", "bigint", (event) => (event.occurredAt === undefined ? null : String(event.occurredAt))],
  ["stamp", "text", (event) => (event.stamp === undefined ? null : digest(event.stamp))],
  ["params", "text", (event) => event.params],
];

// One array a column: the same statement, prepared once, whatever the number of rows.
const INSERT = `INSERT INTO events (id, ${COLUMNS.map(([name]) => name).join(", ")})
SELECT * FROM unnest($1::uuid[], ${COLUMNS.map(([, type], index) => `$${index + 2}::${type}[]`).join(", ")})
ON CONFLICT DO NOTHING`;

/** Stores events under their ids; of those with a stamp that the contact has had already, none. */
export const insertEvents = (ids: readonly string[], events: readonly NewEvent[]): Statement => {
  const order = [...events.keys()];
  // Stamps in one order: two transactions with the same ones in opposite orders would wait for each other for ever.
  if (events.some(({ stamp }) => stamp !== undefined))
    order.sort((a, b) => ((events[a]!.stamp ?? "") < (events[b]!.stamp ?? "") ? -1 : 1));
  return {
    name: "insert_events",
    text: INSERT,
    values: [order.map((at) => ids[at]), ...COLUMNS.map(([, , value]) => order.map((at) => value(events[at]!)))],
  };
};

/** What `readEvent` needs, in SQL. */
export const EVENT_COLUMNS = "id, received_at, contact_uid, event_uid, params";

export const readEvent = (row: Record<string, unknown>): StoredEvent => ({
  id: String(row.id),
  receivedAt: Number(row.received_at),
  contactUid: decodeText(String(row.contact_uid)),
  eventUid: decodeText(String(row.event_uid)),
  params: String(row.params),
});
