import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, readlinkSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { StartError } from "../../base/start-error.js";
import { filesOf, isServerOf, readIfThere, readServerFile } from "./folder.js";

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
