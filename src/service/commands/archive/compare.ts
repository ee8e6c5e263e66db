import type { Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { idOfDatabase } from "../../records/archives.js";
import { readEvents, uuidText } from "./parquet.js";
import { type ArchivedFile, type Manifest, readManifest, type Store } from "./store.js";

/** What was compared. */
interface Compared {
  files: number;
  events: number;
  /** Files of which the database has no events to compare with, or not all: retention was there. */
  beyond: number;
  /** What is not as it should be, a line each. */
  wrong: string[];
  /** Up to where events are in files. */
  place: string;
}

/** What retention deletes: as `deleteEventsBefore` does. */
const DUE = "(id < $4 OR (origin_id IS NOT NULL AND received_at < $5))";

/**
 * Reads the files of a workspace, and compares them with the manifest and the database: each is as it was written, and has each event that the
 * database has of its days; and, where retention was not yet, no other one. Nothing where there is no archive.
 *
 * @param before only files that hold something of before a time (epoch milliseconds)
 */
export const compareArchive = async (
  query: Query,
  workspace: string,
  store: Store,
  before?: number,
): Promise<Compared | undefined> => {
  const manifest = await readManifest(store, workspace, await idOfDatabase(query));
  if (manifest === undefined) return undefined;
  const [row] = await query<{ before: string | null }>(
    "SELECT before FROM deletions WHERE workspace = $1 AND before IS NOT NULL ORDER BY before DESC LIMIT 1",
    [workspace],
  );
  const [which, more] = before === undefined ? ["true", []] : [DUE, [idAt(before), before]];
  const count = async (from: string, to: string): Promise<number> => {
    const sql = `SELECT count(*) AS count FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 AND ${which}`;
    return Number((await query(sql, [workspace, from, to, ...more]))[0]!.count);
  };
  const compared: Compared = { files: 0, events: 0, beyond: 0, wrong: [], place: manifest.place };
  let inFiles = 0;
  for (const file of manifest.files) {
    const events = await count(file.from, file.to);
    inFiles += events;
    if (before !== undefined && events === 0) continue;
    compared.files += 1;
    compared.events += file.rows;
    const isBeyond = row?.before !== undefined && row.before !== null && file.from < row.before;
    if (isBeyond) compared.beyond += 1;
    const wrong =
      (await compareSum(store, file)) ?? (await compareTable(query, store, { manifest, file, events, isBeyond }));
    if (wrong !== undefined) compared.wrong.push(`${file.name}: ${wrong}`);
  }
  // Last: what is deleted meanwhile makes it less.
  const elsewhere = (await count(idAt(0), manifest.place)) - inFiles;
  if (elsewhere > 0) compared.wrong.push(`workspace=${workspace}: ${elsewhere} events of the database are in no file`);
  return compared;
};

const compareSum = async (store: Store, { name, bytes, sha256 }: ArchivedFile): Promise<string | undefined> => {
  const found = await store.sum(name);
  if (found === undefined) return "is not there";
  if (found.bytes !== bytes) return `has ${found.bytes} bytes, and ${bytes} in the manifest`;
  return found.sha256 === sha256 ? undefined : "is damaged: its checksum is another one";
};

interface Part {
  manifest: Manifest;
  file: ArchivedFile;
  /** What the database has of its range, if anything. */
  events: number;
  isBeyond: boolean;
}

/** What was deleted in the database since the last run is in the file still: so its events may be as many more. */
const compareTable = async (
  query: Query,
  store: Store,
  { manifest: { workspace, clean }, file, events: some, isBeyond }: Part,
): Promise<string | undefined> => {
  const { from, to } = file;
  let held = 0;
  if (some > 0)
    for await (const { columns } of readEvents((await store.open(file.name))!, ["id"])) {
      const ids = columns.id.map((id) => uuidText(id as Uint8Array));
      held += await countEvents(query, "id = ANY($2::uuid[])", [workspace, ids]);
    }
  const events = await countEvents(query, "id >= $2 AND id < $3", [workspace, from, to]);
  if (events > held) return `has not ${events - held} events that the database has`;
  if (isBeyond) return undefined;
  const [row] = await query(
    `SELECT count(*) AS count FROM (SELECT unnest(ids) AS gone FROM deletions
       WHERE workspace = $1 AND ids IS NOT NULL AND (id > $4 OR reason = 'retention')) AS told
     WHERE gone >= $2 AND gone < $3`,
    [workspace, from, to, clean],
  );
  return file.rows <= events + Number(row!.count) ? undefined : `has ${file.rows} events, and the database ${events}`;
};

const countEvents = async (query: Query, which: string, values: unknown[]): Promise<number> =>
  Number((await query(`SELECT count(*) AS count FROM events WHERE workspace = $1 AND ${which}`, values))[0]!.count);
