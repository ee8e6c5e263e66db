import { statfsSync } from "node:fs";
import type { Database, Query, Written } from "../database.js";
import { failure, monotonic, type Part, startThread, type Thread } from "./pglite-thread.js";

/**
 * Bytes of the disk that events leave free: without room for its log the engine stops for good, and what makes room
 * (deleting events) needs some.
 */
const RESERVE = 64 * 2 ** 20;
/** Milliseconds from one attempt to open the database again to the next. */
const AGAIN_MS = 1_000;
/** Milliseconds in which a close ends its work; later it ends as a crash does. */
const CLOSING_MS = 4_000;

export interface EmbeddedDatabase extends Database {
  /** The same database with another limit, in milliseconds, for each of its orders. */
  within(limit: number): Database;
}

/**
 * The embedded PostgreSQL of a folder, in a thread of its own. Each order has a limit. A thread that exceeds it, or ends
 * otherwise, is followed by another one, which finds all that was committed; orders fail meanwhile, as unavailable.
 *
 * @param limit milliseconds for an order, its waiting for others included
 * @throws Error when the folder holds no database that it can open
 */
export const openPgliteDatabase = async (folder: string, limit: number): Promise<EmbeddedDatabase> => {
  let thread: Thread = await startThread(folder);
  let openedAt = Number.NEGATIVE_INFINITY;
  let closing = false;
  /** What was sent before a transaction is done before it, as the thread answers in order. The rest waits here. */
  let free = Promise.resolve();

  /** The thread that works; where it has ended, the next one is begun. */
  const working = (): Thread => {
    if (!thread.hasEnded()) return thread;
    if (!closing && monotonic() - openedAt > AGAIN_MS) {
      requireRoom(folder);
      openedAt = Number.POSITIVE_INFINITY;
      void startThread(folder)
        .then((next) => {
          if (closing) return next.kill();
          thread = next;
        })
        .catch(() => {})
        .finally(() => {
          openedAt = monotonic();
        });
    }
    throw failure("the embedded database is being opened again", "57P03");
  };

  const within = (orderLimit: number): Database => {
    const ask = async (part: readonly Part[]): Promise<unknown[]> => {
      const until = monotonic() + orderLimit;
      return intime(
        orderLimit,
        free.then(() => working().run(part, orderLimit, until)),
      );
    };
    return {
      query: async <Row>(text: string, values: unknown[] = []) => (await ask([{ text, values }])) as Row[],
      write: async (statements) => {
        requireRoom(folder);
        // What else the statements hold is not for the thread.
        const answer = await ask(statements.map(({ text, values }) => ({ text, values })));
        return (statements.length === 1 ? [answer] : answer) as Written;
      },
      transaction: (work) => {
        const result = free.then(async () => {
          const own = working();
          const query: Query = async <Row>(text: string, values: unknown[] = []) =>
            (await own.run([{ text, values }], orderLimit)) as Row[];
          await query("BEGIN");
          try {
            const value = await work(query);
            await query("COMMIT");
            return value;
          } catch (error) {
            await query("ROLLBACK").catch(() => {});
            throw error;
          }
        });
        free = result.then(
          () => {},
          () => {},
        );
        return result;
      },
      close,
    };
  };
  const close = async (): Promise<void> => {
    closing = true;
    if (thread.hasEnded()) return;
    await intime(
      CLOSING_MS,
      free.then(() => thread.run(undefined, CLOSING_MS)),
    ).catch(() => thread.kill());
  };
  return { ...within(limit), within };
};

const intime = async <T>(limit: number, work: Promise<T>): Promise<T> => {
  let late: NodeJS.Timeout | undefined;
  const end = new Promise<never>((_, reject) => {
    const message = `the embedded database was busy for ${limit / 1_000} s`;
    late = setTimeout(() => reject(failure(message, "ETIMEDOUT")), limit);
  });
  return Promise.race([work, end]).finally(() => clearTimeout(late));
};

/** @throws Error of the code that PostgreSQL has for a full disk */
const requireRoom = (folder: string): void => {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < RESERVE)
    throw failure(
      `the disk of ${folder} is full: of the ${RESERVE / 2 ** 20} MB that stay free, ${Math.floor((bavail * bsize) / 2 ** 20)} MB are left`,
      "53100",
    );
};
