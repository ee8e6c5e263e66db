import { existsSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../../config/start-error.js";
import type { Database } from "../database.js";
import { type Fill, prepare, requireTables } from "../migrate.js";
import { lockFolder } from "./folder-lock.js";
import { type EmbeddedDatabase, openPgliteDatabase } from "./pglite-database.js";
import { serveReaders } from "./readers.js";

/**
 * Opens the embedded PostgreSQL in a folder, which is made when absent. One process at a time may hold the folder.
 *
 * A first start that is killed half-way leaves `creating` behind. No event was accepted before it is removed, so
 * the next start may begin afresh.
 *
 * @param fill what a new database begins with
 * @throws StartError when the folder cannot be used, with what to do
 */
export const openPglite = async (folder: string, fill?: Fill): Promise<Database> => {
  const { cluster, creating } = filesOf(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StartError(
      `cannot use the data folder ${folder} (${error.message}): set TRACKLET_DATA to a writable folder`,
    );
  });
  const database = await open(folder, async () => {
    if (existsSync(creating)) await rm(cluster, { recursive: true, force: true });
    if (!existsSync(cluster)) await writeFile(creating, "");
    return async (database) => {
      await prepare(database, fill);
      await rm(creating, { force: true });
    };
  });
  const stop = serveReaders(folder, database.within(READING_MS));
  const service = database.within(ORDER_MS);
  return {
    ...service,
    close: () => {
      stop();
      return service.close();
    },
  };
};

/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const ORDER_MS = 10_000;
/** Of a question that a command asks through the running service, which stores nothing meanwhile. */
const READING_MS = 60_000;
/** Of an order at the start, which may change a large table, and of a command that has the database for itself. */
const PATIENT_MS = 3_600_000;

/**
 * Opens the embedded PostgreSQL of a folder for a command, and makes none.
 *
 * @throws StartError when there is none, or it cannot be used
 */
export const openExistingPglite = async (folder: string): Promise<Database> => {
  const { cluster, creating } = filesOf(folder);
  if (!existsSync(cluster) || existsSync(creating))
    throw new StartError(
      `there is no database in ${folder} (TRACKLET_DATA), and DATABASE_URL is not set: a command needs the variables of the service, as in node --env-file=/etc/tracklet.env demo/.service/main.js help`,
    );
  return open(folder, async () => requireTables);
};

const filesOf = (folder: string) => ({ cluster: join(folder, "postgres"), creating: join(folder, "creating") });

/** @param begin is called once the folder is locked; what it gives is done with the open database */
const open = async (
  folder: string,
  begin: () => Promise<(database: Database) => Promise<void>>,
): Promise<EmbeddedDatabase> => {
  const { cluster, creating } = filesOf(folder);
  const unlock = lockFolder(folder);
  let engine: Database | undefined;
  try {
    const then = await begin();
    const missing = existsSync(creating) ? undefined : missingFile(cluster);
    if (missing) throw new Error(`postgres/${missing} is missing`);
    requireOwner(cluster);
    // The engine makes its files for everybody to read.
    await mkdir(cluster, { recursive: true });
    await chmod(cluster, 0o700);
    const database = await openPgliteDatabase(cluster, PATIENT_MS);
    engine = database;
    await then(database);
    const close = async () => {
      await database.close();
      unlock();
    };
    return { ...database, close, within: (limit) => ({ ...database.within(limit), close }) };
  } catch (error) {
    await engine?.close().catch(() => {});
    unlock();
    if (error instanceof StartError) throw error;
    throw new StartError(
      `cannot open the database in ${folder} (${reason(error)}): put a backup in its place, or set TRACKLET_DATA to a new folder`,
    );
  }
};

/**
 * Another user could not read what this one writes, and the administrator of the system can write everywhere: the service
 * would not start again.
 *
 * @throws StartError when the files are another user's
 */
const requireOwner = (cluster: string): void => {
  const owner = statSync(join(cluster, "PG_VERSION"), { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (owner !== undefined && user !== undefined && owner !== user)
    throw new StartError(
      `the database in ${cluster} belongs to the user with the id ${owner}, and this process runs as ${user}: run it as ${owner}, as by setpriv --reuid=${owner} --clear-groups`,
    );
};

const reason = (error: unknown): string => String((error as Error)?.message ?? error).split("\n")[0]!;

/** A segment of the write-ahead log (PostgreSQL, "WAL Internals"). */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * What a database's folder lacks, as where it was copied in part. Without it the engine takes the folder for a new one, or ends
 * with a message about its own build.
 */
const missingFile = (cluster: string): string | undefined => {
  const missing = ["PG_VERSION", "global/pg_control"].find((file) => !existsSync(join(cluster, file)));
  if (missing) return missing;
  const log = join(cluster, "pg_wal");
  const hasLog = existsSync(log) && readdirSync(log).some((file) => SEGMENT.test(file));
  return hasLog ? undefined : "pg_wal/, its write-ahead log,";
};
