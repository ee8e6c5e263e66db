/** Which events of other tabs this document lists: those that it finds at a look, and those that it is told of later. */
import { attempt } from "../../shared/attempt.js";
import { get, keys, remove } from "../state/storage.js";
import { isForgotten } from "./addressing.js";
import { mostAge } from "./bounds.js";
import { hasLocks, isLeftAlone } from "./ownership.js";
import { deliver, drop, enlist, forget, lists, rows, tally } from "./queue.js";
import { ageOf, EVENT, isOwn, type Row, readRow } from "./row.js";
import { TOLD_MS } from "./timings.js";

/** Events that their own document may still send, by key: when they join the list, by a clock that nobody sets. */
export const told = new Map<string, number>();

/** Another tab has stored the event. */
export const noteOther = (key: string): void => {
  if (hasLocks() && !rows.has(key) && !told.has(key)) told.set(key, performance.now() + TOLD_MS);
};

/**
 * Lists the event of a row, as its text says.
 *
 * @param known what this document knew of it
 * @returns it, where it may be sent
 */
export const load = (key: string, known?: Row): Row | undefined => {
  const text = get(key);
  told.delete(key);
  // This document's own was emptied by the page, and goes all the same.
  if (text === undefined && known && isOwn(known)) return known;
  if (known) forget(known);
  if (text === undefined) return undefined;
  const mark = known?.handedOffAt;
  const row: Row = Object.assign(known ?? {}, readRow(key, text));
  if (!attempt(() => JSON.parse(row.body).params)) {
    // It is no event.
    remove(key);
    tally.dropped++;
  } else if (isLeftAlone(key) && !isOwn(row) && !row.handedOffAt) noteOther(key);
  else if (isForgotten(row)) drop(row);
  else if (row.handedOffAt === row.arrivedMark) deliver(row);
  else enlist(row, row.handedOffAt === mark);
  return row.list && row.list !== lists.handedOff ? row : undefined;
};

/** Lists the events of other tabs, the oldest first. Rows of other versions of the script are theirs, until they are old. */
export const look = (): void => {
  // Those of one tab stay in the order of their numbers: a clock may have been set back.
  const tabOf = (key: string): string => key.split(":")[1]!;
  const compare = (one: string, other: string): number => (tabOf(one) === tabOf(other) ? 0 : ageOf(other) - ageOf(one));
  for (const key of keys("event").sort(compare))
    if (rows.has(key)) continue;
    else if (key.startsWith(EVENT)) load(key);
    else if (ageOf(key) > mostAge()) remove(key);
  const inOrder = [...rows.values()].sort((one, other) => one.time - other.time);
  rows.clear();
  for (const row of inOrder) rows.set(row.key, row);
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
    load(key);
  }
  return Number.POSITIVE_INFINITY;
};
