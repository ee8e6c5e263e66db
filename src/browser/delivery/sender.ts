/** Begins requests for what may be sent now. An event leaves the queue only when its request was judged. */
import { guard } from "../reporting.js";
import { get } from "../state/storage.js";
import { address, isForgotten } from "./addressing.js";
import { backoff, claim, waitFor } from "./backoff.js";
import { forgetLost, inFlight, isFull, isGone, noteEnd, openFor, room } from "./in-flight.js";
import { ask, isLeftAlone, mayLeave, owns, passedOver } from "./ownership.js";
import { changeBody, drop, enlistMark, forget, me, put, tabs, young } from "./queue.js";
import { judge } from "./responses.js";
import { isOwn, isYoung, type Row, readRow } from "./row.js";
import { KEEPALIVE_BYTES, MISFITS, PROTECTED_MS, SLOW_MS } from "./timings.js";
import { BEACON, nextTask, post } from "./transport.js";

/** Why requests are begun now. */
export interface Occasion {
  /** Is the page out of sight? It may be over soon. */
  isOut: boolean;
  /** Is it being hidden or left in this moment? */
  isLeaving: boolean;
  /** Is there a reason not to wait for the back-off? */
  mayProbeEarly: boolean;
  /** Called when more may be sent: a request has ended, with what judges its outcome, or a lock was granted. */
  then(judgeOutcome?: () => void): void;
}

const send = async (row: Row, kept: number, then: Occasion["then"]): Promise<void> => {
  claim(row.key);
  const request = {
    beganAt: Date.now(),
    openSince: performance.now(),
    backoffSetAt: backoff?.setAt,
    kept,
    isCut: isGone,
  };
  inFlight.set(row, request);
  row.isBegun = true;
  const outcome = await post(row.body, kept > 0);
  noteEnd(request, outcome[0] > BEACON);
  const judgeOutcome = (): void => judge(row, request, outcome);
  if (outcome[0] === BEACON) {
    // While the page is being left, each beacon counts among what is in flight.
    judgeOutcome();
    await nextTask();
  }
  // One that was forgotten says nothing any more: another request may stand in its place.
  if (inFlight.get(row) !== request) return;
  inFlight.delete(row);
  then(judgeOutcome);
};

/** Keeps other documents away from what has no answer yet. @returns milliseconds until the next one needs it */
const protect = ({ isOut, then }: Occasion): number => {
  let next = Number.POSITIVE_INFINITY;
  for (const [{ tab }, { openSince }] of inFlight) {
    const left = openSince + PROTECTED_MS - performance.now();
    next = Math.min(next, isOut || left <= 0 ? ask(tab, then) : left);
  }
  return next;
};

/** What may be sent, in this order, each list with its tab. */
function* lists(): Generator<[string, Set<Row>]> {
  yield [me, young];
  for (const [tab, { ready }] of tabs) yield [tab, ready];
  for (const [tab, { failed }] of tabs) yield [tab, failed];
}

/** Reads the row that is about to be sent under a lock, and judges it by its text. @returns whether it may still be sent */
const renew = (row: Row): boolean => {
  const text = get(row.key);
  // This tab's own was emptied by the page, and goes all the same.
  if (text === undefined && isOwn(row)) return true;
  if (text === undefined || (!isOwn(row) && isLeftAlone(row))) {
    forget(row);
    return false;
  }
  const { body, failures, handedOffAt } = readRow(row.key, text);
  if (handedOffAt !== row.handedOffAt) {
    row.handedOffAt = handedOffAt;
    enlistMark(row);
    return false;
  }
  row.failures = failures;
  if (body !== row.body) changeBody(row, body);
  const isWanted = !isForgotten(row);
  if (isWanted) address(row);
  else drop(row);
  return isWanted;
};

/**
 * Begins the request of an event that may be sent.
 *
 * @returns whether it has: what does not fit into what the browser takes beside it, waits
 */
const begin = (row: Row, { isOut, then }: Occasion): boolean => {
  const fits = row.size <= room();
  if (!fits && (isOut || row.size <= KEEPALIVE_BYTES)) return false;
  // It is no longer handed off.
  if (row.handedOffAt) {
    row.handedOffAt = 0;
    put(row);
  }
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives = fits && (isOut || (!backoff && !openFor(SLOW_MS) && "keepalive" in Request.prototype));
  guard(() => send(row, outlives ? row.size : 0, then));
  return true;
};

/** @returns milliseconds until more may be sent */
export const beginRequests = (occasion: Occasion): number => {
  const { isOut, isLeaving, mayProbeEarly, then } = occasion;
  forgetLost();
  let next = protect(occasion);
  let misfits = 0;
  for (const [tab, list] of lists()) {
    // What leaves with a page is its own.
    if (isLeaving && tab !== me) continue;
    for (const row of list) {
      if (inFlight.has(row)) continue;
      const pause = isFull(isOut) ? SLOW_MS : waitFor(row.key, mayProbeEarly);
      if (pause || (backoff && isGone)) return Math.min(next, pause || next);
      const rest = (row.dueAt ?? 0) - performance.now();
      if (rest > 0) {
        next = Math.min(next, rest);
        break;
      }
      const isFree = isYoung(row) || (isLeaving && mayLeave(row));
      if (!isFree && !owns(row)) {
        if (isLeaving) continue;
        const isRefused = passedOver(tab) > 0;
        next = Math.min(next, ask(tab, then));
        if (backoff && !isRefused) return next;
        break;
      }
      if (!isFree && !renew(row)) continue;
      if (!begin(row, occasion) && ++misfits >= MISFITS) return next;
      if (backoff) return next;
    }
  }
  return next;
};
