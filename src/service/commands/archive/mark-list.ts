import { basename, dirname } from "node:path/posix";
import { StartError } from "../../base/start-error.js";
import { markOf } from "../../deletion/tombstones.js";
import { uuidBytes, uuidText } from "./files/event-columns.js";
import type { Store } from "./folder-store.js";

/*
 * Beside each file lies a list of the marks of its contacts, 16 bytes each: so an erasure rewrites only files that hold the person.
 * A list may have more than its file, never less: it is written before a file that is new, and behind one that has become smaller.
 */

const nameOf = (file: string): string => `${dirname(file)}/_${basename(file, ".parquet")}.marks`;

export const writeMarks = (store: Store, file: string, key: string, contacts: Iterable<string>): Promise<void> =>
  store.write(nameOf(file), Buffer.concat([...contacts].map((contact) => uuidBytes(markOf(key, contact)))));

/** The marks of a file. @throws StartError where the list is not there: nobody would be found in the file */
export async function* readMarks(store: Store, file: string): AsyncGenerator<string> {
  const bytes = await store.read(nameOf(file));
  if (bytes === undefined)
    throw new StartError(`${store.place}/${nameOf(file)} is not there: bring it back from a copy`);
  for (let at = 0; at < bytes.length; at += 16) yield uuidText(bytes.subarray(at, at + 16));
}
