import { encodeText, filledText, isUuid, recordId } from "../../base/exact-text.js";
import { cutStamp, stampKey, type Viewed } from "../../base/params.js";
import type { Statement } from "../../database/database.js";
import type { Generation } from "../../database/generation.js";

/** Rows of a statement: of few numbers, so that a connection keeps each prepared, and of all that are small, as most are. */
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 192, 256, 384, 512];

interface Target {
  /** Under which a connection keeps the statements: one name, one text a length. */
  name: string;
  table: string;
  columns: readonly string[];
  /** Columns that are the same in all rows, as SQL. */
  fixed?: Readonly<Record<string, string>>;
  /** What is told of each row that was not there; one that was stays as it is. */
  returning: string;
}

/**
 * Makes statements that insert rows, as `VALUES` of many: as few as have so many rows together. One of `unnest` costs as much
 * for any number of rows, and would be planned anew each time where a table is spread.
 *
 * @returns takes the values of all rows one after another, in the order of the columns
 */
export const createInsert = (target: Target) => {
  const statement = createStatement(target);
  const { length: width } = target.columns;
  return (values: unknown[]): Statement[] => {
    const statements: Statement[] = [];
    for (let left = values.length / width; left > 0; ) {
      const length = LENGTHS.findLast((one) => one <= left)!;
      const from = values.length - left * width;
      statements.push(statement(length, values.slice(from, from + length * width)));
      left -= length;
    }
    return statements;
  };
};

/** @returns makes the statement of so many rows; there is one text for each number */
const createStatement = ({ name, table, columns, fixed = {}, returning }: Target) => {
  const names = [...columns, ...Object.keys(fixed)].join(", ");
  const texts = new Map<number, string>();
  const textOf = (length: number): string => {
    const row = (_: unknown, at: number) =>
      `(${[...columns.map((_, column) => `$${at * columns.length + column + 1}`), ...Object.values(fixed)].join(", ")})`;
    return `INSERT INTO ${table} (${names}) VALUES ${Array.from({ length }, row).join(", ")} ON CONFLICT DO NOTHING RETURNING ${returning}`;
  };
  return (length: number, values: unknown[]): Statement => {
    const text = texts.get(length) ?? textOf(length);
    texts.set(length, text);
    return { name: `${name}_${length}`, text, values };
  };
};

/** An event on its way into the database; what it says of a page is `viewOf`'s. */
export interface NewEvent extends Partial<Viewed> {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  eventUid: string;
  /** Did its proof of identity hold? Nothing where none was looked at. */
  isProven?: boolean | undefined;
  /** JSON text of an object: whoever reads it gets it letter by letter. */
  params: string;
  /** See `stampOf`: a second event of the contact with it is a repeat and not stored. */
  stamp: string | undefined;
  receivedAt: number;
  /** Epoch milliseconds, as the caller says. */
  occurredAt: number | undefined;
  /** The network of the client, see `bare-records.ts`. */
  from?: string | undefined;
  /** See `Hint`. */
  erasedAt?: number | undefined;
  /** Was its contact made no member of its account? see `bare-records.ts`. */
  isUnlisted?: boolean | undefined;
  /** Of one that is imported: the id that it had elsewhere. It is not stored a second time, and its id says nothing of its time. */
  originId?: string | undefined;
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

/** The columns of an event, and what they hold. */
const COLUMNS = [
  "id",
  "contact_id",
  "workspace",
  "contact_uid",
  "account_uid",
  "event_uid",
  "received_at",
  "occurred_at",
  "stamp",
  "source",
  "number",
  "page",
  "referrer_host",
  "params",
  "proven",
  "unlisted",
  "origin_id",
];

const textOf = (value: string | undefined): string | null => (value === undefined ? null : encodeText(value));

const pushRow = (values: unknown[], id: string, event: NewEvent): void => {
  const end = cutStamp(event.params, event);
  values.push(
    id,
    recordId("contact", event.contactUid, event.workspace),
    event.workspace,
    encodeText(event.contactUid),
    textOf(event.accountUid),
    encodeText(event.eventUid),
    event.receivedAt,
    event.occurredAt ?? null,
    event.stamp === undefined ? null : stampKey(event.stamp),
    end?.source ?? null,
    end?.number ?? null,
    textOf(event.page),
    textOf(event.referrerHost),
    end?.params ?? event.params,
    event.isProven ?? null,
    event.isUnlisted ?? null,
    event.originId ?? null,
  );
};

const insert = createInsert({ name: "insert_events", table: "events", columns: COLUMNS, returning: "id::text" });

/** Stores events under their ids; of those with a stamp that the contact has had already, none. */
export const insertEvents = (ids: readonly string[], events: readonly NewEvent[]): Statement[] => {
  const order = [...events.keys()];
  // Stamps in one order: two transactions with the same ones in opposite orders would wait for each other for ever.
  if (events.some(({ stamp }) => stamp !== undefined))
    order.sort((a, b) => ((events[a]!.stamp ?? "") < (events[b]!.stamp ?? "") ? -1 : 1));
  const values: unknown[] = [];
  for (const at of order) pushRow(values, ids[at]!, events[at]!);
  return insert(values);
};

export type Contact = Pick<NewEvent, "workspace" | "contactUid">;

/** Who was erased, and what of it is left out: see `deletion/tombstones.ts`. */
export interface Erased {
  /** When each of some contacts was erased; `undefined` of one that was not. */
  of(contacts: readonly Contact[]): Promise<(contact: Contact) => number | undefined>;
  /** Did an event occur before its contact was erased? */
  isBefore(event: Pick<NewEvent, "occurredAt" | "receivedAt" | "originId">, erasedAt: number): boolean;
}

export interface AtGeneration {
  /** At which each transaction is committed; what is remembered is of it. */
  generation: Generation;
  erased: Erased;
}
