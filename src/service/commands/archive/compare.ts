import { countIn, type Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { idOfDatabase } from "../../records/known-archives.js";
import { type ArchivedFile, type Folder, readManifest, unlessAbsent } from "./archive-folder.js";
import { sumOf } from "./parquet.js";

/**
 * Reads the files of a workspace, and compares them with the manifest and the database: each is as it was written, and has as many events as the
 * database has of its days; or, where retention was, or something was deleted since, more. Nothing where there is no archive.
 */
export const compareArchive = async (query: Query, workspace: string, folder: Folder) => {
  const manifest = await readManifest(folder, workspace, await idOfDatabase(query));
  if (manifest === undefined) return undefined;
  const stored = (from: string, to: string) =>
    countIn(query, "events WHERE workspace = $1 AND id >= $2 AND id < $3", [workspace, from, to]);
  const [past] = await query<{ before: string }>(
    "SELECT before FROM deletions WHERE workspace = $1 AND before IS NOT NULL ORDER BY before DESC LIMIT 1",
    [workspace],
  );
  const isBeyond = ({ from }: ArchivedFile): boolean => past !== undefined && from < past.before;
  let inFiles = 0;
  const wrongWith = async (file: ArchivedFile): Promise<string | undefined> => {
    const events = await stored(file.from, file.to);
    inFiles += events;
    const found = await sumOf(folder.at(file.name)).catch(unlessAbsent);
    if (found === undefined) return "is not there";
    if (found.sha256 !== file.sha256) return "is damaged: its checksum is another one";
    if (events > file.rows) return `has not ${events - file.rows} events that the database has`;
    if (isBeyond(file)) return undefined;
    const told = await countIn(
      query,
      `(SELECT unnest(ids) AS gone FROM deletions
        WHERE workspace = $1 AND ids IS NOT NULL AND (id > $4 OR reason = 'retention')) AS told
      WHERE gone >= $2 AND gone < $3`,
      [workspace, file.from, file.to, manifest.clean],
    );
    return file.rows > events + told ? `has ${file.rows} events, and the database ${events}` : undefined;
  };
  const { files, place } = manifest;
  const wrong: string[] = [];
  for (const file of files) {
    const what = await wrongWith(file);
    if (what !== undefined) wrong.push(`${file.name}: ${what}`);
  }
  // Last: what is deleted meanwhile makes it less.
  const elsewhere = (await stored(idAt(0), place)) - inFiles;
  if (elsewhere > 0) wrong.push(`workspace=${workspace}: ${elsewhere} events of the database are in no file`);
  const events = files.reduce((sum, { rows }) => sum + rows, 0);
  return { files: files.length, events, beyond: files.filter(isBeyond).length, wrong, place };
};
