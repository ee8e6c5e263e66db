/** Which events of other tabs this document lists: those that it finds at a look, and those that it is told of later. */
import { attempt } from "../../shared/attempt.js";
import { config } from "../config.js";
import { get, keys, remove } from "../state/storage.js";
import { isForgotten } from "./addressing.js";
import { hasLocks, isLeftAlone } from "./ownership.js";
import { drop, enlist, enlistMark, me, rows, tally } from "./queue.js";
import { EVENT, readRow, timeOf } from "./row.js";
import { MAX_AGE_MS, TOLD_MS } from "./timings.js";

/** Events that their own document may still send, by key: when they join the list, by a clock that nobody sets. */
const told = new Map<string, number>();

/** Another tab has stored the event. */
export const noteOther = (key: string): void => {
  if (hasLocks && !rows.has(key) && !told.has(key)) told.set(key, performance.now() + TOLD_MS);
};

/** Another tab has removed it. */
export const forgetOther = (key: string): void => {
  told.delete(key);
};

const load = (key: string): void => {
  const text = get(key);
  if (text === undefined) return;
  const row = readRow(key, text);
  if (!attempt(() => JSON.parse(row.body).params)) {
    // It is no event.
    remove(key);
    tally.dropped++;
  } else if (isLeftAlone(row)) noteOther(key);
  else if (isForgotten(row)) drop(row);
  else if (row.handedOffAt) enlistMark(row);
  else enlist(row);
};

/** Lists the events of other tabs, the oldest first. Rows of other versions of the script are theirs, until they are old. */
export const look = (): void => {
  const isOld = (key: string): boolean => Date.now() - timeOf(key) > (Number(config.maxAgeMs) || MAX_AGE_MS);
  for (const key of keys("event").sort((one, other) => timeOf(one) - timeOf(other)))
    if (key.startsWith(`${EVENT}${me}:`) || rows.has(key)) continue;
    else if (key.startsWith(EVENT)) load(key);
    else if (isOld(key)) remove(key);
};

/**
 * Lists the events that this document was told of a while ago and that are still there.
 *
 * @returns milliseconds until the next one
 */
export const join = (): number => {
  for (const [key, dueAt] of told) {
    const wait = dueAt - performance.now();
    if (wait > 0) return wait;
    told.delete(key);
    load(key);
  }
  return Number.POSITIVE_INFINITY;
};
