import type { Statement, Written } from "../database/database.js";
import { encodeText, recordId } from "../database/exact-text.js";
import { type Bound, createBound } from "./bound.js";

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

const INSERT = {
  contacts: `INSERT INTO contacts (id, unique_id, created_at, archived, data, workspace)
SELECT id, unique_id, created_at, false, '{}', workspace
FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) AS row (id, unique_id, created_at, workspace)
ON CONFLICT DO NOTHING RETURNING id::text AS key`,
  accounts: `INSERT INTO accounts (id, unique_id, created_at, data, workspace)
SELECT id, unique_id, created_at, '{}', workspace
FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[]) AS row (id, unique_id, created_at, workspace)
ON CONFLICT DO NOTHING RETURNING id::text AS key`,
  account_contacts: `INSERT INTO account_contacts (account_id, contact_id)
SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS row (account_id, contact_id)
ON CONFLICT DO NOTHING RETURNING account_id::text || contact_id::text AS key`,
};

type Table = keyof typeof INSERT;

/** A statement that makes records, and for whom it makes each. */
interface Making extends Statement {
  makers: Map<string, string | undefined>;
}

/**
 * As `makeRecords`, for one batch of events after another: what was made a moment ago costs nothing again, not even a
 * digest, for it is known by the texts that came with the event.
 *
 * @param generation of what is remembered, see `generation.ts`: others may delete records. Default: nobody does
 * @param bound how many new records each network may have made
 * @param onPassed is called for each event that makes none, as its network has used that up
 */
export const createMissingRecords = ({
  generation = () => 0,
  bound = createBound(0, 0),
  onPassed = () => {},
}: {
  generation?: (() => number | undefined) | undefined;
  bound?: Bound;
  onPassed?: () => void;
} = {}) => {
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
      if (event.from !== undefined && bound.isUsedUp(event.from)) onPassed();
      else told.set(key, event);
    }
    const statements = makeRecords([...told.values()]);
    return {
      statements,
      done: (made) => {
        for (const [at, { makers }] of statements.entries())
          for (const { key } of made[at]!) {
            const from = makers.get(key as string);
            if (from !== undefined) bound.spend(from);
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
      const values = sorted[0]![1].row.map((_, column) => sorted.map(([, { row }]) => row[column]));
      const makers = new Map(sorted.map(([key, { from }]) => [key, from]));
      return { name: `make_${table}`, text: INSERT[table], values, makers };
    });
};
