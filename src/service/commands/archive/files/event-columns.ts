import type { BasicType } from "hyparquet-writer";

/*
 * A file has the columns of the table `events`, as they are there: a text that Parquet's UTF-8 could not hold is escaped as in JSON. Only
 * times have a type of their own. The workspace is in the path.
 */

interface Column {
  type: BasicType;
  /** May it be absent? */
  nullable?: boolean;
}

export const COLUMNS = {
  received_at: { type: "TIMESTAMP" },
  occurred_at: { type: "TIMESTAMP", nullable: true },
  event_uid: { type: "STRING" },
  contact_uid: { type: "STRING" },
  account_uid: { type: "STRING", nullable: true },
  page: { type: "STRING", nullable: true },
  referrer_host: { type: "STRING", nullable: true },
  params: { type: "STRING" },
  id: { type: "UUID" },
  contact_id: { type: "UUID" },
  stamp: { type: "UUID", nullable: true },
  source: { type: "UUID", nullable: true },
  number: { type: "INT32", nullable: true },
  proven: { type: "BOOLEAN", nullable: true },
  origin_id: { type: "UUID", nullable: true },
} as const satisfies Record<string, Column>;

export type Name = keyof typeof COLUMNS;
export const NAMES = Object.keys(COLUMNS) as Name[];

/** Rows that are written or read at a time, column by column. */
export interface Group {
  rows: number;
  columns: Record<Name, unknown[]>;
}

export const emptyGroup = (): Group => ({
  rows: 0,
  columns: Object.fromEntries(NAMES.map((name) => [name, []])) as unknown as Group["columns"],
});

/** A UUID as 16 bytes. */
export const uuidBytes = (uuid: string): Uint8Array => Buffer.from(uuid.replaceAll("-", ""), "hex");

/** 16 bytes as a UUID. */
export const uuidText = (bytes: Uint8Array): string => {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** What the database says of a column, as the writer takes it. */
export const READ: Record<(typeof COLUMNS)[Name]["type"], (text: string) => unknown> = {
  TIMESTAMP: (text) => new Date(Number(text)),
  STRING: (text) => text,
  UUID: (hex) => Buffer.from(hex, "hex"),
  INT32: Number,
  BOOLEAN: (text) => text === "t",
};
