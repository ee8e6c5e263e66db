import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileReason, StartError } from "../base/start-error.js";
import { DAY_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { freeBytes, syncFolder } from "../database/embedded/room.js";
import { readClock, readState, writeState } from "../database/service-state.js";
import { linesOf, listErasures } from "../deletion/erasure-files.js";
import { keyIn } from "../deletion/tombstones.js";
import { idOfDatabase } from "../records/archives.js";
import type { Commands } from "./commands.js";
import { dumpInto, readHeader, TooLarge, tellCounts } from "./dump.js";
import { restoreDump } from "./restore.js";

/** Days that a dump is kept: as long as it is, it has whoever was erased since. */
const KEPT_DAYS = 14;

/** The command of a timer: a dump a day in a folder of its own; and the trial that the last one can be restored. */
export const addBackupCommand = ({ program, config, over, say, bounds }: Commands): void => {
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
      over((database) =>
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
  /** When it was begun, in epoch milliseconds. */
  at: number;
  bytes: number;
}

const nameAt = (time: number): string =>
  `tracklet-${new Date(time).toISOString().slice(0, 19).replaceAll(":", "-")}Z.dump`;
const NAME = /^tracklet-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\dZ)\.dump(\.part)?$/;

/** The dumps of a folder, oldest first. What a run that was broken off has left is deleted. */
const listDumps = async (folder: string): Promise<Dump[]> => {
  const dumps: Dump[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const [, day, hour, minute, rest, part] = NAME.exec(name) ?? [];
    if (day === undefined) continue;
    const file = join(folder, name);
    const { size, mtimeMs } = await stat(file);
    if (part === undefined) dumps.push({ file, at: Date.parse(`${day}${hour}:${minute}:${rest}`), bytes: size });
    else if (Date.now() - mtimeMs > DAY_MS) await rm(file, { force: true });
  }
  return dumps;
};

const MB = 2 ** 20;
const sumOf = (dumps: readonly Dump[]): number => dumps.reduce((sum, { bytes }) => sum + bytes, 0);

const backUp = async (database: Database, folder: string, told: Pick<Commands, "say" | "bounds">): Promise<void> => {
  const { query } = database;
  const { now, backup_asked = now, backup_done } = await readState(query);
  await writeState(query, { backup_asked });
  // So that each dump has the key of the erasures that come after it.
  await keyIn(query);
  try {
    if (backup_done !== undefined && (await listDumps(folder)).length === 0) {
      await writeState(query, { backup_anew: await readClock(query) });
      told.say(`there is no dump in ${folder}, but there were backups before: is its disk mounted?`);
    }
    const { rows, dropped } = await dumpWithin(database, folder, told);
    await writeWhole(join(folder, "erasures"), linesOf(await listErasures(query)).join(""));
    const old = (await listDumps(folder)).filter(({ at }) => Date.now() - at > KEPT_DAYS * DAY_MS);
    for (const { file } of old) await rm(file, { force: true });
    syncFolder(folder);
    await writeState(query, { backup_done: await readClock(query), backup_dropped: dropped });
    told.say(`wrote ${tellCounts(rows)}; ${(await listDumps(folder)).length} dumps are in ${folder}`);
    if (dropped > 0)
      told.say(`deleted ${dropped} dumps of the last ${KEPT_DAYS} days: dumps take half of what is free there at most`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw new StartError(`${folder} cannot hold dumps: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
};

/** Writes a dump. The oldest ones make room for it; the last one stays until it is complete. */
const dumpWithin = async (database: Database, folder: string, told: Pick<Commands, "say" | "bounds">) => {
  const dumps = await listDumps(folder);
  const half = (freeBytes(folder) + sumOf(dumps)) / 2;
  let dropped = 0;
  const drop = async (): Promise<void> => {
    const { file, at } = dumps.shift()!;
    await rm(file, { force: true });
    if (Date.now() - at <= KEPT_DAYS * DAY_MS) dropped += 1;
  };
  // It will be about as large as the last one.
  while (dumps.length > 1 && sumOf(dumps) + dumps.at(-1)!.bytes > half) await drop();
  for (;;) {
    const most = half - sumOf(dumps);
    try {
      const { rows } = await dumpInto(database, join(folder, nameAt(Date.now())), { ...told, most });
      return { rows, dropped };
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
      if (dumps.length <= 1)
        throw new StartError(
          `a dump takes more than the ${Math.max(0, Math.floor(most / MB))} MB that it may in ${folder}, half of what is free there: name a folder of another disk`,
        );
      await drop();
    }
  }
};

/** Puts a file in place whole, for its owner alone. */
const writeWhole = async (file: string, text: string): Promise<void> => {
  const part = await open(`${file}.part`, "w", 0o600);
  await part.writeFile(text).then(() => part.sync());
  await part.close();
  await rename(`${file}.part`, file);
};

const idAndGeneration = async (query: Query) => ({
  id: await idOfDatabase(query),
  generation: (await readState(query)).generation ?? 0,
});

const drill = async (
  database: Database,
  folder: string,
  { place, say }: Pick<Commands, "say"> & { place: string },
): Promise<void> => {
  const last = (await listDumps(folder).catch(() => [])).at(-1);
  if (last === undefined) throw new StartError(`there is no dump of \`backup\` in ${folder}`);
  const now = await idAndGeneration(database.query);
  const { rows, taken } = await readHeader(last.file);
  await rm(place, { recursive: true, force: true });
  try {
    await restoreDump({ dataFolder: place, databaseUrl: undefined }, last.file, {
      say: () => {},
      look: async ({ query }) => {
        const then = await idAndGeneration(query);
        if (then.id !== now.id || then.generation > now.generation)
          throw new StartError(`${last.file} is of another database, or of one that came after this one`);
      },
    });
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  await writeState(database.query, { drill_done: await readClock(database.query) });
  const events = Number((await database.query("SELECT count(*) AS count FROM events"))[0]!.count);
  say(`${last.file} can be restored: ${tellCounts(rows)}, as they were at ${taken}; now there are ${events} events`);
};
