import { unavailable } from "./errors.js";
import { isUnavailable } from "./sql-state.js";

/** Items in one transaction: enough to share its cost, few enough not to keep others waiting. */
const MAX_BATCH = 500;
/** Characters that may wait for the database; more is refused (503) instead of filling the memory. */
const MAX_WAITING = 64 * 2 ** 20;

interface Waiting<T> {
  item: T;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Group commit: what arrives while a transaction runs is committed together in the next one. Each item's promise
 * settles with its own commit, and an item that the database refuses does not fail the others.
 *
 * @param commit writes items in one transaction
 * @param sizeOf characters that an item takes
 */
export const createGroupCommit = <T>(
  commit: (items: T[]) => Promise<void>,
  sizeOf: (item: T) => number,
): ((item: T) => Promise<void>) => {
  let queue: Waiting<T>[] = [];
  let size = 0;
  let running = false;

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      await write(batch);
      for (const { item } of batch) size -= sizeOf(item);
    }
    running = false;
  };

  const write = async (batch: Waiting<T>[]): Promise<void> => {
    try {
      await commit(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await write([one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      if (size + sizeOf(item) > MAX_WAITING) return reject(unavailable());
      size += sizeOf(item);
      queue.push({ item, resolve, reject });
      if (running) return;
      running = true;
      // A moment later, so that what arrived in the same turn of the event loop joins.
      setImmediate(run);
    });
};
