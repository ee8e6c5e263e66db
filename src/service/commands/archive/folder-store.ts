import { closeSync, mkdirSync, openSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { tryLock } from "fs-native-extensions";
import { type AsyncBuffer, asyncBufferFromFile } from "hyparquet";
import { fileReason } from "../../base/file-error.js";
import { StartError } from "../../base/start-error.js";
import { toDisk } from "./files/parquet-file.js";

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
  /** A file that is read in parts; nothing where there is none. */
  open(name: string): Promise<AsyncBuffer | undefined>;
  close(): Promise<void>;
}

/** Readers of whole folders leave out what begins so. */
const HIDDEN = "_";

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
  const inPlace: Store["make"] = async (name, work) => {
    const folder = dirname(at(name));
    await mkdir(folder, { recursive: true });
    const part = join(folder, `${HIDDEN}${basename(name)}.part`);
    const result = await work(part);
    await rename(part, at(name));
    await toDisk(folder);
    return result;
  };
  return {
    place,
    make,
    read: (name) => readFile(at(name)).catch(unlessAbsent),
    write: (name, bytes) => make(name, (part) => writeFile(part, bytes, { flush: true })),
    open: (name) => asyncBufferFromFile(at(name)).catch(unlessAbsent),
    close: async () => closeSync(lock),
  };
};

/** The system's own lock, which ends with the process. */
const lockOf = (place: string): number => {
  let descriptor: number;
  try {
    mkdirSync(place, { recursive: true });
    descriptor = openSync(join(place, `${HIDDEN}lock`), "a+");
  } catch (error) {
    throw new StartError(`${place} cannot be used: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
  if (tryLock(descriptor)) return descriptor;
  closeSync(descriptor);
  throw new StartError(`another process works on the archive in ${place}: wait until it has ended`);
};
