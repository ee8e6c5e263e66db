import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "../base/exact-text.js";
import { fileReason } from "../base/file-error.js";
import { StartError } from "../base/start-error.js";
import type { Query } from "../database/database.js";
import { idAt, timeOf } from "../database/event-id.js";

/*
 * A dump from before an erasure brings the erased back. So erasures are kept beside the database, too: marks in one file, which name
 * nobody, and their key in another. What is restored is erased by them again.
 */

/** An erasure, without a name. */
export interface Mark {
  id: string;
  workspace: string;
  mark: string;
  erased_at: number;
}

/** Milliseconds in which an erasure becomes visible: one with a lower id may be so later. */
const LATE_MS = 60_000;

/** The erasures of a database, oldest first. @param after an id; those of the minute before it are told again */
export const listErasures = async (query: Query, after?: string): Promise<Mark[]> => {
  const from = after === undefined ? idAt(0) : idAt(timeOf(after) - LATE_MS);
  const rows = await query<Record<string, unknown>>(
    "SELECT id, workspace, subject, at FROM audit WHERE what IN ('erase', 'anonymise') AND id > $1 ORDER BY id",
    [from],
  );
  return rows.map(({ id, workspace, subject, at }) => ({
    ...{ id: String(id), workspace: String(workspace), mark: String(subject), erased_at: Number(at) },
  }));
};

export const linesOf = (marks: readonly Mark[]): string[] => marks.map((mark) => `${JSON.stringify(mark)}\n`);

/** The file with the key of another one. */
const keyFile = (file: string): string => `${file}.key`;

/** Where a service with a PostgreSQL of its own appends its erasures. */
const ownFile = (folder: string): string => join(folder, "erasures");

/** Both are for their owner alone, and on the disk before this resolves. */
const OWNER = { mode: 0o600, flush: true };

/** Appends erasures to the file of a data folder. */
export const appendErasures = async (folder: string, key: string, marks: readonly Mark[]): Promise<void> => {
  const file = ownFile(folder);
  await writeFile(keyFile(file), `${key}\n`, { ...OWNER, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  await appendFile(file, linesOf(marks).join(""), OWNER);
};

export interface Erasures {
  key: string;
  marks: Mark[];
}

/** Reads what `appendErasures` or `service -- erasures` has written, and its key. @throws StartError */
export const readErasures = async (file: string): Promise<Erasures> => {
  const read = (name: string) =>
    readFile(name, "utf8").catch((error: Error) => {
      throw new StartError(`${name} cannot be read: ${fileReason(error)}`);
    });
  const key = (await read(keyFile(file))).trim();
  const lines = (await read(file)).split("\n");
  const marks = lines.flatMap((line, at) => {
    const mark = parseJson(line) as Mark | undefined;
    // The last line may have been broken off: its erasure was not answered.
    if (mark === undefined && at < lines.length - 1) throw new StartError(`${file}, line ${at + 1}: it is no erasure`);
    return mark === undefined ? [] : [mark];
  });
  return { key, marks };
};
