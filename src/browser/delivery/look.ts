/** Which events of other tabs this document lists: those that it finds at a look, and those that it is told of later. */
import { attempt } from "../../shared/attempt.js";
import { get, keys, remove } from "../state/storage.js";
import { isForgotten } from "./addressing.js";
import { evict, mostAge } from "./bounds.js";
import { hasLocks, isLeftAlone } from "./ownership.js";
import { change, deliver, drop, enlist, forget, lists, rows, tally } from "./queue.js";
import { EVENT, isOwn, type Row, readRow, timeOf } from "./row.js";
import { TOLD_MS } from "./timings.js";

/** Is it the body of an event? Anybody may have written it. */
const isEvent = (body: string): boolean | undefined =>
  attempt(() => {
    const { contact_uid = "", event_uid, params } = JSON.parse(body);
    return typeof contact_uid === "string" && typeof event_uid === "string" && !!params;
  });

/** Events that their own document may still send, by key: when they join the list, by a clock that nobody sets. */
export const told = new Map<string, number>();

/** Another tab has stored the event. */
export const noteOther = (key: string): void => {
  if (hasLocks() && !rows.has(key) && !told.has(key)) told.set(key, performance.now() + TOLD_MS);
};

/** Lists the event of another document, unless that one may still send it. */
export const load = (key: string): void => {
  const text = get(key);
  told.delete(key);
  if (text === undefined) return;
  const row = readRow(key, text);
  if (!isEvent(row.body)) {
    remove(key);
    tally.dropped++;
  } else if (isLeftAlone(row)) noteOther(key);
  else if (isForgotten(row)) drop(row);
  else enlist(row);
};

/** Is the event still to be sent, as its row says now? To be asked right before it is sent, under the lock of its tab. */
export const isStillThere = (row: Row): boolean => {
  const { handedOffAt, arrivedMark, key } = row;
  const text = get(key);
  if (text === undefined) {
    // This document's own was emptied by the page, and goes all the same.
    if (!isOwn(row)) forget(row);
    return isOwn(row);
  }
  const stored = readRow(key, text);
  change(row, stored, stored.handedOffAt === handedOffAt);
  if (isLeftAlone(row)) {
    forget(row);
    noteOther(key);
  } else if (isForgotten(row)) drop(row);
  else if (stored.handedOffAt && stored.handedOffAt === arrivedMark) deliver(row);
  return !!row.list && row.list !== lists.handedOff;
};

/** Lists the events of other tabs, about the oldest first. Rows of other versions of the script are theirs, until they are old. */
export const look = (): void => {
  for (const key of keys("event").sort((one, other) => timeOf(one) - timeOf(other)))
    if (rows.has(key)) continue;
    else if (key.startsWith(EVENT)) load(key);
    else if (Date.now() - timeOf(key) > mostAge()) evict(readRow(key, get(key) ?? ""), "maxAgeMs");
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
