import { chmodSync, chownSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { tryLock } from "fs-native-extensions";
import { type AsyncBuffer, asyncBufferFromFile } from "hyparquet";
import { fileReason } from "../../base/file-error.js";
import { StartError } from "../../base/start-error.js";
import { sumOf, toDisk } from "./files/parquet-file.js";

/** The files of an archive. */
export interface Store {
  /** The folder. */
  place: string;
  /** The bytes of a small file; nothing where there is none. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Puts a small file in place, whole or not at all, and on the disk. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Lets `work` make a file at another path, and puts it in place once it is complete, whole or not at all. */
  make<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;
  /** The size and the checksum of a file; nothing where there is none. */
  sum(name: string): Promise<{ bytes: number; sha256: string } | undefined>;
  /** A file that is read in parts; nothing where there is none. */
  open(name: string): Promise<AsyncBuffer | undefined>;
  close(): Promise<void>;
}

/** Readers of whole folders leave out what begins so. */
const HIDDEN = "_";

const LOCK = `${HIDDEN}lock`;

/** What a disk says; a database that fails says otherwise. */
const OF_DISK = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO"];

const unlessAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
};

/** Is it a bucket? Releases before this one wrote there by themselves. */
export const isBucket = (place: string): boolean => place.startsWith("s3:");

/** Opens an archive in a folder, which is made where it is absent. @throws StartError while another process writes there */
export const openFolder = (given: string): Store => {
  if (isBucket(given))
    throw new StartError(
      `${given} is no folder: name one, and copy it by \`aws s3 sync FOLDER ${given} --delete\`, as docs/service/archive.md says`,
    );
  const place = resolve(given);
  const lock = lockOf(place);
  const at = (name: string) => join(place, name);
  const make: Store["make"] = (name, work) => inPlace(name, work).catch(explain);
  const explain = (error: NodeJS.ErrnoException): never => {
    if (!OF_DISK.includes(error.code ?? "")) throw error;
    throw new StartError(`${place} cannot be written: ${fileReason(error)}; run it again when that is mended`);
  };
  /** What root makes is the owner's of the folder, and for nobody else. */
  const own = (path: string, mode: number): void => {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = statSync(place);
    chownSync(path, uid, gid);
    chmodSync(path, mode);
  };
  own(join(place, LOCK), 0o600);
  const inPlace: Store["make"] = async (name, work) => {
    const folder = dirname(at(name));
    const made = await mkdir(folder, { recursive: true });
    for (let below = folder; made !== undefined && below.length >= made.length; below = dirname(below))
      own(below, 0o700);
    const part = join(folder, `${HIDDEN}${basename(name)}.part`);
    const result = await work(part);
    own(part, 0o600);
    await rename(part, at(name));
    await toDisk(folder);
    return result;
  };
  return {
    place,
    make,
    read: (name) => readFile(at(name)).catch(unlessAbsent),
    write: (name, bytes) => make(name, (part) => writeFile(part, bytes, { flush: true })),
    sum: (name) => sumOf(at(name)).catch(unlessAbsent),
    open: (name) => asyncBufferFromFile(at(name)).catch(unlessAbsent),
    close: async () => closeSync(lock),
  };
};

/** The system's own lock, which ends with the process. */
const lockOf = (place: string): number => {
  let descriptor: number;
  try {
    mkdirSync(place, { recursive: true });
    descriptor = openSync(join(place, LOCK), "a+");
  } catch (error) {
    throw new StartError(`${place} cannot be used: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
  if (tryLock(descriptor)) return descriptor;
  closeSync(descriptor);
  throw new StartError(`another process works on the archive in ${place}: wait until it has ended`);
};
