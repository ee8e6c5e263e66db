import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { StartError } from "../../../base/start-error.js";
import { COLUMNS, emptyGroup, type Group, NAMES, type Name, uuidText } from "./event-columns.js";

const SCHEMA = schemaFromColumnData({
  columnData: NAMES.map((name) => ({ name, data: [], nullable: false, ...COLUMNS[name] })),
});

/** What was written. */
export interface WrittenFile {
  rows: number;
  bytes: number;
  sha256: string;
  /** The ids of the contacts. */
  contacts: Set<string>;
}

/** Writes events to a file, a group of rows at a time, which is on the disk before this resolves. */
export const writeEvents = async (path: string, groups: AsyncIterable<Group>): Promise<WrittenFile> => {
  const contacts = new Set<string>();
  const writer = new ParquetWriter({ writer: fileWriter(path), schema: SCHEMA, createdBy: "tracklet" });
  for await (const { rows, columns } of groups) {
    if (rows === 0) continue;
    const columnData = NAMES.map((name) => ({
      name,
      data: columns[name],
      // Least and greatest of what is random, or is a whole text, leave nothing out for who reads.
      statistics: COLUMNS[name].type !== "UUID" && name !== "params",
      // They rise within an account.
      ...(COLUMNS[name].type === "TIMESTAMP" && { encoding: "DELTA_BINARY_PACKED" as const }),
    }));
    await writer.write({ columnData, rowGroupSize: rows });
    for (const contact of columns.contact_id) contacts.add(uuidText(contact as Uint8Array));
  }
  await writer.finish();
  await toDisk(path);
  return { rows: Number(writer.num_rows), ...(await sumOf(path)), contacts };
};

/** The size and the checksum of a file. */
export const sumOf = async (path: string): Promise<{ bytes: number; sha256: string }> => {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
};

/** Waits until what was written to a file, or which files are in a folder, is on the disk. */
export const toDisk = async (path: string): Promise<void> => {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
};

/** The events of a file, a group of rows at a time. @param columns Default: all */
export async function* readEvents(file: AsyncBuffer, columns: readonly Name[] = NAMES): AsyncGenerator<Group> {
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const objects = await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd, columns: [...columns] },
      parsers: { uuidFromBytes: (bytes) => bytes && Uint8Array.from(bytes) },
    });
    const group = emptyGroup();
    group.rows = objects.length;
    for (const name of columns) group.columns[name] = objects.map((row) => row[name] ?? null);
    yield group;
    rowStart = rowEnd;
  }
}

/** The ids of its events. @param all reads all that there is of them @throws StartError where it cannot be read */
export async function* readIds(file: AsyncBuffer, all: boolean): AsyncGenerator<string[]> {
  const groups = readEvents(file, all ? NAMES : ["id"]);
  for (;;) {
    const { value, done } = await groups.next().catch((error: Error) => {
      throw new StartError(`cannot be read: ${error.message}`);
    });
    if (done) return;
    yield value.columns.id.map((id) => uuidText(id as Uint8Array));
  }
}
