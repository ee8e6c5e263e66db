import { StartError } from "../../base/start-error.js";
import type { Database, Query } from "../../database/database.js";
import { timeOf } from "../../database/event-id.js";
import { keyIn } from "../../deletion/tombstones.js";
import { idOfDatabase, knowArchive } from "../../records/archives.js";
import { lostPlace } from "../../records/restored.js";
import { copyEvents } from "./files/copied-events.js";
import { type Group, NAMES } from "./files/event-columns.js";
import { readEvents, writeEvents } from "./files/parquet-file.js";
import type { Store } from "./folder-store.js";
import { type ArchivedFile, folderOf, type Manifest, readManifest, writeManifest } from "./manifest.js";
import { readMarks, writeMarks } from "./mark-list.js";
import { concerns, createStays, readPending } from "./pending-erasures.js";
import { nameOfRange, nextRange, restingPlace, type Until } from "./ranges.js";

/** What a run has done in a workspace. */
export interface Archived {
  /** Events that it has put into files, and files that it has made. */
  events: number;
  files: number;
  /** Events that it has taken out of files, and files that it has written anew for it. */
  erased: number;
  rewritten: number;
  /** Nothing where there was no event yet. */
  manifest: Manifest | undefined;
}

/**
 * Goes on with the archive of a workspace: each event gets into one file, once the file's day is over, and whoever was erased is taken out of
 * files. What is broken off at any step is done again by the next run: a file counts from when the manifest has it, and is named by its beginning.
 *
 * @throws StartError where the database was restored, and the files have more than it, or where it has forgotten the archive
 */
export const archiveWorkspace = async (
  database: Database,
  workspace: string,
  { store, until }: { store: Store; until: Until },
): Promise<Archived> => {
  const { query } = database;
  const done: Archived = { events: 0, files: 0, erased: 0, rewritten: 0, manifest: undefined };
  const own = await idOfDatabase(query);
  const found = await readManifest(store, workspace, own);
  if (found?.forgotten)
    throw new StartError(`the archive of ${workspace} in ${store.place} was forgotten: begin a new one`);
  const lost = found && (await lostPlace(query, found.place));
  if (lost !== undefined)
    throw new StartError(`${store.place} has what the database has not: begin a new archive, for ${lost}`);
  const key = await keyIn(query);
  let manifest = found;
  for (;;) {
    const range = await nextRange(query, { workspace, place: manifest?.place }, until);
    if (range === undefined) break;
    manifest ??= { format: 1, workspace, database: own, place: range.from, clean: range.from, files: [] };
    // Told first: from then on no notice is forgotten that its files need.
    await knowArchive(query, workspace, store.place, timeOf(manifest.place));
    const file = await writeFile(database, manifest, { store, key, range });
    done.events += file.rows;
    done.files += 1;
  }
  if (manifest === undefined) return done;
  Object.assign(done, await clean(query, manifest, { store, key, until }));
  manifest.place = restingPlace(manifest.place, until);
  await writeManifest(store, manifest);
  await knowArchive(query, workspace, store.place, timeOf(manifest.place));
  return { ...done, manifest };
};

interface Files {
  store: Store;
  key: string;
}

/** Writes a file, then the manifest. Notices of before may be about what it has read, so it is clean from its beginning only. */
const writeFile = async (
  { copying }: Database,
  manifest: Manifest,
  { store, key, range }: Files & { range: { from: string; to: string } },
): Promise<ArchivedFile> => {
  const name = `${folderOf(manifest.workspace)}/${nameOfRange(range)}`;
  const { contacts: _, ...written } = await store.make(name, async (path) => {
    const written = await copying!((by) => writeEvents(path, copyEvents(by, manifest.workspace, range)));
    await writeMarks(store, name, key, written.contacts);
    return written;
  });
  const file = { name, ...range, ...written };
  manifest.files.push(file);
  manifest.place = range.to;
  if (range.from < manifest.clean) manifest.clean = range.from;
  await writeManifest(store, manifest);
  return file;
};

/** Takes out of files what notices tell of, many in one pass. */
const clean = async (query: Query, manifest: Manifest, { store, key, until }: Files & { until: Until }) => {
  const done = { erased: 0, rewritten: 0 };
  const range = { from: manifest.clean, to: until.settled };
  for await (const pending of readPending(query, manifest.workspace, range)) {
    const stays = createStays(key, pending);
    for (const file of manifest.files) {
      if (!(await concerns(pending, file, () => readMarks(store, file.name)))) continue;
      const before = file.rows;
      const { contacts, ...written } = await rewrite(store, file, stays);
      Object.assign(file, written);
      await writeManifest(store, manifest);
      // Last: as long as it is not written, the file is looked at again.
      await writeMarks(store, file.name, key, contacts);
      done.erased += before - file.rows;
      done.rewritten += 1;
    }
    manifest.clean = pending.last;
    await writeManifest(store, manifest);
  }
  manifest.clean = until.settled;
  return done;
};

type Stays = ReturnType<typeof createStays>;

const rewrite = async (store: Store, { name }: ArchivedFile, stays: Stays) => {
  const file = await store.open(name);
  if (file === undefined) throw new StartError(`${store.place}/${name} is not there, though the manifest has it`);
  return store.make(name, (path) => writeEvents(path, filter(readEvents(file), stays)));
};

async function* filter(groups: AsyncIterable<Group>, stays: Stays): AsyncGenerator<Group> {
  for await (const group of groups) {
    const kept = Array.from({ length: group.rows }, (_, at) => at).filter((at) => stays(group, at));
    const columns = { ...group.columns };
    for (const name of NAMES) columns[name] = kept.map((at) => group.columns[name][at]);
    yield { rows: kept.length, columns };
  }
}
