import { Option } from "commander";
import { listWorkspaces } from "../../access/tokens.js";
import { remembering } from "../../base/exact-text.js";
import { StartError } from "../../base/start-error.js";
import { DAY_MS } from "../../base/times.js";
import { countIn, type Database, type Query } from "../../database/database.js";
import { createSettled, idAt, timeOf } from "../../database/event-id.js";
import { noteDeed } from "../../deletion/audit.js";
import { deleteBareRecords, deleteEventsBefore, forgetTraces, PARTS } from "../../deletion/retention.js";
import { keyIn, markOf } from "../../deletion/tombstones.js";
import { forgetArchives, idOfDatabase, knowArchive, noteArchiveRun } from "../../records/known-archives.js";
import { keptPlace, lostPlace } from "../../records/lost-places.js";
import { type Commands, daysArgument, type Say } from "../context.js";
import { untilSettled } from "../export.js";
import {
  type ArchivedFile,
  type Folder,
  folderOf,
  type Manifest,
  openFolder,
  readManifest,
  unlessAbsent,
  writeManifest,
} from "./archive-folder.js";
import { type Name, type Range, type Row, readEvents, selectEvents, sumOf, uuidText, writeEvents } from "./parquet.js";

interface ArchiveArguments {
  now?: boolean;
  check?: true;
  forget?: true;
  deleteOlderThan?: number;
  workspace?: string;
}

/** The command that puts events into files which warehouses read, and takes out of them whoever was erased. */
export const addArchiveCommand = ({ program, workspace, use, say, bounds }: Commands) =>
  program
    .command("archive")
    .description(
      "puts the events of each day that is over into a Parquet file, and takes whoever was erased out of files; for cron",
    )
    .argument("<folder>", "of the archive, which is made where it is absent")
    .option("--now", "also what has come of today, into a file of its own; the rest follows in another one")
    .option("--check", "instead: compares the files with the database")
    .option("--forget", "instead: the database knows no more of this archive, whose files nobody keeps clean then")
    .addOption(
      new Option(
        "--delete-older-than <days>",
        "as --check, and then deletes from the database what is older, and is in these files",
      ).argParser(daysArgument),
    )
    .addOption(workspace().default(undefined, "all"))
    .action((place: string, { workspace, now = false, check, forget, deleteOlderThan }: ArchiveArguments) =>
      use(async (database) => {
        const { query } = database;
        const folder = openFolder(place);
        const before = deleteOlderThan && Date.now() - deleteOlderThan * DAY_MS;
        const all = await listWorkspaces(query);
        let there = 0;
        try {
          for (const one of workspace === undefined ? all : [workspace]) {
            const at = { workspace: one, folder, say };
            if (forget) there += (await forgetOne(query, at)) ? 1 : 0;
            else if (check || before !== undefined) there += (await checkOne(database, at, before)) ? 1 : 0;
            else {
              const waiting = { settled: createSettled(query, bounds), say, what: "the newest erasure" };
              const settled = await untilSettled(await newestErasure(query, one), waiting);
              await archiveWorkspace(database, at, { settled, now });
            }
          }
          if ((check || forget || before !== undefined) && there === 0)
            throw new StartError(`there is no archive in ${folder.place}`);
          // What belongs to no workspace alone goes where all of them are kept so.
          if (before === undefined || there < all.length) return;
          await forgetTraces(query, before);
          for (let part = 0; part < PARTS; part += 1) await deleteBareRecords(database, before, part);
        } finally {
          folder.close();
        }
      }),
    );

interface At {
  workspace: string;
  folder: Folder;
  say: Say;
}

/** Notices whose events are to be taken out of files. What retention has deleted is not: an archive is there to keep it. */
const OF_FILES = "(marks IS NOT NULL OR reason = 'name')";

/** Whoever was erased before is in no file behind this run. */
const newestErasure = async (query: Query, workspace: string): Promise<string | undefined> => {
  const newest = `SELECT id FROM deletions WHERE workspace = $1 AND ${OF_FILES} ORDER BY id DESC LIMIT 1`;
  return (await query<{ id: string }>(newest, [workspace]))[0]?.id;
};

/**
 * Reads the files of a workspace, and compares them with the manifest and the database: each is as it was written, and has as many events as the
 * database has of its days; or, where retention was, or something was deleted since, more. Resolves to whether there is any.
 *
 * @param before deletes from the database what was received before, and is in files that are right
 */
