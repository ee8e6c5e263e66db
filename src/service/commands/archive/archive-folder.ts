import { chmodSync, closeSync, mkdirSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { asyncBufferFromFile } from "hyparquet";
import { parseJson } from "../../base/exact-text.js";
import { fileReason, StartError } from "../../base/start-error.js";
import { lockFile } from "../../database/embedded/data-folder.js";
import { toDisk } from "../../database/embedded/disk-space.js";
import { giveTo } from "../../database/embedded/server-user.js";

export type Folder = ReturnType<typeof openFolder>;

/** Readers of whole folders leave out what begins so. */
const HIDDEN = "_";

/** What root makes is for nobody but the owner of the folder. */
const isRoot = process.getuid?.() === 0;

/** What a disk says; a database that fails says otherwise. */
const OF_DISK = ["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EIO"];

/** Nothing of a file that is not there. */
export const unlessAbsent = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== "ENOENT") throw error;
};

/** Opens an archive in a folder, which is made where it is absent. @throws StartError while another process writes there */
export const openFolder = (given: string) => {
  const place = resolve(given);
  const lock = lockOf(place);
  const at = (name: string) => join(place, name);
  return {
    place,
    at,
    /** Lets `work` make a file at another path, and puts it in place once it is complete, whole or not at all, and on the disk. */
    make: async <T>(name: string, work: (path: string) => Promise<T>): Promise<T> => {
      try {
        const folder = dirname(at(name));
        await mkdir(folder, { recursive: true, ...(isRoot && { mode: 0o700 }) });
        const part = join(folder, `${HIDDEN}${basename(name)}.part`);
        const result = await work(part);
        if (isRoot) chmodSync(part, 0o600);
        await rename(part, at(name));
        toDisk(folder);
        return result;
      } catch (error) {
        if (!OF_DISK.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
        const reason = fileReason(error as NodeJS.ErrnoException);
        throw new StartError(`${place} cannot be written: ${reason}; run it again when that is mended`);
      }
    },
    /** A file of events, which is read in parts; nothing where there is none. */
    open: (name: string) => asyncBufferFromFile(at(name)).catch(unlessAbsent),
    close: (): void => {
      if (isRoot) giveTo(place, statSync(place));
      closeSync(lock);
    },
  };
};

const lockOf = (place: string): number => {
  try {
    mkdirSync(place, { recursive: true });
    const descriptor = lockFile(join(place, `${HIDDEN}lock`), isRoot ? 0o600 : 0o666);
    if (descriptor !== undefined) return descriptor;
  } catch (error) {
    throw new StartError(`${place} cannot be used: ${fileReason(error as NodeJS.ErrnoException)}`);
  }
  throw new StartError(`another process works on the archive in ${place}: wait until it has ended`);
};

export interface ArchivedFile {
  /** Its path below the place. */
  name: string;
  /** The ids of its events: from this one on, and before the other one. */
  from: string;
  to: string;
  rows: number;
  sha256: string;
}

/** What an archive says of the files of a workspace. */
export interface Manifest {
  format: 1;
  workspace: string;
  /** The id of the database. */
  database: string;
  /** Events before this id are in files, others are not. */
  place: string;
  /** What was to be deleted by notices before this id is in no file. */
  clean: string;
  /** The database has forgotten it, and notices that it would need. */
  forgotten?: true;
  files: ArchivedFile[];
}

/** Hive's form of a path, which readers take for a column. */
export const folderOf = (workspace: string): string => `workspace=${workspace}`;

const manifestOf = (workspace: string): string => `${folderOf(workspace)}/_manifest.json`;

/**
 * Nothing where there is none.
 *
 * @param database whose it must be. Default: any
 * @throws StartError where it is not one of this build, or of another database
 */
export const readManifest = async (
  folder: Folder,
  workspace: string,
  database?: string,
): Promise<Manifest | undefined> => {
  const text = await readFile(folder.at(manifestOf(workspace)), "utf8").catch(unlessAbsent);
  if (text === undefined) return undefined;
  const manifest = parseJson(text) as Manifest | undefined;
  if (manifest?.format !== 1 || manifest.workspace !== workspace)
    throw new StartError(`${folder.place}/${manifestOf(workspace)} is no manifest of this build: name another place`);
  if (database !== undefined && manifest.database !== database)
    throw new StartError(`${folder.place} is the archive of another database: name another place`);
  return manifest;
};

export const writeManifest = (folder: Folder, manifest: Manifest): Promise<void> => {
  const { files, ...rest } = manifest;
  // A line for each file.
  const lines = files.map((file) => JSON.stringify(file)).join(",\n");
  const text = `${JSON.stringify(rest).slice(0, -1)},"files":[\n${lines}\n]}\n`;
  return folder.make(manifestOf(manifest.workspace), (part) => writeFile(part, text, { flush: true }));
};
