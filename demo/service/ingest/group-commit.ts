import { isUnavailable } from "../database/sql-state.js";
import { unavailable } from "../http/errors.js";

/** Items in one transaction: enough to share its cost, few enough not to keep others waiting. */
const MAX_BATCH = 500;
/** Items that begin a transaction beside another: fewer join the next one, for many small ones cost more than few large. */
const MIN_BESIDE = 48;
/** Characters that may wait for the database; more is refused (503) instead of filling the memory. */
const MAX_WAITING = 64 * 2 ** 20;

interface Waiting<T> {
  item: T;
  size: number;
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes items in one transaction; called anew only after its last call has ended. */
export type Commit<T> = (items: T[]) => Promise<void>;

/**
 * Group commit: what arrives while a transaction runs is committed together in the next one, which begins beside it
 * when there is much. Each item's promise settles with its own commit, and an item that the database refuses does not
 * fail the others.
 *
 * @param commits one for each transaction that may be under way at a time
 * @param sizeOf characters that an item takes
 */
export const createGroupCommit = <T>(
  commits: readonly Commit<T>[],
  sizeOf: (item: T) => number,
): ((item: T) => Promise<void>) => {
  const idle = [...commits];
  let queue: Waiting<T>[] = [];
  let size = 0;
  let scheduled = false;

  const dispatch = (): void => {
    scheduled = false;
    while (queue.length >= (idle.length === commits.length ? 1 : MIN_BESIDE)) {
      const commit = idle.pop();
      if (commit === undefined) return;
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      void write(commit, batch).then(() => {
        for (const one of batch) size -= one.size;
        idle.push(commit);
        dispatch();
      });
    }
  };

  const write = async (commit: Commit<T>, batch: Waiting<T>[]): Promise<void> => {
    try {
      await commit(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await write(commit, [one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const length = sizeOf(item);
      if (size + length > MAX_WAITING) return reject(unavailable());
      size += length;
      queue.push({ item, size: length, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // A moment later, so that what arrived in the same turn of the event loop joins.
      setImmediate(dispatch);
    });
};