const checkOne = async (database: Database, { workspace, folder, say }: At, before?: number): Promise<boolean> => {
  const { query } = database;
  const manifest = await readManifest(folder, workspace, await idOfDatabase(query));
  if (manifest === undefined) return false;
  const { files, place, clean } = manifest;
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
    const sum = await sumOf(folder.at(file.name)).catch(unlessAbsent);
    if (sum === undefined) return "is not there";
    if (sum !== file.sha256) return "is damaged: its checksum is another one";
    if (events > file.rows) return `has not ${events - file.rows} events that the database has`;
    if (isBeyond(file)) return undefined;
    const told = await countIn(
      query,
      `(SELECT unnest(ids) AS gone FROM deletions
        WHERE workspace = $1 AND ids IS NOT NULL AND (id > $4 OR reason = 'retention')) AS told
      WHERE gone >= $2 AND gone < $3`,
      [workspace, file.from, file.to, clean],
    );
    return file.rows > events + told ? `has ${file.rows} events, and the database ${events}` : undefined;
  };
  const wrong: string[] = [];
  for (const file of files) {
    const what = await wrongWith(file);
    if (what !== undefined) wrong.push(`${file.name}: ${what}`);
  }
  // Last: what is deleted meanwhile makes it less.
  const elsewhere = (await stored(idAt(0), place)) - inFiles;
  if (elsewhere > 0) wrong.push(`workspace=${workspace}: ${elsewhere} events of the database are in no file`);
  if (wrong.length > 0) throw new StartError(wrong.map((line) => `${folder.place}/${line}`).join("\n"));
  const events = files.reduce((sum, { rows }) => sum + rows, 0);
  const beyond = files.filter(isBeyond).length;
  const note =
    beyond > 0 ? `; of ${beyond} files retention has deleted events here, and they are as the manifest says` : "";
  say(`${workspace}: ${events} events in ${files.length} files are as they should be${note}`);
  if (before === undefined) return true;
  const deleted = await deleteEventsBefore(database, workspace, before, timeOf(place));
  const what = `deleted events that are in the archive ${folder.place}`;
  await noteDeed(query, { workspace, what, events: deleted });
  say(`${workspace}: deleted ${deleted} events, which are in ${folder.place}`);
  return true;
};

const forgetOne = async (query: Query, { workspace, folder, say }: At): Promise<boolean> => {
  const manifest = await readManifest(folder, workspace);
  if (manifest?.database === (await idOfDatabase(query))) await writeManifest(folder, { ...manifest, forgotten: true });
  const isKnown = await forgetArchives(query, workspace, folder.place);
  say(`${workspace}: ${isKnown ? "forgot the archive" : "knows no archive"} in ${folder.place}`);
  return isKnown || manifest !== undefined;
};

const timeText = (id: string): string => new Date(timeOf(id)).toISOString();

/** Up to where events may be taken, and in what files. */
export interface Until {
  settled: string;
  /** Takes what is settled of a day that is not over, too. */
  now: boolean;
}

/**
 * Goes on with the archive of a workspace: each event gets into one file, once the file's day is over, and whoever was erased is taken out of
 * files. What is broken off at any step is done again by the next run: a file counts from when the manifest has it, and is named by its beginning.
 * Resolves to what is new.
 *
 * @throws StartError where the database was restored, and the files have more than it, or where it has forgotten the archive
 */
export const archiveWorkspace = async (
  database: Database,
  { workspace, folder, say }: At,
  until: Until,
): Promise<{ events: number; files: number }> => {
  const { query } = database;
  const done = { events: 0, files: 0 };
  const own = await idOfDatabase(query);
  let manifest = await readManifest(folder, workspace, own);
  if (manifest?.forgotten)
    throw new StartError(`the archive of ${workspace} in ${folder.place} was forgotten: begin a new one`);
  const lost = manifest && (await lostPlace(query, workspace, manifest.place));
  if (lost !== undefined)
    throw new StartError(`${folder.place} has what the database has not: begin a new archive, for ${lost}`);
  // Notices behind it may have come since.
  if (manifest !== undefined) manifest.clean = await keptPlace(query, workspace, manifest.clean);
  for (;;) {
    const range = await nextRange(query, { workspace, place: manifest?.place }, until);
    if (range === undefined) break;
    manifest ??= { format: 1, workspace, database: own, place: range.from, clean: range.from, files: [] };
    // Told first: from then on no notice is forgotten that its files need.
    await knowArchive(query, workspace, folder.place, timeOf(manifest.place));
    done.events += await addFile(database, manifest, { folder, range });
    done.files += 1;
  }
  if (manifest === undefined) {
    say(`${workspace}: there is no event of a day that is over; --now takes those of today`);
    return done;
  }
  const { erased, rewritten } = await clean(query, manifest, { folder, settled: until.settled });
  // The last day that is over is behind us, though it had no event.
  const day = idAt(dayOf(timeOf(until.settled)));
  if (day > manifest.place) manifest.place = day;
  await writeManifest(folder, manifest);
  await knowArchive(query, workspace, folder.place, timeOf(manifest.place));
  await noteArchiveRun(query, workspace, folder.place);
  say(
    `${workspace}: wrote ${done.events} events to ${done.files} files: all that was stored before ${timeText(manifest.place)}`,
  );
  say(
    `${workspace}: took ${erased} deleted events out of ${rewritten} files: nothing is in any that was erased before ${timeText(manifest.clean)}`,
  );
  return done;
};

const dayOf = (time: number): number => time - (time % DAY_MS);

