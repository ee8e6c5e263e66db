import { readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileReason, StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import { countIn, type Database } from "../database/database.js";
import { freeBytes, toDisk } from "../database/embedded/disk-space.js";
import { readClock, readState, writeState } from "../database/service-state.js";
import { linesOf, listErasures } from "../deletion/erasure-files.js";
import { idOfDatabase } from "../records/known-archives.js";
import type { Commands } from "./context.js";
import { dumpInto, readHeader, TooLarge, tellCounts } from "./dump.js";
import { restoreDump } from "./restore.js";

/** Days that a dump is kept: as long as it is, it has whoever was erased since. */
const KEPT_DAYS = 14;

/** The command of a timer: a dump a day in a folder of its own; and the trial that the last one can be restored. */
export const addBackupCommand = ({ program, config, use, say, bounds }: Commands): void => {
  program
    .command("backup")
    .description(
      `for a timer: dumps the database into a folder, beside the list of erasures, and deletes dumps of before ${KEPT_DAYS} days`,
    )
    .argument(
      "<folder>",
      "which is there, of dumps alone; they take half of what is free there at most, so fewer may be kept",
    )
    .option(
      "--drill",
      "instead: restores the last dump into a place of its own, compares it with the database, and deletes what was restored",
    )
    .action((folder: string, { drill: isDrill }: { drill?: true }) =>
      use((database) =>
        isDrill
          ? drill(database, folder, { place: `${config.dataFolder}-drill`, say }).catch(async (error) => {
              await writeState(database.query, { drill_failed: await readClock(database.query) });
              throw error;
            })
          : backUp(database, folder, { say, bounds }),
      ),
    );
};

interface Dump {
  file: string;
  /** The day on which it was made, in epoch milliseconds. */
  at: number;
  bytes: number;
}

const NAME = /^tracklet-(\d{4}-\d\d-\d\d)T.*Z\.dump$/;

/** The dumps of a folder, oldest first. */
const listDumps = async (folder: string): Promise<Dump[]> => {
  const dumps: Dump[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, day] = NAME.exec(name) ?? [];
    const file = join(folder, name);
    if (day !== undefined) dumps.push({ file, at: Date.parse(day), bytes: (await stat(file)).size });
  }
  return dumps;
};

const MB = 2 ** 20;
const sumOf = (dumps: readonly Dump[]): number => dumps.reduce((sum, { bytes }) => sum + bytes, 0);

const backUp = async (database: Database, folder: string, told: Pick<Commands, "say" | "bounds">): Promise<void> => {
  const { query } = database;
  const { now, backup_asked = now, backup_done } = await readState(query);
  await writeState(query, { backup_asked });
  try {
    if (backup_done !== undefined && (await listDumps(folder)).length === 0) {
      await writeState(query, { backup_anew: await readClock(query) });
      told.say(`there is no dump in ${folder}, but there were backups before: is its disk mounted?`);
    }
    const { rows, dropped } = await dumpWithin(database, folder, told);
    const list = join(folder, "erasures");
    await writeFile(`${list}.part`, linesOf(await listErasures(query)), { mode: 0o600, flush: true });
    await rename(`${list}.part`, list);
    const old = (await listDumps(folder)).filter(({ at }) => Date.now() - at > KEPT_DAYS * DAY_MS);
    for (const { file } of old) await rm(file, { force: true });
    toDisk(folder);
    await writeState(query, { backup_done: await readClock(query), backup_dropped: dropped });
    told.say(`wrote ${tellCounts(rows)}; ${(await listDumps(folder)).length} dumps are in ${folder}`);
    if (dropped > 0)
      told.say(`deleted ${dropped} dumps of the last ${KEPT_DAYS} days: dumps take half of what is free there at most`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new StartError(`${folder} cannot hold dumps: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
};

/** Writes a dump, which has its name once it is complete. The oldest ones make room for it, but for the last one. */
const dumpWithin = async (database: Database, folder: string, told: Pick<Commands, "say" | "bounds">) => {
  const dumps = await listDumps(folder);
  const half = (freeBytes(folder) + sumOf(dumps)) / 2;
  const file = join(folder, "tracklet.dump");
  for (let dropped = 0; ; ) {
    const most = half - sumOf(dumps);
    try {
      // It will be about as large as the last one.
      if (dumps.length > 1 && dumps.at(-1)!.bytes > most) throw new TooLarge();
      const { rows, taken } = await dumpInto(database, file, { ...told, most });
      await rename(file, join(folder, `tracklet-${taken.slice(0, 19).replaceAll(":", "-")}Z.dump`));
      return { rows, dropped };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      if (dumps.length <= 1)
        throw new StartError(
          `a dump takes more than the ${Math.max(0, Math.floor(most / MB))} MB that it may in ${folder}, half of what is free there: name a folder of another disk`,
        );
      const { file, at } = dumps.shift()!;
      await rm(file, { force: true });
      if (Date.now() - at <= KEPT_DAYS * DAY_MS) dropped += 1;
    }
  }
};

const drill = async (
  database: Database,
  folder: string,
  { place, say }: Pick<Commands, "say"> & { place: string },
): Promise<void> => {
  const last = (await listDumps(folder).catch(() => [])).at(-1);
  if (last === undefined) throw new StartError(`there is no dump of \`backup\` in ${folder}`);
  const { rows, taken, database: own } = await readHeader(last.file);
  if (own !== (await idOfDatabase(database.query))) throw new StartError(`${last.file} is of another database`);
  await rm(place, { recursive: true, force: true });
  try {
    await restoreDump({ dataFolder: place, databaseUrl: undefined }, last.file, { say: () => {} });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  await writeState(database.query, { drill_done: await readClock(database.query) });
  const events = await countIn(database.query, "events");
  say(`${last.file} can be restored: ${tellCounts(rows)}, as they were at ${taken}; now there are ${events} events`);
};
