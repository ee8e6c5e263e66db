import type { Query } from "../../database/database.js";
import { boundsOf, type ExportOptions } from "./export-bounds.js";
import { type Exported, OF_TABLE, type Row, text } from "./exported.js";

/* Rows of a table in pages, by their ids. */

/** Rows read at a time. */
const CHUNK = 1_000;
/**
 * Bytes after which a page ends, whatever its rows: what it takes in memory. With its last row, and that as large as an
 * event may be, it is below the 16 MiB that `tracklet/read` takes.
 */
export const PAGE_BYTES = 4_000_000;

/** Which part of the rows, by their ids. */
export interface Part {
  /** Behind this id. */
  after?: string | undefined;
  /** In front of this one. */
  before?: string | undefined;
}

/** The rows of a table by their ids: for events, from the oldest. */
export async function* exportRows(query: Query, options: ExportOptions, part: Part = {}): AsyncGenerator<Exported> {
  for (let { after } = part; ; ) {
    const { rows, isFull } = await exportPage(query, options, { ...part, after, limit: CHUNK });
    yield* rows;
    if (!isFull) return;
    after = String(rows.at(-1)!.id);
  }
}

/** So many of the latest events, from the newest. */
export async function* latestEvents(query: Query, workspace: string, most: number): AsyncGenerator<Exported> {
  let before: string | undefined;
  for (let left = most; left > 0; ) {
    const part = { before, limit: Math.min(CHUNK, left), order: "desc" as const };
    const { rows, isFull } = await exportPage(query, { table: "events", workspace }, part);
    yield* rows;
    if (!isFull) return;
    left -= rows.length;
    before = String(rows.at(-1)!.id);
  }
}

/** At most so many rows, and of large ones fewer, but one at least. Behind a page that is not full there is none. */
export const exportPage = async (
  query: Query,
  options: ExportOptions,
  { after, before, limit, order = "asc" }: Part & { limit: number; order?: "asc" | "desc" },
): Promise<{ rows: Exported[]; isFull: boolean }> => {
  const { table, workspace } = options;
  const { columns, large, read } = OF_TABLE[table];
  const size = large.map((name) => `coalesce(octet_length(${name}), 0)`).join(" + ");
  const bounds = boundsOf(options);
  const values: unknown[] = [workspace, limit, ...bounds.values];
  const behind = after === undefined ? "" : ` AND id > $${values.push(after)}`;
  const upTo = before === undefined ? "" : ` AND id < $${values.push(before)}`;
  const rows = await query<Row>(
    `SELECT * FROM (SELECT page.*, sum(size) OVER (ORDER BY id ${order}) AS up_to FROM (
       SELECT ${columns}, ${size} AS size FROM ${table}
       WHERE workspace = $1${bounds.conditions}${behind}${upTo} ORDER BY id ${order} LIMIT $2
     ) AS page) AS sized WHERE up_to - size < ${PAGE_BYTES} ORDER BY id ${order}`,
    values,
  );
  const ids = rows.map(({ id }) => id);
  const accounts = table === "contacts" ? await accountsOf(query, ids) : undefined;
  return {
    rows: rows.map((row) => ({ ...read(row), ...(accounts && { accounts: { json: uidsOf(accounts.get(row.id)) } }) })),
    isFull: rows.length === limit || Number(rows.at(-1)?.up_to ?? 0) >= PAGE_BYTES,
  };
};

/** The accounts of contacts by the contact's id. Asked for in two steps: an account may lie on another node than its contact. */
const accountsOf = async (query: Query, contactIds: readonly unknown[]): Promise<Map<unknown, Row[]>> => {
  const pairs = await query<Row>(
    "SELECT contact_id, account_id FROM account_contacts WHERE contact_id = ANY($1::uuid[]) ORDER BY account_id",
    [contactIds],
  );
  const found = await query<Row>("SELECT id, unique_id, data FROM accounts WHERE id = ANY($1::uuid[])", [
    [...new Set(pairs.map(({ account_id }) => account_id))],
  ]);
  const accounts = new Map(found.map((account) => [account.id, account]));
  const byContact = new Map<unknown, Row[]>();
  for (const { contact_id, account_id } of pairs) {
    const account = accounts.get(account_id);
    if (account !== undefined) byContact.set(contact_id, [...(byContact.get(contact_id) ?? []), account]);
  }
  return byContact;
};

/** Their uids as JSON. */
const uidsOf = (accounts: Row[] = []): string =>
  JSON.stringify(accounts.map(({ unique_id }) => text(unique_id)).sort());
