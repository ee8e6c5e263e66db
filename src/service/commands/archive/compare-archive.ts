import type { Query } from "../../database/database.js";
import { countIn } from "./files/parquet-file.js";
import type { Store } from "./folder-store.js";
import { type ArchivedFile, type Manifest, readManifest } from "./manifest.js";

/** What was compared. */
export interface Compared {
  files: number;
  events: number;
  /** Files of which the database has no events to compare with, or not all: retention was there. */
  beyond: number;
  /** What is not as it should be, a line each. */
  wrong: string[];
}

/** Compares the files of a workspace with the manifest, and, where retention was not yet, with the database. Nothing where there is no archive. */
export const compareArchive = async (
  query: Query,
  workspace: string,
  store: Store,
): Promise<(Compared & { manifest: Manifest }) | undefined> => {
  const manifest = await readManifest(store, workspace);
  if (manifest === undefined) return undefined;
  const [row] = await query<{ before: string | null }>(
    "SELECT before FROM deletions WHERE workspace = $1 AND before IS NOT NULL ORDER BY before DESC LIMIT 1",
    [workspace],
  );
  const compared: Compared = { files: 0, events: 0, beyond: 0, wrong: [] };
  for (const file of manifest.files) {
    compared.files += 1;
    compared.events += file.rows;
    const isBeyond = row?.before !== undefined && row.before !== null && file.from < row.before;
    if (isBeyond) compared.beyond += 1;
    const wrong = (await compareFile(store, file)) ?? (await compareTable(query, { manifest, file, isBeyond }));
    if (wrong !== undefined) compared.wrong.push(`${file.name}: ${wrong}`);
  }
  return { ...compared, manifest };
};

const compareFile = async (store: Store, { name, rows, bytes }: ArchivedFile): Promise<string | undefined> => {
  const file = await store.open(name);
  if (file === undefined) return "is not there";
  if (file.byteLength !== bytes) return `has ${file.byteLength} bytes, and ${bytes} in the manifest`;
  const count = await countIn(file);
  return count === rows ? undefined : `has ${count} events, and ${rows} in the manifest`;
};

/** What was deleted in the database since the last run is in the file still: so its events may be as many more. */
const compareTable = async (
  query: Query,
  { manifest: { workspace, clean }, file, isBeyond }: { manifest: Manifest; file: ArchivedFile; isBeyond: boolean },
): Promise<string | undefined> => {
  const range = [workspace, file.from, file.to];
  const count = async (sql: string, values: unknown[]) => Number((await query(sql, values))[0]!.count);
  const events = await count(
    "SELECT count(*) AS count FROM events WHERE workspace = $1 AND id >= $2 AND id < $3",
    range,
  );
  if (file.rows < events) return `has ${file.rows} events, and the database ${events}`;
  if (isBeyond) return undefined;
  const gone = await count(
    `SELECT count(*) AS count FROM (SELECT unnest(ids) AS gone FROM deletions
       WHERE workspace = $1 AND ids IS NOT NULL AND (id > $4 OR reason = 'retention')) AS told
     WHERE gone >= $2 AND gone < $3`,
    [...range, clean],
  );
  return file.rows <= events + gone ? undefined : `has ${file.rows} events, and the database ${events}`;
};
