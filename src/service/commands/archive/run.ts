import { Option } from "commander";
import { listWorkspaces } from "../../access/tokens.js";
import { StartError } from "../../base/start-error.js";
import { DAY_MS } from "../../base/times.js";
import type { Database, Query } from "../../database/database.js";
import { idAt, timeOf } from "../../database/event-id.js";
import { createSettled } from "../../database/settled.js";
import { noteDeed } from "../../deletion/audit.js";
import { deleteBareRecords, deleteEventsBefore, forgetTraces, PARTS } from "../../deletion/retention.js";
import { keyIn, markOf } from "../../deletion/tombstones.js";
import { forgetArchives, idOfDatabase, knowArchive, noteArchiveRun } from "../../records/archives.js";
import { keptPlace, lostPlace } from "../../records/lost-places.js";
import { type Commands, daysArgument, type Say } from "../commands.js";
import { untilSettled } from "../export.js";
import { compareArchive } from "./compare.js";
import { copyEvents, type Group, NAMES, type Range, readEvents, uuidText, writeEvents } from "./parquet.js";
import {
  type ArchivedFile,
  folderOf,
  isBucket,
  type Manifest,
  openFolder,
  readManifest,
  readMarks,
  type Store,
  writeManifest,
  writeMarks,
} from "./store.js";

interface ArchiveArguments {
  now?: boolean;
  check?: true;
  forget?: true;
  deleteOlderThan?: number;
  workspace?: string;
}

/** The command that puts events into files which warehouses read, and takes out of them whoever was erased. */
export const addArchiveCommand = ({ program, workspace, over, say, bounds }: Commands) =>
  program
    .command("archive")
    .description(
      "puts the events of each day that is over into a Parquet file, and takes whoever was erased out of files; for cron",
    )
    .argument("<place>", "a folder")
    .option("--now", "also what has come of today, into a file of its own; the rest follows in another one")
    .option("--check", "instead: compares the files with the database")
    .option("--forget", "instead: the database knows no more of this archive, whose files nobody keeps clean then")
    .addOption(
      new Option(
        "--delete-older-than <days>",
        "instead: deletes from the database what is older, and is in these files",
      ).argParser(daysArgument),
    )
    .addOption(workspace().default(undefined, "all"))
    .action((place: string, options: ArchiveArguments) =>
      over((database) => runArchive(database, place, { ...options, bounds, say })),
    );

/** Runs an archive, or what is asked of it instead, for one workspace or all. */
const runArchive = async (
  database: Database,
  place: string,
  {
    workspace,
    now = false,
    check,
    forget,
    deleteOlderThan,
    bounds,
    say,
  }: ArchiveArguments & Pick<Commands, "bounds" | "say">,
): Promise<void> => {
  const { query } = database;
  const workspaces = workspace === undefined ? await listWorkspaces(query) : [workspace];
  let isThere = false;
  if (forget && isBucket(place)) {
    for (const workspace of workspaces) isThere = (await forgetPlace(database, { workspace, place, say })) || isThere;
    if (!isThere) throw none(place);
    return;
  }
  const store = openFolder(place);
  try {
    if (deleteOlderThan !== undefined)
      return await deleteArchived(database, workspaces, { store, before: Date.now() - deleteOlderThan * DAY_MS, say });
    for (const workspace of workspaces) {
      const at = { workspace, store, say };
      if (forget) isThere = (await forgetOne(database, at)) || isThere;
      else if (check) isThere = (await checkOne(database, at)) || isThere;
      else {
        const waiting = { settled: createSettled(query, bounds), say, what: "the newest erasure" };
        const settled = await untilSettled(await newestErasure(query, workspace), waiting);
        await archiveOne(database, at, { settled, now });
      }
    }
    if ((check || forget) && !isThere) throw none(store.place);
  } finally {
    await store.close();
  }
};

const none = (place: string): StartError => new StartError(`there is no archive in ${place}`);

interface At {
  workspace: string;
  store: Store;
  say: Say;
}

/** Of the notices whose events are to be taken out of files: whoever was erased before is in none behind this run. */
const newestErasure = async (query: Query, workspace: string): Promise<string | undefined> =>
  (
    await query<{ id: string }>(
      "SELECT id FROM deletions WHERE workspace = $1 AND (marks IS NOT NULL OR reason = 'name') ORDER BY id DESC LIMIT 1",
      [workspace],
    )
  )[0]?.id;

