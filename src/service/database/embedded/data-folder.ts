import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
