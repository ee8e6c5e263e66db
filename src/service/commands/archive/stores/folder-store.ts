import { closeSync, mkdirSync, openSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { tryLock } from "fs-native-extensions";
import { asyncBufferFromFile } from "hyparquet";
import { fileReason } from "../../../base/file-error.js";
import { StartError } from "../../../base/start-error.js";
import { toDisk } from "../files/parquet-file.js";
import type { Store } from "./archive-store.js";

/** Readers of whole folders leave out what begins so. */
const HIDDEN = "_";

/** What a disk says; a database that fails says otherwise. */
const OF_DISK = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO"];

const unlessAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
};

/** Opens an archive in a folder, which is made where it is absent. @throws StartError while another process writes there */
export const openFolder = (given: string): Store => {
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
