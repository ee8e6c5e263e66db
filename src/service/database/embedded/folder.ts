import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { StartError } from "../../base/start-error.js";
import { SERVICE } from "../migrations.js";

/** What lies in a data folder. */
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
  /^(cluster|erasures(-aside-\S+)?(\.key)?|making|socket|tidied|service\.lock|server\.log|password|passwd|group|programs-.+)$/;

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
export const readServerFile = (cluster: string): { pid: number; port: string; socket: string } | undefined => {
  const [pid, , , port = "", socket = ""] = readIfThere(join(cluster, "postmaster.pid"))?.split("\n") ?? [];
  return pid ? { pid: Number(pid), port, socket } : undefined;
};

/** Is a process the server of this folder? Only Linux tells; elsewhere it is not. */
export const isServerOf = (cluster: string, pid: number): boolean => {
  const [program, ...args] = readIfThere(`/proc/${pid}/cmdline`)?.split("\0") ?? [];
  return program !== undefined && args[args.indexOf("-D") + 1] === cluster;
};

/** A segment of the write-ahead log (PostgreSQL, "WAL Internals"). */
const SEGMENT = /^[0-9A-F]{24}$/;

/** What a database's folder lacks, as where it was copied in part. */
const missingFile = (cluster: string): string | undefined => {
  const missing = ["PG_VERSION", "global/pg_control"].find((file) => !existsSync(join(cluster, file)));
  if (missing) return missing;
  const log = join(cluster, "pg_wal");
  const hasLog = existsSync(log) && readdirSync(log).some((file) => SEGMENT.test(file));
  return hasLog ? undefined : "pg_wal/, its write-ahead log,";
};

/**
 * @param version of PostgreSQL's programs, as in 18.4
 * @throws StartError when what lies in a data folder is no database that this version can open
 */
export const requireDatabase = (folder: string, version: string): void => {
  const { cluster } = filesOf(folder);
  const missing = missingFile(cluster);
  if (missing !== undefined)
    throw new StartError(
      `cannot open the database in ${folder} (cluster/${missing} is missing): put a backup in its place, or set TRACKLET_DATA to a new folder`,
    );
  const major = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim();
  if (major !== version.split(".")[0])
    throw new StartError(
      `the database in ${folder} is of PostgreSQL ${major}, and this build has ${version}: dump it with the release that made it (${SERVICE} dump FILE), and restore it with this one into a new folder (TRACKLET_DATA=… ${SERVICE} restore FILE)`,
    );
};

/** The byte that is locked, behind the text: on Windows nobody else could read what is locked. */
const LOCKED_BYTE = 4_096;
/** Milliseconds that a server whose service is gone has to end, and from one look whether it has to the next. */
const [ORPHAN_MS, ORPHAN_LOOK_MS] = [10_000, 50];

export interface FolderLock {
  /** Whoever inherits it holds the lock, too. */
  descriptor: number;
  release(): void;
}

/**
 * Locks a folder by a file in it. The lock is the system's own: it holds between containers, as long as its process or the
 * server that inherits it exists, frozen or not, and ends with them. The text of the file only names the holder; the file stays, for who removed it
 * would let two processes hold two files of that name.
 *
 * Where a server holds it whose service is gone, that is told to end, and waited for: its commits are on the disk, but its
 * settings may be another build's.
 *
 * @throws StartError when another process holds it
 */
export const lockFolder = async (folder: string): Promise<FolderLock> => {
  const file = join(folder, "service.lock");
  let descriptor: number | undefined;
  let isLocked = false;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const opened = openSync(file, "a+", 0o600);
    descriptor = opened;
    const take = () => tryLock(opened, LOCKED_BYTE, 1);
    isLocked = take() || (isGone(file) && (await endOrphan(folder, take)));
    if (isLocked) {
      ftruncateSync(opened);
      writeSync(opened, `${process.pid} ${hostname()} ${namespace()}\n`);
    }
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    throw new StartError(
      `cannot lock ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder of a disk that has locks`,
    );
  }
  const held = descriptor;
  if (!isLocked) {
    closeSync(held);
    throw new StartError(
      `the data folder ${folder} is in use by ${tellHolder(file)}: stop it, or set TRACKLET_DATA to another folder`,
    );
  }
  return { descriptor: held, release: () => closeSync(held) };
};

/** Process ids mean something within it alone; empty where the system has no such thing. */
const namespace = (): string => {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
};

interface Holder {
  pid: number;
  host: string;
  namespace: string;
}

const readHolder = (file: string): Holder | undefined => {
  const [, pid, host = "", within = ""] = /^(\d+) (\S+) (.*)\n$/.exec(readFileSync(file, "utf8")) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), host, namespace: within };
};

/** Is the service that has locked it a process of ours that has ended? Of any other one nothing is known. */
const isGone = (file: string): boolean => {
  const holder = readHolder(file);
  if (holder === undefined || holder.host !== hostname() || holder.namespace !== namespace()) return false;
  try {
    process.kill(holder.pid, 0);
    // One that has ended keeps its id until its parent has taken note (proc(5)).
    return /\) [ZX] /.test(readIfThere(`/proc/${holder.pid}/stat`) ?? "");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};

/** Tells the folder's server to end in order, and waits; `false` where it does not in time. */
const endOrphan = async (folder: string, take: () => boolean): Promise<boolean> => {
  const { cluster } = filesOf(folder);
  for (const until = performance.now() + ORPHAN_MS; performance.now() < until; await sleep(ORPHAN_LOOK_MS)) {
    if (take()) return true;
    const pid = readServerFile(cluster)?.pid;
    if (pid !== undefined && isServerOf(cluster, pid)) process.kill(pid, "SIGINT");
  }
  return take();
};

const tellHolder = (file: string): string => {
  const { pid, host } = readHolder(file) ?? {};
  if (pid === undefined) return "another process";
  if (isGone(file)) return `the server of process ${pid}, which has ended`;
  return host === hostname() ? `process ${pid}` : `process ${pid} of ${host}`;
};
