import { isUnavailable } from "../../database/sql-state.js";
import { unavailable } from "../../http/errors.js";

/** Items in one transaction: enough to share its cost, few enough not to keep others waiting. */
const MAX_BATCH = 500;
/** Transactions of a lane under way at a time: while the database commits one, this process prepares the next. */
const AT_A_TIME = 2;
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

/** What waits for one node of the database. */
interface Lane<T> {
  number: number;
  queue: Waiting<T>[];
  /** Transactions under way. */
  running: number;
  scheduled: boolean;
}

interface GroupCommitOptions<T> {
  /** Characters that an item takes. */
  sizeOf(item: T): number;
  /** The lane of an item. Default: all have one */
  laneOf?(item: T): number;
}

/**
 * Group commit: what arrives while a transaction runs is committed together in the next one, which begins beside it
 * when there is much. Each item's promise settles with its own commit, and an item that the database refuses does not
 * fail the others. Items of different lanes never wait for each other.
 *
 * @param commit writes items of a lane in one transaction; resolves to those that were left out of it, with their errors
 */
export const createGroupCommit = <T>(
  commit: (items: T[], lane: number) => Promise<ReadonlyMap<T, unknown> | undefined>,
  { sizeOf, laneOf = () => 0 }: GroupCommitOptions<T>,
): ((item: T) => Promise<void>) => {
  const lanes = new Map<number, Lane<T>>();
  let size = 0;

  const dispatch = (lane: Lane<T>): void => {
    lane.scheduled = false;
    while (lane.running < AT_A_TIME && lane.queue.length >= (lane.running === 0 ? 1 : MIN_BESIDE)) {
      const batch = lane.queue.slice(0, MAX_BATCH);
      lane.queue = lane.queue.slice(MAX_BATCH);
      lane.running += 1;
      void write(lane, batch).then(() => {
        for (const one of batch) size -= one.size;
        lane.running -= 1;
        dispatch(lane);
      });
    }
  };

  const write = async (lane: Lane<T>, batch: Waiting<T>[]): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item);
      const failed = (await commit(items, lane.number)) ?? new Map();
      for (const { item, resolve, reject } of batch) failed.has(item) ? reject(failed.get(item)) : resolve();
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await write(lane, [one]);
      else for (const { reject } of batch) reject(error);
    }
  };

  const laneFor = (item: T): Lane<T> => {
    const number = laneOf(item);
    const known = lanes.get(number);
    if (known !== undefined) return known;
    const lane = { number, queue: [], running: 0, scheduled: false };
    lanes.set(number, lane);
    return lane;
  };

  return (item) =>
    new Promise((resolve, reject) => {
      const length = sizeOf(item);
      if (size + length > MAX_WAITING) return reject(unavailable());
      size += length;
      const lane = laneFor(item);
      lane.queue.push({ item, size: length, resolve, reject });
      if (lane.scheduled) return;
      lane.scheduled = true;
      // A moment later, so that what arrived in the same turn of the event loop joins.
      setImmediate(dispatch, lane);
    });
};
