import type { Statement } from "./database.js";
import { encodeText, recordId } from "./exact-text.js";

/** What an event tells of records: whose it is, and when it was received. */
export interface Told {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
}

/** Records that are known to exist, at most: about 10 MB. */
const MAX_KNOWN = 50_000;
/** Milliseconds for which they are believed to: others may delete them. */
const KNOWN_MS = 60_000;

const INSERT = {
  contacts: `INSERT INTO contacts (id, unique_id, created_at, archived, data, workspace)
SELECT id, unique_id, created_at, false, '{}', workspace
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS row (id, unique_id, created_at, workspace)
ON CONFLICT DO NOTHING`,
  accounts: `INSERT INTO accounts (id, unique_id, created_at, data, workspace)
SELECT id, unique_id, created_at, '{}', workspace
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[]) AS row (id, unique_id, created_at, workspace)
ON CONFLICT DO NOTHING`,
  account_contacts: `INSERT INTO account_contacts (account_id, contact_id)
SELECT * FROM unnest($1::text[], $2::text[]) AS row (account_id, contact_id)
ON CONFLICT DO NOTHING`,
};

type Table = keyof typeof INSERT;

/**
 * Makes the contacts, accounts and memberships that events tell of, where they are missing. What was made a moment ago
 * costs nothing again.
 */
export const createMissingRecords = () => {
  let known = new Set<string>();
  let since = performance.now();

  /** Statements for what may be missing; `done` is to be called once they are committed. */
  return (events: readonly Told[]): { statements: Statement[]; done(): void } => {
    if (known.size > MAX_KNOWN || performance.now() - since > KNOWN_MS) {
      known = new Set();
      since = performance.now();
    }
    const rows: Record<Table, Map<string, string[]>> = {
      contacts: new Map(),
      accounts: new Map(),
      account_contacts: new Map(),
    };
    const add = (table: Table, key: string, row: () => string[]) => {
      if (!known.has(key) && !rows[table].has(key)) rows[table].set(key, row());
    };
    for (const { workspace, contactUid, accountUid, receivedAt } of events) {
      const createdAt = String(Math.floor(receivedAt / 1_000));
      const contact = recordId("contact", contactUid, workspace);
      add("contacts", contact, () => [contact, encodeText(contactUid), createdAt, workspace]);
      if (!accountUid) continue;
      const account = recordId("account", accountUid, workspace);
      add("accounts", account, () => [account, encodeText(accountUid), createdAt, workspace]);
      add("account_contacts", account + contact, () => [account, contact]);
    }
    const statements = (Object.keys(INSERT) as Table[])
      .filter((table) => rows[table].size > 0)
      .map((table) => {
        // In one order: two transactions with the same rows in opposite orders would wait for each other for ever.
        const sorted = [...rows[table]].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
        const values = sorted[0]!.map((_, column) => sorted.map((row) => row[column]));
        return { name: `make_${table}`, text: INSERT[table], values };
      });
    const made = Object.values(rows).flatMap((table) => [...table.keys()]);
    return {
      statements,
      done: () => {
        for (const key of made) known.add(key);
      },
    };
  };
};
