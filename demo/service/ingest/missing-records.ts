import type { Statement, Written } from "../database/database.js";
import { encodeText, recordId } from "../database/exact-text.js";
import { createInsert } from "../database/insert-rows.js";
import type { Counter } from "../http/counter.js";

/** What an event tells of records: whose it is, and when it was received. */
export interface Told {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The network of the client, which has a bound of new records; none where the operator tells it. */
  from?: string;
}

/** Characters of the keys that are remembered, at most: some 10 MB for uids of usual lengths. */
const MAX_KNOWN = 2_500_000;

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

/** A statement that makes records, and for whom it makes each. */
interface Making extends Statement {
  makers: Map<string, string | undefined>;
}

export interface Memory {
  /** Of what is remembered, see `generation.ts`: others may delete records. */
  generation?: (() => number | undefined) | undefined;
  /** How many new records each network may have made. */
  bound?: Counter | undefined;
  /** Is called for each event that makes none, as its network has used that up. */
  withoutRecord?: () => void;
}

/**
 * As `makeRecords`, for one batch of events after another: what was made a moment ago costs nothing again, not even a
 * digest, for it is known by the texts that came with the event.
 *
 * @param options nobody deletes records, and each network may make as many as it likes, where they are absent
 */
export const createMissingRecords = ({ generation = () => 0, bound, withoutRecord = () => {} }: Memory = {}) => {
  let known = new Set<string>();
  let size = 0;
  let since: number | undefined;

  /** Statements for what may be missing; `done` is to be called with their rows once they are committed. */
  return (events: readonly Told[]): { statements: Statement[]; done(made: Written): void } => {
    const current = generation();
    if (size > MAX_KNOWN || (current !== undefined && current !== since)) {
      known = new Set();
      size = 0;
      since = current;
    }
    const memory = known;
    const isBelieved = current !== undefined;
    const told = new Map<string, Told>();
    for (const event of events) {
      const key = keyOf(event);
      if ((isBelieved && memory.has(key)) || told.has(key)) continue;
      if (event.from !== undefined && bound !== undefined && bound.wait(event.from, 1) > 0) withoutRecord();
      else told.set(key, event);
    }
    const statements = makeRecords([...told.values()]);
    return {
      statements,
      done: (made) => {
        for (const [at, { makers }] of statements.entries())
          for (const { key } of made[at]!) {
            const from = makers.get(key as string);
            if (from !== undefined) bound?.add(from, 1);
          }
        // What was made before something was deleted may be gone.
        if (memory !== known || !isBelieved) return;
        for (const key of told.keys()) {
          known.add(key);
          size += key.length;
        }
      },
    };
  };
};

/** Stands for contact and account together. Names of workspaces hold no slash. */
const keyOf = ({ workspace, contactUid, accountUid = "" }: Told): string =>
  `${workspace}/${accountUid.length}/${accountUid}${contactUid}`;

/** Makes the contacts, accounts and memberships that events tell of, where they are missing. The first of them gives the time. */
export const makeRecords = (events: readonly Told[]): Making[] => {
  const rows: Record<Table, Map<string, { row: string[]; from: string | undefined }>> = {
    contacts: new Map(),
    accounts: new Map(),
    account_contacts: new Map(),
  };
  for (const { workspace, contactUid, accountUid, receivedAt, from } of events) {
    const add = (table: Table, key: string, row: string[]) => {
      if (!rows[table].has(key)) rows[table].set(key, { row, from });
    };
    const createdAt = String(Math.floor(receivedAt / 1_000));
    const contact = recordId("contact", contactUid, workspace);
    add("contacts", contact, [contact, encodeText(contactUid), createdAt, workspace]);
    if (!accountUid) continue;
    const account = recordId("account", accountUid, workspace);
    add("accounts", account, [account, encodeText(accountUid), createdAt, workspace]);
    add("account_contacts", account + contact, [account, contact]);
  }
  return (Object.keys(INSERT) as Table[])
    .filter((table) => rows[table].size > 0)
    .map((table) => {
      // In one order: two transactions with the same rows in opposite orders would wait for each other for ever.
      const sorted = [...rows[table]].sort(([a], [b]) => (a < b ? -1 : 1));
      const makers = new Map(sorted.map(([key, { from }]) => [key, from]));
      return { ...INSERT[table](sorted.map(([, { row }]) => row)), makers };
    });
};
