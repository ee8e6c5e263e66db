import { decodeText, encodeText, filledText, parseJson, recordId } from "../base/exact-text.js";
import { PAGE_VIEW, wholeParams } from "../base/params.js";
import type { Query } from "../database/database.js";
import { idAt, LATE_MS } from "../database/event-id.js";
import { healthOf } from "./account-and-contact.js";

/** The condition of events of a name: an entry of their index has a greatest length. @param at placeholder of the name */
export const ofName = (at: string): string => `event_uid = ${at} AND left(event_uid, 64) = left(${at}, 64)`;

export interface ExportOptions {
  table: Table;
  workspace: string;
  /** Uid of the contact that the events, or the one record, are of. */
  contact?: string | undefined;
  account?: string | undefined;
  eventUid?: string | undefined;
  /** Events received from then on; epoch milliseconds. */
  since?: number | undefined;
  /** Events received before; epoch milliseconds. */
  until?: number | undefined;
}

/** The conditions of a row, behind that of the workspace (`$1`) and a limit (`$2`). */
const boundsOf = ({ table, workspace, contact, account, eventUid, since, until }: ExportOptions) => {
  const values: unknown[] = [];
  let conditions = "";
  const bound = (condition: string, value: unknown) => {
    conditions += ` AND ${condition} $${values.push(value) + 2}`;
  };
  const isEvents = table === "events";
  if (contact !== undefined) bound(isEvents ? "contact_id =" : "id =", recordId("contact", contact, workspace));
  if (account !== undefined) {
    const [id, uid] = [recordId("account", account, workspace), encodeText(account)].map((one) => values.push(one) + 2);
    // No index has it, as each event would pay for that: they are found by the keys of the account's members, and by those who were
    // made none of it, which their events say.
    conditions += ` AND account_uid = $${uid} AND contact_id IN (
      SELECT contact_id FROM account_contacts WHERE account_id = $${id}
      UNION SELECT contact_id FROM events WHERE workspace = $1 AND unlisted AND left(account_uid, 64) = left($${uid}, 64))`;
  }
  if (eventUid !== undefined) {
    const at = `$${values.push(encodeText(eventUid)) + 2}`;
    // Page views stand in no index of names: there are so many that they are met among the events by id.
    conditions +=
      eventUid === PAGE_VIEW ? ` AND event_uid = ${at}` : ` AND event_uid <> '${PAGE_VIEW}' AND ${ofName(at)}`;
  }
  if (isEvents && since !== undefined) {
    bound("received_at >=", since);
    bound("id >=", idAt(since));
  }
  if (isEvents && until !== undefined) {
    bound("received_at <", until);
    // Nothing later is looked at, but for what was imported.
    bound(
      "id <= greatest((SELECT id FROM events WHERE workspace = $1 AND origin_id IS NOT NULL ORDER BY id DESC LIMIT 1),",
      idAt(until + LATE_MS),
    );
    conditions += ")";
  }
  return { conditions, values };
};

export const TABLES = ["events", "contacts", "accounts", "users"] as const;
export type Table = (typeof TABLES)[number];

/** Members of a row in their order; `json` holds JSON text, as it was sent. */
export interface Exported {
  [name: string]: string | number | boolean | null | { json: string };
}

type Row = Record<string, unknown>;

const text = (value: unknown) => (value === null ? null : decodeText(String(value)));
/** What is no JSON, as somebody has written it by SQL, becomes a text, so that the line can be read. */
const json = (value: unknown) =>
  value === null ? null : { json: parseJson(String(value)) === undefined ? JSON.stringify(value) : String(value) };

const hasEventId = (params: string): boolean =>
  /event_id|\\/.test(params) && filledText(Object(parseJson(params)).event_id) !== undefined;