/** The events of the next file: those of a day (UTC), once that is over; nothing where there is none yet. @param place from where on */
const nextRange = async (
  query: Query,
  { workspace, place }: { workspace: string; place: string | undefined },
  { settled, now }: Until,
): Promise<Range | undefined> => {
  const [first] = await query<{ id: string }>(
    "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1",
    [workspace, place ?? idAt(0), settled],
  );
  if (first === undefined) return undefined;
  const from = Math.max(dayOf(timeOf(first.id)), place === undefined ? 0 : timeOf(place));
  const end = dayOf(from) + DAY_MS;
  if (end <= timeOf(settled)) return { from: idAt(from), to: idAt(end) };
  return now ? { from: idAt(from), to: settled } : undefined;
};

/** Writes a file, which is called by its beginning alone, so that what was broken off is written again over itself; then the manifest. Resolves to its events. */
const addFile = async (
  { copying }: Database,
  manifest: Manifest,
  { folder, range }: { folder: Folder; range: Range },
): Promise<number> => {
  const at = timeText(range.from);
  const begin = timeOf(range.from) % DAY_MS === 0 ? at.slice(0, 10) : at.replaceAll(":", "-");
  const name = `${folderOf(manifest.workspace)}/day=${at.slice(0, 10)}/${begin}.parquet`;
  const write = (path: string) => copying!((by) => writeEvents(path, selectEvents(by, manifest.workspace, range)));
  const written = await folder.make(name, write);
  manifest.files.push({ name, ...range, ...written });
  manifest.place = range.to;
  // Notices of before may be about what it has read.
  if (range.from < manifest.clean) manifest.clean = range.from;
  await writeManifest(folder, manifest);
  return written.rows;
};

/** What was deleted; that all of these contacts which is in front of it, and had occurred before a time, is erased. */
interface Notice {
  id: string;
  ids: string[] | null;
  marks: string[] | null;
  erased_at: number | null;
  reason: string;
}

/** Notices that are looked for in one pass over the files; each names 5,000 events at most. */
const CHUNK = 200;

const clean = async (query: Query, manifest: Manifest, { folder, settled }: { folder: Folder; settled: string }) => {
  const done = { erased: 0, rewritten: 0 };
  const key = await keyIn(query);
  for (;;) {
    const notices = await query<Notice>(
      `SELECT id, ids, marks, erased_at, reason FROM deletions
       WHERE workspace = $1 AND id > $2 AND id < $3 AND ${OF_FILES} ORDER BY id LIMIT ${CHUNK}`,
      [manifest.workspace, manifest.clean, settled],
    );
    const isGone = goneBy(key, notices);
    for (const file of notices.length > 0 ? manifest.files : []) {
      const events = await folder.open(file.name);
      if (events === undefined)
        throw new StartError(`${folder.place}/${file.name} is not there, though the manifest has it`);
      if (await isClean(readEvents(events, ASKED), file.rows, isGone)) continue;
      const before = file.rows;
      const write = (path: string) => writeEvents(path, without(readEvents(events), isGone));
      Object.assign(file, await folder.make(file.name, write));
      await writeManifest(folder, manifest);
      done.erased += before - file.rows;
      done.rewritten += 1;
    }
    manifest.clean = notices.at(-1)?.id ?? settled;
    await writeManifest(folder, manifest);
    if (notices.length === 0) return done;
  }
};

type IsGone = (row: Row) => boolean;

const ASKED: readonly Name[] = ["id", "contact_id", "received_at", "occurred_at"];

const goneBy = (key: string, notices: readonly Notice[]): IsGone => {
  const ids = new Set(notices.flatMap((one) => (one.reason === "name" ? one.ids! : [])));
  const byMark = new Map<string, Notice[]>();
  for (const notice of notices)
    for (const mark of notice.marks ?? []) byMark.set(mark, [...(byMark.get(mark) ?? []), notice]);
  const erasuresOf = remembering((contact) => byMark.get(markOf(key, contact)) ?? [], 100_000);
  return ({ id: bytes, contact_id, received_at, occurred_at }) => {
    const id = uuidText(bytes);
    const isBefore = ({ erased_at }: Notice) =>
      [received_at, occurred_at].some((time) => Number(time ?? 0) < erased_at!);
    return ids.has(id) || erasuresOf(uuidText(contact_id)).some((one) => id < one.id && isBefore(one));
  };
};

/** Has a file as many rows as the manifest says, and none that is to be taken out? One that was broken off is not in the manifest yet. */
const isClean = async (groups: AsyncIterable<Row[]>, most: number, isGone: IsGone): Promise<boolean> => {
  let found = 0;
  for await (const rows of groups) {
    found += rows.length;
    if (rows.some(isGone)) return false;
  }
  return found === most;
};

async function* without(groups: AsyncIterable<Row[]>, isGone: IsGone): AsyncGenerator<Row[]> {
  for await (const rows of groups) yield rows.filter((row) => !isGone(row));
}