const archiveOne = async (database: Database, { workspace, store, say }: At, until: Until): Promise<void> => {
  const { events, files, erased, rewritten, manifest } = await archiveWorkspace(database, workspace, { store, until });
  if (manifest !== undefined) await noteArchiveRun(database.query, workspace, store.place);
  if (manifest === undefined)
    return say(`${workspace}: there is no event of a day that is over; --now takes those of today`);
  say(`${workspace}: wrote ${events} events to ${files} files: all that was stored before ${timeText(manifest.place)}`);
  say(
    `${workspace}: took ${erased} deleted events out of ${rewritten} files: nothing is in any that was erased before ${timeText(manifest.clean)}`,
  );
};

/** Resolves to whether there is any. */
const checkOne = async ({ query }: Database, { workspace, store, say }: At): Promise<boolean> => {
  const compared = await compareArchive(query, workspace, store);
  if (compared === undefined) return false;
  const { files, events, beyond, wrong } = compared;
  if (wrong.length > 0) throw new StartError(wrong.map((line) => `${store.place}/${line}`).join("\n"));
  const note =
    beyond > 0 ? `; of ${beyond} files retention has deleted events here, and they are as the manifest says` : "";
  say(`${workspace}: ${events} events in ${files} files are as they should be${note}`);
  return true;
};

/** @returns whether there was one */
const forgetOne = async (database: Database, { workspace, store, say }: At): Promise<boolean> => {
  const manifest = await readManifest(store, workspace);
  if (manifest?.database === (await idOfDatabase(database.query)))
    await writeManifest(store, { ...manifest, forgotten: true });
  return (await forgetPlace(database, { workspace, place: store.place, say })) || manifest !== undefined;
};

const forgetPlace = async (
  { query }: Database,
  { workspace, place, say }: Pick<At, "workspace" | "say"> & { place: string },
): Promise<boolean> => {
  const isKnown = await forgetArchives(query, workspace, place);
  say(`${workspace}: ${isKnown ? "forgot the archive" : "knows no archive"} in ${place}`);
  return isKnown;
};

const timeText = (id: string): string => new Date(timeOf(id)).toISOString();

/** What a run has done in a workspace. */
interface Archived {
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
  const lost = found && (await lostPlace(query, workspace, found.place));
  if (lost !== undefined)
    throw new StartError(`${store.place} has what the database has not: begin a new archive, for ${lost}`);
  // Notices behind it may have come since.
  if (found !== undefined) found.clean = await keptPlace(query, workspace, found.clean);
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

const dayOf = (time: number): number => time - (time % DAY_MS);

/** Up to where events may be taken, and in what files. */
export interface Until {
  /** The first id that is not settled yet. */
  settled: string;
  /** Takes what is settled of a day that is not over, too. */
  now: boolean;
}

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
  const end = timeOf(settled);
  const from = Math.max(dayOf(timeOf(first.id)), place === undefined ? 0 : timeOf(place));
  const day = dayOf(from) + DAY_MS;
  if (day <= end) return { from: idAt(from), to: idAt(day) };
  return now ? { from: idAt(from), to: settled } : undefined;
};

/** What a file of a range is called: by its beginning alone, so that what was broken off is written again over itself. */
const nameOfRange = ({ from }: Range): string => {
  const at = new Date(timeOf(from)).toISOString();
  const begin = timeOf(from) % DAY_MS === 0 ? at.slice(0, 10) : at.replaceAll(":", "-");
  return `day=${at.slice(0, 10)}/${begin}.parquet`;
};

/** From where on nothing has come that is in no file: the last day that is over is behind us, though it had no event. */
const restingPlace = (place: string, { settled }: Until): string => {
  const day = idAt(dayOf(timeOf(settled)));
  return day > place ? day : place;
};

/** Ids and marks that are looked for in one pass over the files: what is held in memory. */
const MOST = 200_000;

/** That all of a contact which is in front of the notice, and had occurred before a time, is erased. */
interface Erased {
  notice: string;
  at: number;
}

/** What is to be taken out of files. What retention has deleted is not: an archive is there to keep it. */
interface Pending {
  /** The last notice. */
  last: string;
  /** By the contact's mark. */
  erased: Map<string, Erased[]>;
  ids: Set<string>;
}

