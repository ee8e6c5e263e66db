import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../base/exact-text.js";
import { cannotRead, StartError } from "../base/start-error.js";
import type { Query } from "../database/database.js";
import { readIfThere } from "../database/embedded/data-folder.js";
import { toDisk } from "../database/embedded/disk-space.js";
import { giveFiles } from "../database/embedded/server-user.js";
import { knownKey } from "./tombstones.js";

/*
 * A dump from before an erasure brings the erased back. So erasures are kept beside the database, too: marks in one file, which name
 * nobody, and their key in another. What is restored is erased by them again.
 */

/** An erasure, without a name. */
export interface Mark {
  id: string;
  workspace: string;
  mark: string;
  /** Epoch milliseconds; 0 where the erasure of this id, told before, did not happen. */
  erased_at: number;
  /** Tells the key of the mark from others; files of before do not have it. */
  key?: string;
}

/** Tells a key from others, and nothing else of it. */
const fingerprint = (key: string): string => hash("sha256", key, "hex").slice(0, 16);

export const listErasures = async (query: Query): Promise<Mark[]> => {
  const rows = await query<Mark>(
    "SELECT id, workspace, subject AS mark, at AS erased_at FROM audit WHERE what IN ('erase', 'anonymise') ORDER BY id",
  );
  const key = await knownKey(query);
  return rows.map((mark) => ({ ...mark, ...(key !== undefined && { key: fingerprint(key) }) }));
};

export const linesOf = (marks: readonly Mark[]): string[] => marks.map((mark) => `${JSON.stringify(mark)}\n`);

const keyFile = (file: string): string => `${file}.key`;

/** Where a service with a PostgreSQL of its own appends its erasures. */
const ownFile = (folder: string): string => join(folder, "erasures");

/** Both are for their owner alone, and on the disk before this resolves. */
const OWNER = { mode: 0o600, flush: true };

/** Appends erasures to the file of a data folder. A file that has another key is of another database: it is put aside. */
export const appendErasures = async (folder: string, key: string, marks: readonly Mark[]): Promise<void> => {
  const file = ownFile(folder);
  const kept = readIfThere(keyFile(file))?.trim();
  if (kept !== undefined && kept !== key) {
    const aside = `${file}-aside-${new Date().toISOString().replaceAll(":", "-")}`;
    if (existsSync(file)) await rename(file, aside);
    await rename(keyFile(file), keyFile(aside));
  }
  if (kept !== key) await writeFile(keyFile(file), `${key}\n`, OWNER);
  // Behind a line that was broken off, as where the disk was full.
  const isOpen = !(readIfThere(file) ?? "\n").endsWith("\n");
  const told = marks.map((mark) => ({ ...mark, key: fingerprint(key) }));
  await appendFile(file, `${isOpen ? "\n" : ""}${linesOf(told).join("")}`, OWNER);
  giveFiles(folder);
  toDisk(folder);
};

export interface Erasures {
  /** Absent where no file has it: then it is that of the database. */
  key: string | undefined;
  marks: Mark[];
}

/** @throws StartError where a mark is of another key */
export const requireKey = (key: string, marks: Iterable<Mark>): void => {
  for (const { id, key: own } of marks)
    if (own !== undefined && own !== fingerprint(key))
      throw new StartError(`the erasure ${id} has another key than these: its list is of another database`);
};

/** Reads what `appendErasures`, `backup` or `audit --erasures` has written, and its key, if that is beside it. @throws StartError */
export const readErasures = async (file: string): Promise<Erasures> => {
  const text = await readFile(file, "utf8").catch(cannotRead(file));
  const key = readIfThere(keyFile(file))?.trim();
  /** The last line of an id holds. */
  const marks = new Map<string, Mark>();
  for (const [at, line] of text.split("\n").entries()) {
    const mark = parseJson(line) as Mark | undefined;
    // An erasure whose line was broken off was not begun.
    if (mark === undefined && line.endsWith("}")) throw new StartError(`${file}, line ${at + 1}: it is no erasure`);
    if (key !== undefined && mark?.key !== undefined && mark.key !== fingerprint(key))
      throw new StartError(`${file}, line ${at + 1}: ${keyFile(file)} is not its key`);
    if (mark !== undefined) marks.set(mark.id, mark);
  }
  return { key, marks: [...marks.values()].filter(({ erased_at }) => erased_at > 0) };
};
