import { chmodSync, closeSync, fsyncSync, openSync, statfsSync, writeFileSync } from "node:fs";
import pg from "pg";
import type { Database } from "../database.js";
import { filesOf, readIfThere } from "./data-folder.js";
import { giveFiles } from "./server-user.js";

const MB = 2 ** 20;
/**
 * Bytes of the disk that events leave free: without room for its log the server stops, and what makes room (deleting) needs some.
 * What was deleted leaves room within the files, of which the disk knows nothing: so after that, events may take a little more of
 * the disk, but never what the log needs.
 */
const [RESERVE, MORE, LEAST] = [64 * MB, 8 * MB, 32 * MB];

export const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** @throws Error of the code that PostgreSQL has for a full disk */
const requireRoom = (folder: string): void => {
  const free = freeBytes(folder);
  if (free >= RESERVE) return;
  const tidied = readIfThere(filesOf(folder).tidied);
  const stays = tidied === undefined ? RESERVE : Math.min(RESERVE, Math.max(Number(tidied) - MORE, LEAST));
  if (free < stays)
    throw Object.assign(
      new Error(
        `the disk of ${folder} is full: of the ${Math.ceil(stays / MB)} MB that stay free, ${Math.floor(free / MB)} MB are left`,
      ),
      { code: "53100" },
    );
};

/** A database that stores no event where the disk of its folder is full, and still deletes there. */
export const withRoom = (database: Database, folder: string): Database => ({
  ...database,
  write: async (statements, node) => {
    requireRoom(folder);
    return database.write(statements, node);
  },
  transaction: async (work) => {
    // Deleting fills the log, too, which begins anew at a checkpoint alone.
    if (freeBytes(folder) < RESERVE) await database.query("CHECKPOINT");
    return database.transaction(work);
  },
});

/** Tidying takes as long as it takes, so it has a connection of its own; what is asked for meanwhile is done once, afterwards. */
export const createTidying = (url: string, folder: string) => {
  let working: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    /** Takes what was deleted out of the files, so that there is room for new rows, and at their end for others. */
    tidy: (): Promise<void> => {
      next ??= working.then(() => {
        next = undefined;
        return vacuum(url, folder);
      });
      working = next.catch(() => {});
      return next;
    },
    done: (): Promise<void> => working,
  };
};

const vacuum = async (url: string, folder: string): Promise<void> => {
  const client = new pg.Client(url).on("error", () => {});
  await client.connect();
  try {
    // Of a few rows among many PostgreSQL would leave the indexes, and with them the place in the table, as they are.
    await client.query("VACUUM (INDEX_CLEANUP ON)");
    const { tidied } = filesOf(folder);
    writeFileSync(tidied, String(freeBytes(folder)));
    chmodSync(tidied, 0o644);
    giveFiles(folder);
  } finally {
    await client.end();
  }
};

/** Waits until what was written to a file, or which names a folder has, is on the disk. */
export const toDisk = (path: string): void => {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
};
