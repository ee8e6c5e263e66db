import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { missingFile } from "./cluster-files.js";
import { StartError } from "./config.js";
import type { Database } from "./database.js";
import { lockFolder } from "./folder-lock.js";
import { openPgliteThread } from "./pglite-thread.js";
import { prepare } from "./prepare.js";

/**
 * Opens the embedded PostgreSQL in a folder, which is made when absent. One process at a time may hold the folder.
 *
 * A first start that is killed half-way leaves `creating` behind. No event was accepted before it is removed, so
 * the next start may begin afresh.
 *
 * @param seeded whether a new database gets the demo's records
 * @throws StartError when the folder cannot be used, with what to do
 */
export const openPglite = async (folder: string, seeded: boolean): Promise<Database> => {
  const cluster = join(folder, "postgres");
  const creating = join(folder, "creating");
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new StartError(
      `cannot use the data folder ${folder} (${error.message}): set TRACKLET_DATA to a writable folder`,
    );
  });
  const unlock = lockFolder(folder);
  let engine: Database | undefined;
  try {
    if (existsSync(creating)) await rm(cluster, { recursive: true, force: true });
    if (!existsSync(cluster)) await writeFile(creating, "");
    else {
      const missing = missingFile(cluster);
      if (missing) throw new Error(`postgres/${missing} is missing`);
    }
    const database = await openPgliteThread(cluster);
    engine = database;
    await prepare(database, seeded);
    await rm(creating, { force: true });
    return {
      ...database,
      close: async () => {
        await database.close();
        unlock();
      },
    };
  } catch (error) {
    await engine?.close().catch(() => {});
    unlock();
    throw new StartError(
      `cannot open the database in ${folder} (${reason(error)}): move or delete that folder to start with an empty one, or set TRACKLET_DATA`,
    );
  }
};

const reason = (error: unknown): string => String((error as Error)?.message ?? error).split("\n")[0]!;
