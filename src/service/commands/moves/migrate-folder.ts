import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../../base/start-error.js";
import { openEmptyEmbedded, openFormerEmbedded } from "../../database/embedded/embedded.js";
import { filesOf, formerOf, majorOf, readServerFile } from "../../database/embedded/folder.js";
import { lockFolder } from "../../database/embedded/folder-lock.js";
import { ownMajor } from "../../database/embedded/programs.js";
import { requireTwice, syncFolder } from "../../database/embedded/room.js";
import { versionsOf } from "../../database/migrate.js";
import { migrateDatabase } from "../../database/open-database.js";
import type { Commands } from "../commands.js";
import { copyTables, tellCounts } from "./tables.js";

type Needed = Pick<Commands, "program" | "config" | "say">;

/** The command that brings a database up to date: a data folder to the PostgreSQL of this build first, then the tables. */
export const addMigrateCommand = ({ program, config, say }: Needed) =>
  program
    .command("migrate")
    .description(
      "brings the tables up to date, while the service runs; before, while none runs, a data folder to the PostgreSQL of this build",
    )
    .action(async () => {
      if (config.databaseUrl === undefined) await moveFolder(config.dataFolder, say);
      await migrateDatabase(config, say);
    });

const moveFolder = async (folder: string, say: Needed["say"]): Promise<void> => {
  if (isBetween(folder)) await goOn(folder);
  else if (!existsSync(join(filesOf(folder).cluster, "PG_VERSION")))
    throw new StartError(`there is no database in ${folder} (TRACKLET_DATA)`);
  const [from, to] = [majorOf(folder), ownMajor()];
  if (Number(from) < Number(to)) {
    say(`moves PostgreSQL ${from} to ${to}, which takes ${requireTwice(folder)}`);
    say(`moved ${await migrate(folder)}`);
  }
  const former = formerOf(folder);
  say(`the database in ${folder} is of PostgreSQL ${majorOf(folder)}`);
  if (former !== undefined) say(`delete ${join(folder, former)}, the files as they were, when you no longer want them`);
};

/** Resolves to what was moved. Until the last moment the files as they were are the database. */
const migrate = async (folder: string): Promise<string> => {
  const { cluster, migrating } = filesOf(folder);
  let moved: string | undefined;
  const former = await openFormerEmbedded(folder, () => {
    if (moved === undefined) return;
    renameSync(cluster, join(folder, `cluster-${majorOf(folder)}`));
    syncFolder(folder);
    takeOver(folder);
  });
  try {
    // What a call before has begun, whose programs may still be at it.
    if (existsSync(migrating)) (await lockFolder(migrating)).release();
    rmSync(migrating, { recursive: true, force: true });
    const next = await openEmptyEmbedded(migrating, await versionsOf(former.query));
    const counts = await former.copying!((from) => next.copying!((to) => copyTables(from, to))).finally(next.close);
    if (readServerFile(filesOf(migrating).cluster) !== undefined) throw new Error("the new server has not ended");
    moved = tellCounts(counts);
  } finally {
    await former.close();
  }
  return moved;
};

/** Have the files as they were been put aside, and those that are to take their place not yet been put there? */
const isBetween = (folder: string): boolean => !existsSync(filesOf(folder).cluster) && formerOf(folder) !== undefined;

/** Of a move that was broken off there: what is filled takes the place, and where nothing is, what was there before. */
const goOn = async (folder: string): Promise<void> => {
  const { cluster, migrating } = filesOf(folder);
  const lock = await lockFolder(folder);
  if (existsSync(filesOf(migrating).cluster)) takeOver(folder);
  else renameSync(join(folder, formerOf(folder)!), cluster);
  lock.release();
};

/** Puts the files that were filled in place of those that were put aside, which happens only once all is in them. */
const takeOver = (folder: string): void => {
  const { cluster, migrating } = filesOf(folder);
  renameSync(filesOf(migrating).cluster, cluster);
  syncFolder(folder);
  rmSync(migrating, { recursive: true });
};
