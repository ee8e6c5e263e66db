import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { StartError } from "../../base/start-error.js";
import { SERVICE } from "../migrations.js";

export const filesOf = (folder: string) => ({
  cluster: join(folder, "cluster"),
  /** Where `initdb` makes a cluster, which then takes its place: no server has run in it. */
  making: join(folder, "making"),
  /** Where the server's socket is, if its path is short enough. */
  socket: join(folder, "socket"),
  /** The bytes that were free when what was deleted had been taken out of the files. */
  tidied: join(folder, "tidied"),
});

/** Names of all that the service makes in a data folder. */
export const OURS =
  /^(cluster|erasures(-aside-\S+)?(\.key)?|making|socket|tidied|service\.lock|passwd|group|programs-.+)$/;

/** Makes a data folder where it is absent. @returns whether nothing else is in it, so that it may be given to the server's user */
export const makeFolder = (folder: string): boolean => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return readdirSync(folder).every((name) => OURS.test(name));
  } catch (error) {
    throw new StartError(
      `cannot use the data folder ${folder} (${(error as Error).message}): set TRACKLET_DATA to a writable folder`,
    );
  }
};

/** What file systems and desktops put into any folder. */
const ANYWHERE = /^(lost\+found|\..*|@eaDir|System Volume Information|desktop\.ini)$/;

/** @throws StartError where a new database would lie among files of others: a disk may be missing, or the folder be another one */
export const requireOwn = (folder: string): void => {
  const other = readdirSync(folder).find((name) => !OURS.test(name) && !ANYWHERE.test(name));
  if (other !== undefined)
    throw new StartError(
      `there is no database in ${folder}, and a new one is not made beside files of others (${other}): set TRACKLET_DATA to the folder of the database, or to an empty one`,
    );
};

export const readIfThere = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

/** What a server says of itself in its folder (PostgreSQL, "Database File Layout"), and one that was killed has said. */
export const readServerFile = (cluster: string): { pid: number; socket: string } | undefined => {
  const [pid, , , , socket = ""] = readIfThere(join(cluster, "postmaster.pid"))?.split("\n") ?? [];
  return pid ? { pid: Number(pid), socket } : undefined;
};

/** Is a process the server of this folder? Only Linux tells; elsewhere it is not. */
export const isServerOf = (cluster: string, pid: number): boolean => {
  const [program, ...args] = readIfThere(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  return program !== undefined && args[args.indexOf("-D") + 1] === cluster;
};

/**
 * @param version of PostgreSQL's programs, as in 18.4
 * @throws StartError when what lies in a data folder is no database that this version can open
 */
export const requireDatabase = (folder: string, version: string): void => {
  const { cluster } = filesOf(folder);
  const major = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (major !== version.split(".")[0])
    throw new StartError(
      `the database in ${folder} is of PostgreSQL ${major}, and this build has ${version}: dump it with the release that made it (${SERVICE} dump FILE), and restore it with this one into a new folder (TRACKLET_DATA=… ${SERVICE} restore FILE)`,
    );
};

/** Milliseconds that a server whose service is gone has to end, and from one try to the next. */
const [ENDING_MS, POLL_MS] = [10_000, 50];

/** Locks a file, with the system's own lock. @returns its descriptor; nothing where another process holds it */
export const lockFile = (file: string, mode: number): number | undefined => {
  const descriptor = openSync(file, "a+", mode);
  if (tryLock(descriptor)) return descriptor;
  closeSync(descriptor);
  return undefined;
};

/**
 * Locks a folder by a file in it. The lock is the system's own: it holds between containers, as long as its process or the
 * server that inherits it exists, frozen or not, and ends with them: a server whose service is gone is waited for. The text of the
 * file only names the holder; the file stays, for who removed it would let two processes hold two files of that name.
 *
 * @returns its descriptor: whoever inherits that holds the lock, too
 * @throws StartError when another process holds it
 */
export const lockFolder = async (folder: string): Promise<number> => {
  const file = join(folder, "service.lock");
  let descriptor: number | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    descriptor = lockFile(file, 0o600);
    for (const until = performance.now() + ENDING_MS; descriptor === undefined; descriptor = lockFile(file, 0o600)) {
      if (performance.now() > until)
        throw new StartError(`${folder} is in use by ${readFileSync(file, "utf8").trim()}`);
      await sleep(POLL_MS);
    }
    ftruncateSync(descriptor);
    writeSync(descriptor, `process ${process.pid} of ${hostname()}\n`);
    return descriptor;
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw new StartError(
      error instanceof StartError
        ? `the data folder ${error.message}, or its server: stop it, or set TRACKLET_DATA to another folder`
        : `cannot lock ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder of a disk that has locks`,
    );
  }
};
