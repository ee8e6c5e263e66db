import { encodeText, recordId } from "../../base/exact-text.js";
import type { Statement } from "../../database/database.js";
import { createInsert } from "../../database/insert-rows.js";

/* The statements that make bare records, of whom events alone tell: accounts, contacts and memberships. What is there stays. */

/** What an event tells of records: whose it is, and when it was received. */
export interface Told {
  workspace: string;
  contactUid: string;
  accountUid: string | undefined;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The network of the client, which has a bound of new records; none where the operator tells it. */
  from?: string;
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
export interface Making extends Statement {
  table: Table;
  events: readonly Told[];
  makers: Map<string, string | undefined>;
}

const make = (
  table: Table,
  events: readonly Told[],
  rowOf: (event: Told) => [key: string, row: string[]],
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
  const statements = INSERT[table](sorted.map(([, { row }]) => row));
  // Committed together, so one of them says of which events.
  return statements.map((statement, at) => ({ ...statement, table, events: at === 0 ? events : [], makers }));
};

const accountId = ({ accountUid, workspace }: Told): string => recordId("account", accountUid!, workspace);
const contactId = ({ contactUid, workspace }: Told): string => recordId("contact", contactUid, workspace);
const bareRow = (id: string, uid: string, { receivedAt, workspace }: Told): [string, string[]] => [
  id,
  [id, encodeText(uid), String(Math.floor(receivedAt / 1_000)), workspace],
];
const ofAccounts = (events: readonly Told[]): Told[] => events.filter(({ accountUid }) => accountUid);

/** Makes the accounts that events tell of, where they are missing. The first of them gives the time. */
export const makeAccounts = (events: readonly Told[]): Making[] =>
  make("accounts", ofAccounts(events), (event) => bareRow(accountId(event), event.accountUid!, event));

/** The same of contacts and memberships, which stand together: see `Database.shardOf`. */
export const makeContacts = (events: readonly Told[]): Making[] => [
  ...make("contacts", events, (event) => bareRow(contactId(event), event.contactUid, event)),
  ...make("account_contacts", ofAccounts(events), (event) => {
    const row = [accountId(event), contactId(event)];
    return [row.join(""), row];
  }),
];

/** Makes all that events tell of, where it is missing. */
export const makeRecords = (events: readonly Told[]): Making[] => [...makeAccounts(events), ...makeContacts(events)];
