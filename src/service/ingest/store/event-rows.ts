import type { Counter } from "../../access/limits.js";
import { encodeText, filledText, isUuid, recordId } from "../../base/exact-text.js";
import { cutStamp, stampKey, type Viewed } from "../../base/params.js";
import type { Statement, Written } from "../../database/database.js";
import type { Generation } from "../../database/generation.js";
import type { Count } from "../schemas.js";

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
const createInsert = (target: Target) => {
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
  /** The network of the client. */
  from?: string | undefined;
  /** See `Hint`. */
  erasedAt?: number | undefined;
  /** Was its contact made no member of its account? */
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

/* The statements that make bare records, of whom events alone tell: accounts, contacts and memberships. What is there stays. */

/** What an event tells of records: whose it is, and when it was received. */
export interface Hint {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The network of the client, which has a bound of new records; none where the operator tells it. */
  from?: string | undefined;
  /** When the contact was erased, which has come back since: nothing of it is remembered. */
  erasedAt?: number | undefined;
}

const bare = { columns: ["id", "unique_id", "created_at", "workspace"], returning: "id::text AS key" };
const INSERT = {
  contacts: createInsert({
    name: "make_contacts",
    table: "contacts",
    ...bare,
    fixed: { archived: "false", data: "'{}'" },
  }),
  accounts: createInsert({ name: "make_accounts", table: "accounts", ...bare, fixed: { data: "'{}'" } }),
  account_contacts: createInsert({
    name: "make_account_contacts",
    table: "account_contacts",
    columns: ["account_id", "contact_id"],
    returning: "account_id::text || contact_id::text AS key",
  }),
};

type Table = keyof typeof INSERT;

/** A statement that makes records, of which events, and for whom it makes each. */
interface Making extends Statement {
  table: Table;
  events: readonly Hint[];
  makers: Map<string, string | undefined>;
}

const make = (
  table: Table,
  events: readonly Hint[],
  rowOf: (event: Hint) => [key: string, row: string[]],
): Making[] => {
  if (events.length === 0) return [];
  const rows = new Map<string, { row: string[]; from: string | undefined }>();
  for (const event of events) {
    const [key, row] = rowOf(event);
    if (!rows.has(key)) rows.set(key, { row, from: event.from });
  }
  // In one order: two transactions with the same rows in opposite orders would wait for each other for ever.
  const sorted = [...rows].sort(([a], [b]) => (a < b ? -1 : 1));
  const makers = new Map(sorted.map(([key, { from }]) => [key, from]));
  const statements = INSERT[table](sorted.flatMap(([, { row }]) => row));
  // Committed together, so one of them says of which events.
  return statements.map((statement, at) => ({ ...statement, table, events: at === 0 ? events : [], makers }));
};

const accountId = ({ accountUid, workspace }: Hint): string => recordId("account", accountUid!, workspace);
const contactId = ({ contactUid, workspace }: Hint): string => recordId("contact", contactUid, workspace);
const bareRow = (id: string, uid: string, { receivedAt, workspace }: Hint): [string, string[]] => [
  id,
  [id, encodeText(uid), String(Math.floor(receivedAt / 1_000)), workspace],
];
const ofAccounts = (events: readonly Hint[]): Hint[] => events.filter(({ accountUid }) => accountUid);

/** Makes the accounts that events tell of, where they are missing. The first of them gives the time. */
export const makeAccounts = (events: readonly Hint[]): Making[] =>
  make("accounts", ofAccounts(events), (event) => bareRow(accountId(event), event.accountUid!, event));

/** The same of contacts and memberships, which stand together: see `Database.shardOf`. */
export const makeContacts = (events: readonly Hint[]): Making[] => [
  ...make("contacts", events, (event) => bareRow(contactId(event), event.contactUid, event)),
  ...make("account_contacts", ofAccounts(events), (event) => {
    const row = [accountId(event), contactId(event)];
    return [row.join(""), row];
  }),
];

/** Makes all that events tell of, where it is missing. */
export const makeRecords = (events: readonly Hint[]): Making[] => [...makeAccounts(events), ...makeContacts(events)];

/** Characters of the keys that are remembered, at most: some 10 MB for uids of usual lengths. */
const MAX_KNOWN = 2_500_000;

interface Memory {
  /** Of what is remembered, see `generation.ts`: others may delete records. */
  generation: () => number;
  /** How many new records each network may have made. */
  bound?: Counter | undefined;
  count?: Count | undefined;
}

/** What is not known to be there, of what some events tell. */
export interface Missing<Event extends Hint> {
  /** The first event of each account. */
  accounts: readonly Event[];
  /** The first event of each contact, alone or together with an account. */
  contacts: ReadonlySet<Event>;
  /** Those for which none is made, as their network has used that up. */
  without: ReadonlySet<Event>;
  done: Done;
}

interface MissingRecords {
  /** Is it known at this generation that the records of an event are there, and its contact was not erased? */
  isKnown(event: Hint): boolean;
  of<Event extends Hint>(events: readonly Event[]): Missing<Event>;
}

/** Is to be called with statements and their rows once they are committed: of these, those are looked at that make records. */
export type Done = (statements: readonly (Statement | Making)[], made: Written) => void;

/**
 * Finds out what `makeAccounts` and `makeContacts` have to make, for one batch of events after another: what was made a moment
 * ago costs nothing again, not even a digest, for it is known by the texts that came with the event. What is written by it must
 * be committed at the same generation alone.
 */
export const createMissingRecords = ({ generation, bound, count }: Memory): MissingRecords => {
  let known = new Set<string>();
  let size = 0;
  let since: number | undefined;
  const remember = (key: string): void => {
    known.add(key);
    size += key.length;
  };
  const remembered = (): Set<string> => {
    if (size > MAX_KNOWN || generation() !== since) {
      known = new Set();
      size = 0;
      since = generation();
    }
    return known;
  };

  const of = <Event extends Hint>(events: readonly Event[]): Missing<Event> => {
    const memory = remembered();
    const told = new Map<string, Event>();
    const accounts = new Map<string, Event>();
    const without = new Set<Event>();
    const isKnown = (key: string, others: Map<string, Event>) => memory.has(key) || others.has(key);
    for (const event of events) {
      const key = keyOf(event);
      if (isKnown(key, told)) continue;
      if (event.from !== undefined && bound !== undefined && bound.wait(event.from, 1) > 0) {
        without.add(event);
        count?.("events_without_record_total");
        continue;
      }
      told.set(key, event);
      if (event.accountUid && !isKnown(accountKeyOf(event), accounts)) accounts.set(accountKeyOf(event), event);
    }
    return {
      accounts: [...accounts.values()],
      contacts: new Set(told.values()),
      without,
      done: (statements, made) => {
        for (const [at, making] of statements.entries()) {
          if (!("makers" in making)) continue;
          if (making.table === "contacts") count?.("new_contacts_total", {}, made[at]!.length);
          for (const { key } of made[at]!) {
            const from = making.makers.get(key as string);
            if (from !== undefined) bound?.add(from, 1);
          }
          // What was made before something was deleted may be gone.
          if (memory !== known) continue;
          if (making.table === "accounts") for (const event of making.events) remember(accountKeyOf(event));
          if (making.table === "contacts")
            for (const event of making.events) if (event.erasedAt === undefined) remember(keyOf(event));
        }
      },
    };
  };
  return { isKnown: (event) => remembered().has(keyOf(event)), of };
};

/** Stands for contact and account together. Names of workspaces are not empty and hold no slash. */
const keyOf = ({ workspace, contactUid, accountUid = "" }: Hint): string =>
  `${workspace}/${accountUid.length}/${accountUid}${contactUid}`;
const accountKeyOf = ({ workspace, accountUid }: Hint): string => `/${workspace}/${accountUid}`;
