/** Which events of other tabs this document lists: those that it finds at a look. */
import { attempt } from "../../shared/attempt.js";
import { report } from "../reporting.js";
import { get, isOurs, keys, remove } from "../state/storage.js";
import { isForgotten } from "./addressing.js";
import { evict, mostAge } from "./bounds.js";
import { hasLocks, isLeftAlone } from "./ownership.js";
import { change, deliver, drop, enlist, forget, lists, rows, tally } from "./queue.js";
import { EVENT, isOwn, type Row, readRow, timeOf } from "./row.js";
import { LOOK_MS } from "./timings.js";

/** Is it the body of an event? Anybody may have written it. */
const isEvent = (body: string): boolean | undefined =>
  attempt(() => {
    const { contact_uid = "", event_uid, params } = JSON.parse(body);
    return typeof contact_uid === "string" && typeof event_uid === "string" && !!params;
  });

/** When the next look is due, by a clock that nobody can set. */
let dueAt = Number.POSITIVE_INFINITY;

/** Another document has an event that it may still send itself: what is still there after a while needs help. */
export const lookLater = (): void => {
  if (hasLocks()) dueAt = Math.min(dueAt, performance.now() + LOOK_MS);
};

/** Lists the event of another document, unless that one may still send it. */
export const load = (key: string): void => {
  const text = get(key);
  if (text === undefined) return;
  const row = readRow(key, text);
  if (!isEvent(row.body)) {
    remove(key);
    tally.dropped++;
  } else if (isLeftAlone(row)) lookLater();
  else if (isForgotten(row)) drop(row);
  else enlist(row);
};

/** Is the event still to be sent, as its row says now? To be asked right before it is sent, under the lock of its tab. */
export const isStillThere = (row: Row): boolean => {
  const { handedOffAt, arrivedMark, key } = row;
  const text = get(key);
  if (text === undefined) {
    // The page has emptied the storage: this document sends its own event from memory.
    if (!isOwn(row)) forget(row);
    return isOwn(row);
  }
  const stored = readRow(key, text);
  change(row, stored, stored.handedOffAt === handedOffAt);
  if (isLeftAlone(row)) {
    forget(row);
    lookLater();
  } else if (isForgotten(row)) drop(row);
  else if (stored.handedOffAt && stored.handedOffAt === arrivedMark) deliver(row);
  return !!row.list && row.list !== lists.handedOff;
};

/**
 * Lists the events of other tabs, the oldest first. Rows of other tokens, and of other versions of the script, are theirs until
 * they are old.
 */
export const look = (): void => {
  dueAt = Number.POSITIVE_INFINITY;
  const events = keys().filter((key) => /\bevent/.test(key));
  for (const key of events.sort((one, other) => timeOf(one) - timeOf(other)))
    if (rows.has(key)) continue;
    else if (isOurs(key) && key.includes(EVENT)) load(key);
    else if (Date.now() - timeOf(key) > mostAge()) evict(readRow(key, get(key) ?? ""), "maxAgeMs");
    else if (!isOurs(key) && !tally.strange++) report("input", "init: formerToken");
};

/**
 * Looks, where one is due.
 *
 * @returns milliseconds until the next one
 */
export const lookWhenDue = (): number => {
  if (performance.now() >= dueAt) look();
  return dueAt - performance.now();
};
