import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tryLock } from "fs-native-extensions";
import { StartError } from "../../base/start-error.js";

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
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const until = performance.now() + ENDING_MS; ; await sleep(POLL_MS)) {
      const descriptor = lockFile(file, 0o600);
      if (descriptor !== undefined) {
        ftruncateSync(descriptor);
        writeSync(descriptor, `process ${process.pid} of ${hostname()}\n`);
        return descriptor;
      }
      if (performance.now() > until)
        throw new StartError(`${folder} is in use by ${readFileSync(file, "utf8").trim()}`);
    }
  } catch (error) {
    throw new StartError(
      error instanceof StartError
        ? `the data folder ${error.message}, or its server: stop it, or set TRACKLET_DATA to another folder`
        : `cannot lock ${file} (${(error as Error).message}): set TRACKLET_DATA to a writable folder of a disk that has locks`,
    );
  }
};
