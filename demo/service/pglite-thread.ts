import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Database, Query, Statement } from "./database.js";
import type { Answer, Order } from "./pglite-worker.js";

type Part = Pick<Statement, "text" | "values">;

/** A thread runs JavaScript, so it is the built one, whether this module is or not. */
const BUILT = new URL("../.service/pglite-worker.js", import.meta.url);

interface Waiting {
  resolve(rows: unknown[]): void;
  reject(error: Error): void;
}

/**
 * Opens the embedded PostgreSQL in a thread of its own.
 *
 * @throws Error when the folder holds no database that it can open
 */
export const openPgliteThread = async (folder: string): Promise<Database> => {
  const worker = new Worker(BUILT, { workerData: { folder }, execArgv: [] });
  const waiting = new Map<number, Waiting>();
  let ended: Error | undefined;
  let last = -1;

  const receive = () =>
    new Promise<unknown[]>((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      last += 1;
      waiting.set(last, { resolve, reject });
    });
  const send = (statements?: readonly Part[]): Promise<unknown[]> => {
    const answer = receive();
    worker.postMessage({ number: last, statements } satisfies Order);
    return answer;
  };
  const end = (error: Error): void => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  worker.on("error", end);
  worker.on("exit", () => end(Object.assign(new Error("the embedded database has ended"), { code: "ECONNRESET" })));
  worker.on("message", ({ number, rows = [], error }: Answer) => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (error === undefined) one?.resolve(rows);
    else one?.reject(Object.assign(new Error(error.message), { code: error.code }));
  });
  // The first message says that it is open.
  await receive().catch(async (error) => {
    await worker.terminate();
    throw error;
  });

  // The thread answers in order, so what was sent before a transaction is done before it. The rest waits here.
  let free = Promise.resolve();
  const query: Query = async <Row>(text: string, values: unknown[] = []) => {
    await free;
    return (await send([{ text, values }])) as Row[];
  };
  const raw: Query = async <Row>(text: string, values: unknown[] = []) => (await send([{ text, values }])) as Row[];
  return {
    query,
    write: async (statements) => {
      await free;
      await send(statements);
    },
    transaction: (work) => {
      const result = free.then(async () => {
        await raw("BEGIN");
        try {
          const value = await work(raw);
          await raw("COMMIT");
          return value;
        } catch (error) {
          await raw("ROLLBACK").catch(() => {});
          throw error;
        }
      });
      free = result.then(
        () => {},
        () => {},
      );
      return result;
    },
    close: async () => {
      await free;
      const exit = once(worker, "exit");
      await send();
      await exit;
    },
  };
};
