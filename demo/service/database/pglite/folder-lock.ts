import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { tryLock } from "fs-native-extensions";
import { StartError } from "../../config/start-error.js";

/** The byte that is locked, behind the text: on Windows nobody else could read what is locked. */
const LOCKED_BYTE = 4_096;

/**
 * Locks a folder by a file in it. The lock is the system's own: it holds between containers, as long as its process exists,
 * frozen or not, and ends with it. The text of the file only names the holder; the file stays, for who removed it would let
 * two processes hold two files of that name.
 *
 * @returns gives the lock back
 * @throws StartError when another process holds it
 */
export const lockFolder = (folder: string): (() => void) => {
  const file = join(folder, "service.lock");
  let opened: number | undefined;
  let locked: boolean;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    opened = openSync(file, "a+", 0o600);
    locked = tryLock(opened, LOCKED_BYTE, 1);
    if (locked) {
      ftruncateSync(opened);
      writeSync(opened, `${process.pid} ${hostname()}\n`);
    }
  } catch (error) {
    if (opened !== undefined) closeSync(opened);
    throw new StartError(
      `cannot lock ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder of a disk that has locks`,
    );
  }
  const descriptor = opened;
  if (!locked) {
    closeSync(descriptor);
    throw new StartError(
      `the data folder ${folder} is in use by ${holderOf(file)}: stop it, or set TRACKLET_DATA to another folder`,
    );
  }
  return () => closeSync(descriptor);
};

const holderOf = (file: string): string => {
  const [, pid, host] = /^(\d+) (.+)\n$/.exec(readFileSync(file, "utf8")) ?? [];
  if (pid === undefined) return "another process";
  return host === hostname() ? `process ${pid}` : `process ${pid} of ${host}`;
};
