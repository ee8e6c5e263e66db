import { parseJson } from "../../base/exact-text.js";
import { StartError } from "../../base/start-error.js";
import type { Store } from "./folder-store.js";

/** A file of events. */
export interface ArchivedFile {
  /** Its path below the place. */
  name: string;
  /** The ids of its events: from this one on, and before the other one. */
  from: string;
  to: string;
  rows: number;
  bytes: number;
  /** Absent where an older build wrote it, until it is checked; so is the database of the manifest. */
  sha256?: string;
}

/** What an archive says of the files of a workspace. */
export interface Manifest {
  format: 1;
  workspace: string;
  /** The id of the database. */
  database?: string;
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

const nameOf = (workspace: string): string => `${folderOf(workspace)}/_manifest.json`;

/**
 * Nothing where there is none.
 *
 * @param database whose it must be. Default: any
 * @throws StartError where it is not one of this build, or of another database
 */
export const readManifest = async (
  store: Store,
  workspace: string,
  database?: string,
): Promise<Manifest | undefined> => {
  const bytes = await store.read(nameOf(workspace));
  if (bytes === undefined) return undefined;
  const manifest = parseJson(Buffer.from(bytes).toString()) as Manifest | undefined;
  if (manifest?.format !== 1 || manifest.workspace !== workspace)
    throw new StartError(`${store.place}/${nameOf(workspace)} is no manifest of this build: name another place`);
  if (database !== undefined && manifest.database !== undefined && manifest.database !== database)
    throw new StartError(`${store.place} is the archive of another database: name another place`);
  return manifest;
};

export const writeManifest = (store: Store, manifest: Manifest): Promise<void> => {
  const { files, ...rest } = manifest;
  // A line for each file.
  const lines = files.map((file) => JSON.stringify(file)).join(",\n");
  const text = `${JSON.stringify(rest).slice(0, -1)},"files":[\n${lines}\n]}\n`;
  return store.write(nameOf(manifest.workspace), Buffer.from(text));
};
