import { digest, encodeText, filledText, isUuid, recordId } from "../base/exact-text.js";
import type { Statement } from "../database/database.js";
import { createAppend, createInsert } from "../database/insert-rows.js";

/** An event on its way into the database. */
export interface NewEvent {
  /** Whose data it is. */
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  eventUid: string;
  /** Did its proof of identity hold? Nothing where none was looked at. */
  isProven?: boolean | undefined;
  /** JSON text of an object, stored as it is. */
  params: string;
  /** See `stampOf`: a second event of the contact with it is a repeat and not stored. */
  stamp: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** Epoch milliseconds, as the caller says. */
  occurredAt: number | undefined;
  /** The network of the client, see `missing-records.ts`. */
  from?: string;
  /** See `Told`. */
  erasedAt?: number | undefined;
  /** Is called where it is committed that it was stored before. */
  onRepeat?(): void;
  /** Of one that is imported: the id that it had elsewhere. It is not stored a second time, and its id says nothing of its time. */
  originId?: string;
}

/**
 * By which a repeat of an event is known: its `event_id`. Of a server it is any text. A page may give tickets and the like
 * such a member, too, and means another thing: there it counts only as the script stamps events, as a UUID beside source and
 * number.
 *
 * @param params of the event
 * @param isOfPage whether the token came in the URL, and is one of pages
 */
export const stampOf = (params: unknown, isOfPage: boolean): string | undefined => {
  const { event_id, event_source, event_seq } = Object(params) as Record<string, unknown>;
  const stamp = filledText(event_id);
  const isOfScript = isUuid(stamp ?? "") && filledText(event_source) !== undefined && Number.isInteger(event_seq);
  return isOfScript || !isOfPage ? stamp : undefined;
};

type Column = readonly [name: string, value: (event: NewEvent) => string | boolean | null];

/** The columns of an event besides its id, and what they hold. */
const COLUMNS: readonly Column[] = [
  ["contact_id", (event) => recordId("contact", event.contactUid, event.workspace)],
  ["workspace", (event) => event.workspace],
  ["contact_uid", (event) => encodeText(event.contactUid)],
  ["account_uid", (event) => (event.accountUid === undefined ? null : encodeText(event.accountUid))],
  ["event_uid", (event) => encodeText(event.eventUid)],
  ["received_at", (event) => String(event.receivedAt)],
  ["occurred_at", (event) => (event.occurredAt === undefined ? null : String(event.occurredAt))],
  ["stamp", (event) => (event.stamp === undefined ? null : digest(event.stamp))],
  ["params", (event) => event.params],
  ["proven", (event) => event.isProven ?? null],
];
const IMPORTED: readonly Column[] = [...COLUMNS, ["origin_id", (event) => event.originId ?? null]];

const targetOf = (name: string, columns: readonly Column[]) => ({
  name,
  table: "events",
  columns: ["id", ...columns.map(([column]) => column)],
  returning: "id::text",
});
const append = createAppend(targetOf("append_events", COLUMNS));
const insert = createInsert(targetOf("insert_events", COLUMNS));
const importNew = createInsert(targetOf("import_events", IMPORTED));

/** Stores events under their ids; of those with a stamp that the contact has had already, none. */
export const insertEvents = (ids: readonly string[], events: readonly NewEvent[]): Statement[] => {
  const isImport = events.some(({ originId }) => originId !== undefined);
  const isStamped = events.some(({ stamp }) => stamp !== undefined);
  const order = [...events.keys()];
  // Stamps in one order: two transactions with the same ones in opposite orders would wait for each other for ever.
  if (isStamped) order.sort((a, b) => ((events[a]!.stamp ?? "") < (events[b]!.stamp ?? "") ? -1 : 1));
  const columns = isImport ? IMPORTED : COLUMNS;
  const rows = order.map((at) => [ids[at], ...columns.map(([, value]) => value(events[at]!))]);
  if (isImport) return [importNew(rows)];
  return isStamped ? [insert(rows)] : append(rows);
};
