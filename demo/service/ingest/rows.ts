import type { Statement } from "../database/database.js";
import { digest, encodeText, recordId } from "../database/exact-text.js";

/** An event on its way into the database. */
export interface NewEvent {
  /** Whose data it is. */
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  eventUid: string;
  /** JSON text of an object, stored as it is. */
  params: string;
  /** The caller's id of the event: a second event of the contact with it is a repeat and not stored. */
  stamp: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Epoch milliseconds, as the caller says. */
  occurredAt: number | undefined;
  /** The network of the client, see `missing-records.ts`. */
  from?: string;
  /** Is called where it is committed that it was stored before. */
  onRepeat?(): void;
  /** Of one that is imported: the id that it had elsewhere. It is not stored a second time, and its id says nothing of its time. */
  originId?: string;
}

type Column = readonly [name: string, type: string, value: (event: NewEvent) => string | null];

/** The columns of an event, their types, and what they hold. */
const COLUMNS: readonly Column[] = [
  ["contact_id", "uuid", (event) => recordId("contact", event.contactUid, event.workspace)],
  ["workspace", "text", (event) => event.workspace],
  ["contact_uid", "text", (event) => encodeText(event.contactUid)],
  ["account_uid", "text", (event) => (event.accountUid === undefined ? null : encodeText(event.accountUid))],
  ["event_uid", "text", (event) => encodeText(event.eventUid)],
  ["received_at", "bigint", (event) => String(event.receivedAt)],
  ["occurred_at", "bigint", (event) => (event.occurredAt === undefined ? null : String(event.occurredAt))],
  ["stamp", "uuid", (event) => (event.stamp === undefined ? null : digest(event.stamp))],
  ["params", "text", (event) => event.params],
];
const IMPORTED: readonly Column[] = [...COLUMNS, ["origin_id", "uuid", (event) => event.originId ?? null]];

// One array a column: the same statement, prepared once, whatever the number of rows.
const insert = (columns: readonly Column[], condition = "") => {
  const names = ["id", ...columns.map(([name]) => name)].join(", ");
  const arrays = columns.map(([, type], index) => `$${index + 2}::${type}[]`).join(", ");
  return `INSERT INTO events (${names})
SELECT ${names} FROM unnest($1::uuid[], ${arrays}) AS new (${names})${condition}
ON CONFLICT DO NOTHING RETURNING id::text`;
};
const INSERT = insert(COLUMNS);
/** What was exported from this very database is there under its former id. */
const IMPORT = insert(
  IMPORTED,
  "\nWHERE NOT EXISTS (SELECT 1 FROM events WHERE events.contact_id = new.contact_id AND events.id = new.origin_id)",
);

/** Stores events under their ids; of those with a stamp that the contact has had already, none. */
export const insertEvents = (ids: readonly string[], events: readonly NewEvent[]): Statement => {
  const isImport = events.some(({ originId }) => originId !== undefined);
  const columns = isImport ? IMPORTED : COLUMNS;
  const order = [...events.keys()];
  // Stamps in one order: two transactions with the same ones in opposite orders would wait for each other for ever.
  if (events.some(({ stamp }) => stamp !== undefined))
    order.sort((a, b) => ((events[a]!.stamp ?? "") < (events[b]!.stamp ?? "") ? -1 : 1));
  return {
    name: isImport ? "import_events" : "insert_events",
    text: isImport ? IMPORT : INSERT,
    values: [order.map((at) => ids[at]), ...columns.map(([, , value]) => order.map((at) => value(events[at]!)))],
  };
};