/** Of each table its columns, those that may be large, and what is made of a row. */
const OF_TABLE: Record<Table, { columns: string; large: readonly string[]; read(row: Row): Exported }> = {
  events: {
    columns: "id, received_at, occurred_at, contact_uid, account_uid, event_uid, params, proven, stamp, source, number",
    large: ["contact_uid", "account_uid", "event_uid", "params"],
    read: (row) => ({
      id: String(row.id),
      received_at: row.received_at as number,
      occurred_at: row.occurred_at as number | null,
      contact_uid: text(row.contact_uid),
      account_uid: text(row.account_uid),
      event_uid: text(row.event_uid),
      params: { json: wholeParams(row) },
      // A proof of identity was looked at.
      ...(row.proven !== null && { proven: row.proven === true }),
      // Its `event_id` is a page's own, and no stamp where the line is imported, either.
      ...(row.stamp === null && hasEventId(String(row.params)) && { stamped: false }),
    }),
  },
  contacts: {
    columns: "id, unique_id, created_at, archived, data, stage, health",
    large: ["unique_id", "data", "stage"],
    read: (row) => ({ ...record(row), archived: row.archived === true }),
  },
  accounts: {
    columns: "id, unique_id, created_at, data, stage, health",
    large: ["unique_id", "data", "stage"],
    read: (row) => record(row),
  },
  users: {
    columns: "id, email, name, role, enabled, created_at",
    large: ["email", "name", "role"],
    read: ({ size, up_to, ...row }) => row as Exported,
  },
};

const record = (row: Row): Exported => ({
  id: String(row.id),
  unique_id: text(row.unique_id),
  created_at: row.created_at as number,
  data: json(row.data),
  stage: json(row.stage),
  health: healthOf(row) ?? null,
});

export const jsonLine = (row: Exported): string => {
  const members = Object.entries(row).map(([name, value]) => {
    const isJson = typeof value === "object" && value !== null;
    // Line ends can stand between the tokens of the JSON that was sent only, where a blank means the same.
    return `${JSON.stringify(name)}:${isJson ? value.json.replace(/[\r\n]/g, " ") : JSON.stringify(value)}`;
  });
  return `{${members.join(",")}}`;
};

/** A row as CSV takes it: JSON in one cell, nothing for null. */
export const csvRow = (row: Exported): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value === null ? null : typeof value === "object" ? value.json : String(value),
    ]),
  );

const CHUNK = 1_000;
/**
 * Bytes after which a page ends, whatever its rows: what it takes in memory. With its last row, and that as large as an
 * event may be, it is below the 16 MiB that `tracklet/read` takes.
 */
const PAGE_BYTES = 4_000_000;

/** Which part of the rows, by their ids. */
export interface Part {
  after?: string | undefined;
  before?: string | undefined;
}

/** The rows of a table by their ids: for events, from the oldest, or from the newest. */
export async function* exportRows(
  query: Query,
  options: ExportOptions,
  { order, ...part }: Part & { order?: "asc" | "desc" } = {},
): AsyncGenerator<Exported> {
  const end = order === "desc" ? "before" : "after";
  for (let last = part[end]; ; ) {
    const { rows, isFull } = await exportPage(query, options, { ...part, [end]: last, limit: CHUNK, order });
    yield* rows;
    if (!isFull) return;
    last = String(rows.at(-1)!.id);
  }
}

/** At most so many rows, and of large ones fewer, but one at least. Behind a page that is not full there is none. */
export const exportPage = async (
  query: Query,
  options: ExportOptions,
  { after, before, limit, order = "asc" }: Part & { limit: number; order?: "asc" | "desc" | undefined },
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
  const listed = (id: unknown) => accounts && { accounts: { json: JSON.stringify(accounts.get(id)?.sort() ?? []) } };
  return {
    rows: rows.map((row) => ({ ...read(row), ...listed(row.id) })),
    isFull: rows.length === limit || Number(rows.at(-1)?.up_to ?? 0) >= PAGE_BYTES,
  };
};

/** The uids of the accounts of contacts, by the contact's id. Asked for in two steps: an account may lie on another node than its contact. */
const accountsOf = async (query: Query, contactIds: readonly unknown[]): Promise<Map<unknown, string[]>> => {
  const pairs = await query<Row>(
    "SELECT contact_id, account_id FROM account_contacts WHERE contact_id = ANY($1::uuid[]) ORDER BY account_id",
    [contactIds],
  );
  const found = await query<Row>("SELECT id, unique_id FROM accounts WHERE id = ANY($1::uuid[])", [
    [...new Set(pairs.map(({ account_id }) => account_id))],
  ]);
  const uids = new Map(found.map(({ id, unique_id }) => [id, decodeText(String(unique_id))]));
  const byContact = new Map<unknown, string[]>();
  for (const { contact_id, account_id } of pairs) {
    const uid = uids.get(account_id);
    if (uid !== undefined) byContact.set(contact_id, [...(byContact.get(contact_id) ?? []), uid]);
  }
  return byContact;
};
