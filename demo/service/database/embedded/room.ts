import { statfsSync } from "node:fs";
import pg from "pg";

/** Bytes of the disk that events leave free: without room for its log the server stops, and what makes room (deleting) needs some. */
const RESERVE = 64 * 2 ** 20;
const MB = 2 ** 20;

/** @throws Error of the code that PostgreSQL has for a full disk */
export const requireRoom = (folder: string): void => {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < RESERVE)
    throw Object.assign(
      new Error(
        `the disk of ${folder} is full: of the ${RESERVE / MB} MB that stay free, ${Math.floor(free / MB)} MB are left`,
      ),
      { code: "53100" },
    );
};

export interface Tidying {
  /** Takes what was deleted out of the files, so that there is room for new rows, and at their end for others. */
  tidy(): Promise<void>;
  /** Resolves when nothing is being tidied any more. */
  done(): Promise<void>;
}

/** Tidying takes as long as it takes, so it has a connection of its own; what is asked for meanwhile is done once, afterwards. */
export const createTidying = (url: string): Tidying => {
  let working: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return {
    tidy: () => {
      next ??= working.then(() => {
        next = undefined;
        return vacuum(url);
      });
      working = next.catch(() => {});
      return next;
    },
    done: () => working,
  };
};

const vacuum = async (url: string): Promise<void> => {
  const client = new pg.Client(url).on("error", () => {});
  await client.connect();
  try {
    await client.query("VACUUM");
  } finally {
    await client.end();
  }
};
