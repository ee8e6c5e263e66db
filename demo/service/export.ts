import type { Query } from "./database.js";
import { idAt } from "./event-id.js";
import { decodeText } from "./exact-text.js";

/** What can be exported. */
export const TABLES = ["events", "contacts", "accounts", "users"] as const;
export type Table = (typeof TABLES)[number];

/** Members of a row in their order; `json` holds JSON text, as it was sent. */
export interface Exported {
  [name: string]: string | number | boolean | null | { json: string };
}

export interface ExportOptions {
  table: Table;
  workspace: string;
  /** Events received from then on; epoch milliseconds. */
  since?: number | undefined;
  /** Events received before; epoch milliseconds. */
  until?: number | undefined;
}

type Row = Record<string, unknown>;

const text = (value: unknown) => (value === null ? null : decodeText(String(value)));
const number = (value: unknown) => (value === null ? null : Number(value));
const json = (value: unknown) => (value === null ? null : { json: String(value) });

const READ: Record<Table, { columns: string; read(row: Row): Exported }> = {
  events: {
    columns: "id, received_at, occurred_at, contact_uid, account_uid, event_uid, params",
    read: (row) => ({
      id: String(row.id),
      received_at: number(row.received_at),
      occurred_at: number(row.occurred_at),
      contact_uid: text(row.contact_uid),
      account_uid: text(row.account_uid),
      event_uid: text(row.event_uid),
      params: json(row.params),
    }),
  },
  contacts: {
    columns: "id, unique_id, created_at, archived, data, stage, health",
    read: (row) => ({ ...record(row), archived: row.archived === true }),
  },
  accounts: { columns: "id, unique_id, created_at, data, stage, health", read: (row) => record(row) },
  users: {
    columns: "id, email, name, role, enabled, created_at",
    read: (row) => ({ ...row, created_at: number(row.created_at) }) as Exported,
  },
};

const record = (row: Row): Exported => ({
  id: String(row.id),
  unique_id: text(row.unique_id),
  created_at: number(row.created_at),
  data: json(row.data),
  stage: json(row.stage),
  health: number(row.health),
});

/** Rows read at a time: the memory that an export takes, whatever its length. */
const CHUNK = 1_000;

/** The rows of a table by their ids: for events, from the oldest. */
export async function* exportRows(query: Query, options: ExportOptions): AsyncGenerator<Exported> {
  const { table, workspace } = options;
  const { columns, read } = READ[table];
  const bounds = table === "events" ? timeBounds(options) : { conditions: "", values: [] };
  let last: unknown;
  for (;;) {
    const values: unknown[] = [workspace, CHUNK, ...bounds.values];
    const after = last === undefined ? "" : ` AND id > $${values.push(last)}`;
    const rows = await query<Row>(
      `SELECT ${columns} FROM ${table} WHERE workspace = $1${bounds.conditions}${after} ORDER BY id LIMIT $2`,
      values,
    );
    for (const row of rows) yield read(row);
    if (rows.length < CHUNK) return;
    last = rows.at(-1)!.id;
  }
}

const timeBounds = ({ since, until }: ExportOptions) => {
  const values: unknown[] = [];
  let conditions = "";
  if (since !== undefined) conditions += ` AND id >= $${values.push(idAt(since)) + 2}`;
  if (until !== undefined) conditions += ` AND id < $${values.push(idAt(until)) + 2}`;
  return { conditions, values };
};

/** A row as a line of NDJSON. */
export const ndjsonLine = (row: Exported): string => {
  const members = Object.entries(row).map(([name, value]) => {
    const isJson = typeof value === "object" && value !== null;
    // Line ends can stand between the tokens of the JSON that was sent only, where a blank means the same.
    return `${JSON.stringify(name)}:${isJson ? value.json.replace(/[\r\n]/g, " ") : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}\n`;
};

/** A row as CSV takes it: JSON in one cell, nothing for null. */
export const csvRow = (row: Exported): Record<string, string> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? "" : typeof value === "object" ? value.json : String(value),
    ]),
  );
