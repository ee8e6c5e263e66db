import { decodeText, filledText, parseJson } from "../../base/exact-text.js";
import { wholeParams } from "../../base/stamped-params.js";
import { healthOf } from "../record-schemas.js";

/* A row of each table as it is exported: what is made of it, and its text. */

/** What can be exported. */
export const TABLES = ["events", "contacts", "accounts", "users"] as const;
export type Table = (typeof TABLES)[number];

/** Members of a row in their order; `json` holds JSON text, as it was sent. */
export interface Exported {
  [name: string]: string | number | boolean | null | { json: string };
}

export type Row = Record<string, unknown>;

export const text = (value: unknown) => (value === null ? null : decodeText(String(value)));
const number = (value: unknown) => (value === null ? null : Number(value));
/** What is no JSON, as somebody has written it by SQL, becomes a text, so that the line can be read. */
const json = (value: unknown) =>
  value === null ? null : { json: parseJson(String(value)) === undefined ? JSON.stringify(value) : String(value) };

const hasEventId = (params: string): boolean =>
  /event_id|\\/.test(params) && filledText(Object(parseJson(params)).event_id) !== undefined;

/** Of each table its columns, those that may be large, and what is made of a row. */
export const OF_TABLE: Record<Table, { columns: string; large: readonly string[]; read(row: Row): Exported }> = {
  events: {
    columns: "id, received_at, occurred_at, contact_uid, account_uid, event_uid, params, proven, stamp, source, number",
    large: ["contact_uid", "account_uid", "event_uid", "params"],
    read: (row) => ({
      id: String(row.id),
      received_at: number(row.received_at),
      occurred_at: number(row.occurred_at),
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
    columns: "id, unique_id, created_at, archived, data, stage, health, health_value",
    large: ["unique_id", "data", "stage"],
    read: (row) => ({ ...record(row), archived: row.archived === true }),
  },
  accounts: {
    columns: "id, unique_id, created_at, data, stage, health, health_value",
    large: ["unique_id", "data", "stage"],
    read: (row) => record(row),
  },
  users: {
    columns: "id, email, name, role, enabled, created_at",
    large: ["email", "name", "role"],
    read: ({ id, email, name, role, enabled, created_at }) =>
      ({ id, email, name, role, enabled, created_at: number(created_at) }) as Exported,
  },
};

const record = (row: Row): Exported => ({
  id: String(row.id),
  unique_id: text(row.unique_id),
  created_at: number(row.created_at),
  data: json(row.data),
  stage: json(row.stage),
  health: healthOf(row) ?? null,
});

/** A row as a line of JSON. */
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
