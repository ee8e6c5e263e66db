/*
 * The embedded PostgreSQL, in a thread of its own: it computes, and would hold up every request meanwhile.
 *
 * It answers messages in their order. One with `statements` runs them and is answered with the rows; of several all or none
 * are run, and each has its rows in the answer. One without ends the thread.
 */
import { hrtime } from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { PGlite } from "@electric-sql/pglite";
import type { Statement } from "../database.js";

export interface Order {
  number: number;
  statements: readonly Pick<Statement, "text" | "values">[] | undefined;
  /** Milliseconds of the monotonic clock after which nobody waits for the answer any more. */
  until: number;
}

export interface Answer {
  /** That of the order; 0 says that the database is open. */
  number: number;
  rows?: unknown[];
  /** As plain data: on its way from a thread an error loses its code. */
  error?: { message: string; code: string | undefined };
}

const port = parentPort!;
const answer = (message: Answer): void => port.postMessage(message);
const plain = (error: unknown) => ({
  message: String((error as Error)?.message ?? error),
  code: (error as { code?: string } | null)?.code,
});

const run = async (engine: PGlite, statements: Order["statements"]): Promise<unknown[]> => {
  if (statements === undefined) {
    await engine.close();
    return [];
  }
  if (statements.length === 1) return (await engine.query(statements[0]!.text, statements[0]!.values)).rows;
  return engine.transaction(async (transaction) => {
    const answers: unknown[] = [];
    for (const { text, values } of statements) answers.push((await transaction.query(text, values)).rows);
    return answers;
  });
};

const serve = (engine: PGlite): void => {
  let before = Promise.resolve();
  port.on("message", ({ number, statements, until }: Order) => {
    before = before.then(async () => {
      try {
        if (Number(hrtime.bigint() / 1_000_000n) > until) throw new Error("it was not begun in time");
        answer({ number, rows: await run(engine, statements) });
      } catch (error) {
        answer({ number, error: plain(error) });
      }
      if (statements === undefined) port.close();
    });
  });
  answer({ number: 0 });
};

PGlite.create((workerData as { folder: string }).folder).then(serve, (error: unknown) =>
  answer({ number: 0, error: plain(error) }),
);
