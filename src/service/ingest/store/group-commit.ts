import { isUnavailable } from "../../database/sql-state.js";
import { unavailable } from "../../http/error-answers.js";

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
  /** Is told why it is not as the others, if it is not. */
  settle(item: T, otherwise: unknown): void;
}

/** What waits for one node of the database. */
interface Lane<T> {
  number: number;
  queue: Waiting<T>[];
  running: number;
  scheduled: boolean;
}

interface GroupCommitOptions<T> {
  sizeOf(item: T): number;
  /** The lane of an item. Default: all have one */
  laneOf?(item: T): number;
}

/**
 * Group commit: what arrives while a transaction runs is committed together in the next one, which begins beside it
 * when there is much. An item that the database refuses does not fail the others. Items of different lanes never wait for
 * each other.
 *
 * @param commit writes items of a lane in one transaction; resolves to what is to be told of some of them, such as errors
 * @returns takes items that come together; resolves, once all are settled, to what was told of some, and errors of those that failed
 */
export const createGroupCommit = <T>(
  commit: (items: T[], lane: number) => Promise<ReadonlyMap<T, unknown> | undefined>,
  { sizeOf, laneOf = () => 0 }: GroupCommitOptions<T>,
): ((items: readonly T[]) => Promise<ReadonlyMap<T, unknown>>) => {
  const lanes = new Map<number, Lane<T>>();
  let size = 0;

  const dispatch = (lane: Lane<T>): void => {
    lane.scheduled = false;
    while (lane.running < AT_A_TIME && lane.queue.length >= (lane.running === 0 ? 1 : MIN_BESIDE)) {
      const batch = lane.queue.slice(0, MAX_BATCH);
      lane.queue = lane.queue.slice(MAX_BATCH);
      lane.running += 1;
      void write(lane, batch).then(() => {
        lane.running -= 1;
        dispatch(lane);
      });
    }
  };

  const end = (one: Waiting<T>, otherwise: unknown): void => {
    size -= one.size;
    one.settle(one.item, otherwise);
  };

  const write = async (lane: Lane<T>, batch: Waiting<T>[]): Promise<void> => {
    try {
      const items = batch.map(({ item }) => item);
      const told = await commit(items, lane.number);
      for (const one of batch) end(one, told?.get(one.item));
    } catch (error) {
      if (batch.length > 1 && !isUnavailable(error)) for (const one of batch) await write(lane, [one]);
      else for (const one of batch) end(one, error);
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

  const wait = (item: T, settle: Waiting<T>["settle"]): void => {
    const length = sizeOf(item);
    if (size + length > MAX_WAITING) return void settle(item, unavailable());
    size += length;
    const lane = laneFor(item);
    lane.queue.push({ item, size: length, settle });
    if (lane.scheduled) return;
    lane.scheduled = true;
    // A moment later, so that what arrived in the same turn of the event loop joins.
    setImmediate(dispatch, lane);
  };

  return (items) =>
    new Promise((resolve) => {
      const told = new Map<T, unknown>();
      let open = items.length;
      const settle = (item: T, otherwise: unknown): void => {
        if (otherwise !== undefined) told.set(item, otherwise);
        open -= 1;
        if (open === 0) resolve(told);
      };
      if (open === 0) resolve(told);
      for (const item of items) wait(item, settle);
    });
};
