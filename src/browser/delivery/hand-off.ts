/** What was in flight at a clean exit: it is marked in its row, because the service most likely has it. */
import { backoff, downSince } from "./backoff.js";
import { health } from "./health.js";
import { inFlight, openFor } from "./in-flight.js";
import { enlist, lists, put, rows } from "./queue.js";
import { HANGS_MS, MARK_MS } from "./timings.js";

/** Marks what is in flight, unless something has failed. @param isLeaving whether the page is left now */
export const handOff = (isLeaving: boolean): void => {
  const isLikely = !backoff && navigator.onLine && !openFor(HANGS_MS).length;
  for (const [row, { kept }] of inFlight) {
    const isMarked = isLikely && kept > 0 && !row.failures && !row.stamped;
    if (!rows.has(row.key) || (isMarked === row.handedOffAt > 0 && !isLeaving)) continue;
    row.handedOffAt = isMarked ? Date.now() : 0;
    put(row);
  }
};

/**
 * What was handed off is sent again once two attempts have failed, and counts as delivered once a later request was accepted,
 * or nobody is left to judge it.
 */
export const judgeMarks = (): void => {
  for (const row of lists.handedOff) {
    const { handedOffAt } = row;
    const isJudged = health.acceptedAt >= handedOffAt;
    const isOpen = [...inFlight.values()].some(({ beganAt }) => beganAt >= handedOffAt);
    const isOld = Math.abs(Date.now() - handedOffAt) >= MARK_MS;
    const isDown = downSince() - handedOffAt < MARK_MS;
    // Under the lock of its tab the event is sent again, or dropped: a page that lives on has that lock while a request is open.
    row.arrivedMark = isDown ? undefined : handedOffAt;
    if (isDown || isJudged || (isOld && !isOpen)) enlist(row, true);
  }
};
