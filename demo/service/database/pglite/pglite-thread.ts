import { once } from "node:events";
import { hrtime } from "node:process";
import { Worker } from "node:worker_threads";
import { DEMO_FOLDER } from "../../config/demo-folder.js";
import type { Statement } from "../database.js";
import type { Answer, Order } from "./pglite-worker.js";

export type Part = Pick<Statement, "text" | "values">;

/** A thread runs JavaScript, so it is the built one, whether this module is or not. */
const BUILT = new URL(".service/pglite-worker.js", DEMO_FOLDER);
/** Milliseconds that the first message may take: a large log is gone through before. */
const OPENING_MS = 300_000;
/** A timer that is later than this by itself says nothing about the thread: the whole process was frozen. */
const FROZEN_MS = 1_000;

interface Waiting {
  /** Milliseconds that the thread may work on it. */
  limit: number;
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

export interface Thread {
  /**
   * Runs a statement and gives its rows, or several, all or none, and gives the rows of each; without any it closes the database.
   *
   * @param limit milliseconds that the thread may work on them; one that takes longer is ended, for nothing else ends a
   *   statement of the embedded database, nor the endless loop that it falls into where the disk is full
   * @param until monotonic milliseconds after which the statements are not begun any more
   */
  run(statements: readonly Part[] | undefined, limit: number, until?: number): Promise<unknown[]>;
  /** Ends it as a crash does: what was committed is there at the next opening. */
  kill(): Promise<void>;
  /** Has it ended, in whatever way? */
  hasEnded(): boolean;
}

/** Milliseconds of the system's clock that only goes on: the same in all threads. */
export const monotonic = (): number => Number(hrtime.bigint() / 1_000_000n);

export const failure = (message: string, code: string): Error => Object.assign(new Error(message), { code });

/**
 * Starts a thread with the embedded PostgreSQL of a folder.
 *
 * @throws Error when the folder holds no database that it can open
 */
export const startThread = async (folder: string): Promise<Thread> => {
  const worker = new Worker(BUILT, { workerData: { folder }, execArgv: [] });
  /** In the order of their sending, which is that of their answers: the first is what the thread works on. */
  const waiting = new Map<number, Waiting>();
  let ended: Error | undefined;
  let last = -1;
  let late: NodeJS.Timeout | undefined;

  const end = (error: Error): void => {
    ended ??= error;
    clearTimeout(late);
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const kill = async (): Promise<void> => {
    await worker.terminate();
  };
  const watch = (): void => {
    clearTimeout(late);
    const [working] = waiting.values();
    if (working === undefined) return;
    const began = monotonic();
    late = setTimeout(() => {
      if (monotonic() - began > working.limit + FROZEN_MS) return watch();
      end(failure(`the embedded database gave no answer within ${working.limit / 1_000} s`, "ETIMEDOUT"));
      void kill();
    }, working.limit);
  };
  const receive = (limit: number) =>
    new Promise<unknown[]>((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      last += 1;
      waiting.set(last, { limit, resolve, reject });
      if (waiting.size === 1) watch();
    });
  worker.on("error", end);
  worker.on("exit", () => end(failure("the embedded database has ended", "ECONNRESET")));
  worker.on("message", ({ number, rows = [], error }: Answer) => {
    const one = waiting.get(number);
    waiting.delete(number);
    watch();
    if (error === undefined) one?.resolve(rows);
    else one?.reject(Object.assign(new Error(error.message), { code: error.code }));
  });
  // The first message says that it is open.
  await receive(OPENING_MS).catch(async (error) => {
    await kill();
    throw error;
  });
  return {
    run: async (statements, limit, until = Number.POSITIVE_INFINITY) => {
      const answer = receive(limit);
      worker.postMessage({ number: last, statements, until } satisfies Order);
      const exit = statements === undefined ? once(worker, "exit") : undefined;
      const rows = await answer;
      await exit;
      return rows;
    },
    kill,
    hasEnded: () => ended !== undefined,
  };
};
