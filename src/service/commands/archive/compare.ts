import type { Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { idOfDatabase } from "../../records/archives.js";
import { readEvents, sumOf, uuidText } from "./parquet.js";
import { type ArchivedFile, type Manifest, readManifest, type Store, unlessAbsent } from "./store.js";

/**
 * Reads the files of a workspace, and compares them with the manifest and the database: each is as it was written, and has each event that the
 * database has of its days; and, where retention was not yet, no other one. Nothing where there is no archive.
 */
export const compareArchive = async (query: Query, workspace: string, store: Store) => {
  const manifest = await readManifest(store, workspace, await idOfDatabase(query));
  if (manifest === undefined) return undefined;
  const [past] = await query<{ before: string }>(
    "SELECT before FROM deletions WHERE workspace = $1 AND before IS NOT NULL ORDER BY before DESC LIMIT 1",
    [workspace],
  );
  // `beyond`: of so many files the database has not all events to compare with, as retention was there; `wrong`: what is not as it should be.
  const compared = { files: manifest.files.length, events: 0, beyond: 0, wrong: [] as string[], place: manifest.place };
  let inFiles = 0;
  for (const file of manifest.files) {
    const isBeyond = past !== undefined && file.from < past.before;
    if (isBeyond) compared.beyond += 1;
    compared.events += file.rows;
    const events = await countEvents(query, "id >= $2 AND id < $3", [workspace, file.from, file.to]);
    inFiles += events;
    const wrong = await wrongWith(query, store, { manifest, file, events, isBeyond });
    if (wrong !== undefined) compared.wrong.push(`${file.name}: ${wrong}`);
  }
  // Last: what is deleted meanwhile makes it less.
  const all = await countEvents(query, "id >= $2 AND id < $3", [workspace, idAt(0), manifest.place]);
  if (all > inFiles)
    compared.wrong.push(`workspace=${workspace}: ${all - inFiles} events of the database are in no file`);
  return compared;
};

interface Part {
  manifest: Manifest;
  file: ArchivedFile;
  /** What the database has of its range, if anything. */
  events: number;
  isBeyond: boolean;
}

const wrongWith = async (
  query: Query,
  store: Store,
  { manifest: { workspace, clean }, file, events, isBeyond }: Part,
): Promise<string | undefined> => {
  const found = await sumOf(store.at(file.name)).catch(unlessAbsent);
  if (found === undefined) return "is not there";
  if (found.sha256 !== file.sha256) return "is damaged: its checksum is another one";
  let held = 0;
  if (events > 0)
    for await (const { columns } of readEvents((await store.open(file.name))!, ["id"])) {
      const ids = columns.id.map((id) => uuidText(id as Uint8Array));
      held += await countEvents(query, "id = ANY($2::uuid[])", [workspace, ids]);
    }
  // What is deleted meanwhile is none that it lacks.
  const now = await countEvents(query, "id >= $2 AND id < $3", [workspace, file.from, file.to]);
  if (now > held) return `has not ${now - held} events that the database has`;
  if (isBeyond) return undefined;
  // What was deleted in the database since the last run is in the file still: so its events may be as many more.
  const [row] = await query(
    `SELECT count(*) AS count FROM (SELECT unnest(ids) AS gone FROM deletions
       WHERE workspace = $1 AND ids IS NOT NULL AND (id > $4 OR reason = 'retention')) AS told
     WHERE gone >= $2 AND gone < $3`,
    [workspace, file.from, file.to, clean],
  );
  return file.rows <= now + Number(row!.count) ? undefined : `has ${file.rows} events, and the database ${now}`;
};

const countEvents = async (query: Query, which: string, values: unknown[]): Promise<number> =>
  Number((await query(`SELECT count(*) AS count FROM events WHERE workspace = $1 AND ${which}`, values))[0]!.count);
