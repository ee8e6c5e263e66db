import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "./server.js";

/** Milliseconds after which a server that has ended is started again; each end that follows another doubles them up to the most. */
const [AGAIN_MS, MOST_MS] = [1_000, 60_000];
/** Milliseconds without an end after which the first wait holds again. */
const CALM_MS = 60_000;

/**
 * Starts a server, and starts it again when it has ended by itself.
 *
 * @param start starts it
 * @param tell says what happens to it
 * @returns ends it for good, once the first start has succeeded
 * @throws Error when the first start fails
 */
export const keepServer = async (start: () => Server, tell: (text: string) => void): Promise<() => Promise<void>> => {
  const ending = new AbortController();
  let server = start();
  await server.ready.catch(async (error) => {
    await server.end();
    throw error;
  });
  const keep = async (): Promise<void> => {
    let [wait, began] = [AGAIN_MS, performance.now()];
    while (!ending.signal.aborted) {
      const why = await server.closed;
      if (ending.signal.aborted) return;
      wait = performance.now() - began > CALM_MS ? AGAIN_MS : wait;
      tell(`PostgreSQL has ended (${why}): it is started again in ${wait / 1_000} s`);
      await sleep(wait, undefined, { signal: ending.signal }).catch(() => {});
      if (ending.signal.aborted) return;
      wait = Math.min(2 * wait, MOST_MS);
      began = performance.now();
      server = start();
      server.ready.then(
        () => tell("PostgreSQL takes connections again"),
        () => {},
      );
    }
  };
  void keep();
  return async () => {
    ending.abort();
    await server.end();
  };
};