/** Notices that are read at a time; each names 5,000 events at most. */
const CHUNK = 100;

/** What notices between two ids say, some at a time, oldest first. */
async function* readPending(
  query: Query,
  workspace: string,
  { from, to }: Range,
  most = MOST,
): AsyncGenerator<Pending> {
  for (let pending = nothing(from); ; ) {
    const rows = await query<Record<string, unknown>>(
      `SELECT id, ids, marks, erased_at, reason FROM deletions
       WHERE workspace = $1 AND id > $2 AND id < $3 AND (marks IS NOT NULL OR reason = 'name') ORDER BY id LIMIT ${CHUNK}`,
      [workspace, pending.last, to],
    );
    for (const row of rows) take(pending, row);
    const isLast = rows.length < CHUNK;
    if (!isLast && sizeOf(pending) < most) continue;
    if (sizeOf(pending) > 0) yield pending;
    if (isLast) return;
    pending = nothing(pending.last);
  }
}

const nothing = (last: string): Pending => ({ last, erased: new Map(), ids: new Set() });

const sizeOf = ({ erased, ids }: Pending): number => erased.size + ids.size;

const take = (pending: Pending, { id, ids, marks, erased_at, reason }: Record<string, unknown>): void => {
  pending.last = String(id);
  if (reason === "name") for (const one of ids as string[]) pending.ids.add(one);
  for (const mark of (marks ?? []) as string[]) {
    const erased = { notice: String(id), at: Number(erased_at) };
    pending.erased.set(mark, [...(pending.erased.get(mark) ?? []), erased]);
  }
};

/** Does a file hold something of it? @param marks of the file's contacts */
const concerns = async (
  { erased, ids }: Pending,
  { from, to }: Range,
  marks: () => AsyncIterable<string>,
): Promise<boolean> => {
  for (const id of ids) if (id >= from && id < to) return true;
  if (erased.size === 0) return false;
  for await (const mark of marks()) if (erased.get(mark)?.some(({ notice }) => notice > from)) return true;
  return false;
};

/** Tells of the rows of groups which ones stay. @param key of the marks */
const createStays = (key: string, { erased, ids }: Pending) => {
  const known = new Map<string, readonly Erased[]>();
  const ofContact = (contact: string): readonly Erased[] => {
    const found = known.get(contact) ?? erased.get(markOf(key, contact)) ?? [];
    known.set(contact, found);
    return found;
  };
  return ({ columns }: Group, at: number): boolean => {
    const id = uuidText(columns.id[at] as Uint8Array);
    if (ids.has(id)) return false;
    const [received, occurred] = [Number(columns.received_at[at]), columns.occurred_at[at] as Date | null];
    return !ofContact(uuidText(columns.contact_id[at] as Uint8Array)).some(
      (erasure) => id < erasure.notice && (occurred === null || Number(occurred) < erasure.at || received < erasure.at),
    );
  };
};

/**
 * Deletes events that are old and in files of an archive, once these are as they should be; then what goes with them where retention does it.
 *
 * @throws StartError where a file is not as it should be, or there is no archive
 */
const deleteArchived = async (
  database: Database,
  workspaces: readonly string[],
  { store, before, say }: Omit<At, "workspace"> & { before: number },
): Promise<void> => {
  const { query } = database;
  let found = 0;
  for (const workspace of workspaces) {
    const compared = await compareArchive(query, workspace, store, before);
    if (compared === undefined) continue;
    found += 1;
    const [wrong] = compared.wrong;
    if (wrong !== undefined) throw new StartError(`nothing of ${workspace} is deleted: ${store.place}/${wrong}`);
    const deleted = await deleteEventsBefore(database, workspace, before, timeOf(compared.place));
    const what = `deleted events that are in the archive ${store.place}`;
    await noteDeed(query, { workspace, what, events: deleted });
    say(`${workspace}: deleted ${deleted} events, which are in ${store.place}`);
  }
  if (found === 0) throw new StartError(`nothing is deleted: there is no archive in ${store.place}`);
  // What belongs to no workspace alone goes where all of them are kept so.
  if (found < (await listWorkspaces(query)).length) return;
  await forgetTraces(query, before);
  for (let part = 0; part < PARTS; part += 1) await deleteBareRecords(database, before, part);
};
