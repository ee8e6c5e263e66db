import { open, stat } from "node:fs/promises";
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { fileWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { COLUMNS, emptyGroup, type Group, NAMES, uuidText } from "./event-columns.js";

const SCHEMA = schemaFromColumnData({
  columnData: NAMES.map((name) => ({ name, data: [], nullable: false, ...COLUMNS[name] })),
});

/** What was written. */
export interface WrittenFile {
  rows: number;
  bytes: number;
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
  return { rows: Number(writer.num_rows), bytes: (await stat(path)).size, contacts };
};

/** Waits until what was written to a file, or which files are in a folder, is on the disk. */
export const toDisk = async (path: string): Promise<void> => {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
};

/** The events of a file, a group of rows at a time. */
export async function* readEvents(file: AsyncBuffer): AsyncGenerator<Group> {
  const metadata = await parquetMetadataAsync(file);
  let rowStart = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(num_rows);
    const objects = await parquetReadObjects({
      ...{ file, metadata, rowStart, rowEnd },
      parsers: { uuidFromBytes: (bytes) => bytes && Uint8Array.from(bytes) },
    });
    const group = emptyGroup();
    group.rows = objects.length;
    for (const name of NAMES) group.columns[name] = objects.map((row) => row[name] ?? null);
    yield group;
    rowStart = rowEnd;
  }
}

/** How many events a file says that it has. */
export const countIn = async (file: AsyncBuffer): Promise<number> =>
  Number((await parquetMetadataAsync(file)).num_rows);
