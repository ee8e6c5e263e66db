import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { type BasicType, fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { toUuid } from "../../base/exact-text.js";
import type { Copying } from "../../database/database.js";
import { toDisk } from "../../database/embedded/disk-space.js";

/*
 * A file has the columns of the table `events`, as they are there: a text that Parquet's UTF-8 could not hold is escaped as in JSON. Only
 * times have a type of their own. The workspace is in the path.
 */

interface Column {
  type: BasicType;
  nullable?: boolean;
}

const COLUMNS = {
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

/** An event as a file has it: times are dates, and UUIDs are bytes. */
export type Row = Record<Name, unknown>;

/** 16 bytes as a UUID. */
export const uuidText = (bytes: unknown): string => toUuid(Buffer.from(bytes as Uint8Array).toString("hex"));

/** An event of the database as the writer takes it. */
const toRow = (event: Record<string, unknown>): Row => {
  const inFile = (name: Name) => {
    const value = event[name];
    if (value === null) return null;
    if (COLUMNS[name].type === "TIMESTAMP") return new Date(value as number);
    return COLUMNS[name].type === "UUID" ? Buffer.from(String(value).replaceAll("-", ""), "hex") : value;
  };
  return Object.fromEntries(NAMES.map((name) => [name, inFile(name)])) as Row;
};

const SCHEMA = schemaFromColumnData({
  columnData: NAMES.map((name) => ({ name, data: [], nullable: false, ...COLUMNS[name] })),
});

/** Writes events to a file, a group of rows at a time, which is on the disk before this resolves. */
export const writeEvents = async (path: string, groups: AsyncIterable<Row[]>) => {
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: SCHEMA, createdBy: "tracklet" });
  for await (const rows of groups) {
    if (rows.length === 0) continue;
    const columnData = NAMES.map((name) => ({
      name,
      data: rows.map((row) => row[name] ?? null),
      // Least and greatest of what is random, or is a whole text, leave nothing out for who reads.
      statistics: COLUMNS[name].type !== "UUID" && name !== "params",
      // They rise within an account.
      ...(COLUMNS[name].type === "TIMESTAMP" && { encoding: "DELTA_BINARY_PACKED" as const }),
    }));
    await writer.write({ columnData, rowGroupSize: rows.length });
  }
  await writer.finish();
  toDisk(path);
  return { rows: Number(writer.num_rows), sha256: await sumOf(path) };
};

export const sumOf = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
};

/** The events of a file, a group of rows at a time. @param columns Default: all */
export async function* readEvents(file: AsyncBuffer, columns: readonly Name[] = NAMES): AsyncGenerator<Row[]> {
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    yield (await parquetReadObjects({
      file,
      metadata,
      rowStart,
      rowEnd,
      columns: [...columns],
      parsers: { uuidFromBytes: (bytes) => bytes && Uint8Array.from(bytes) },
    })) as Row[];
    rowStart = rowEnd;
  }
}

/** Rows of a group, and characters of params after which it ends before that: what is held in memory. */
const [MOST_ROWS, MOST_LENGTH] = [50_000, 32_000_000];
const CHUNK = 500;

export interface Range {
  from: string;
  to: string;
}

/** The events of a range by account and time: the database sorts them, on its disk where they are many. */
export async function* selectEvents({ query }: Copying, workspace: string, { from, to }: Range): AsyncGenerator<Row[]> {
  await query(
    `DECLARE archived CURSOR FOR SELECT ${NAMES} FROM events WHERE workspace = $1 AND id >= $2 AND id < $3
     ORDER BY account_uid COLLATE "C", coalesce(occurred_at, received_at), id`,
    [workspace, from, to],
  );
  let [group, length]: [Row[], number] = [[], 0];
  for (;;) {
    const events = await query(`FETCH ${CHUNK} FROM archived`);
    group.push(...events.map(toRow));
    length += events.reduce((sum, { params }) => sum + String(params).length, 0);
    if (events.length > 0 && group.length < MOST_ROWS && length < MOST_LENGTH) continue;
    if (group.length > 0) yield group;
    if (events.length === 0) return;
    [group, length] = [[], 0];
  }
}
