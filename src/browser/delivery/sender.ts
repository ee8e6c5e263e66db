/** Begins requests for what may be sent now. An event leaves the queue only when its request was judged. */
import { pause } from "../../shared/pause.js";
import { backOffMs } from "../../shared/retry-policy.js";
import { log } from "../reporting.js";
import { address } from "./addressing.js";
import { backoff, claim, waitFor } from "./backoff.js";
import { health } from "./health.js";
import { forgetLost, inFlight, isAnswering, isFull, isGone, openFor, room } from "./in-flight.js";
import { load } from "./look.js";
import { ask, owns, passedOver } from "./ownership.js";
import { enlist, lists, me, put, ready, rows } from "./queue.js";
import { judge } from "./responses.js";
import { isYoung, type Row } from "./row.js";
import { KEEPALIVE_BYTES, LOST_MS, MISFITS, PROTECTED_MS, SLOW_MS, SUSPECT_TRIES } from "./timings.js";
import { BEACON, post } from "./transport.js";

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
    kept,
    isCut: isGone,
    isWarm: isAnswering(),
  };
  inFlight.set(row, request);
  const outcome = await post(row.body, kept > 0);
  if (outcome[0] > BEACON) health.answeredAt = performance.now();
  // One that was forgotten says nothing any more: another request may stand in its place.
  if (inFlight.get(row) !== request) return;
  inFlight.delete(row);
  then(() => judge(row, request, outcome));
  if (rows.get(row.key) !== row || row.list) return;
  // A suspect waits by itself, in no list.
  await pause(backOffMs(Math.max(1, row.tries! - SUSPECT_TRIES + 1)));
  if (rows.get(row.key) === row) enlist(row);
  then();
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
  const outlives = fits && (isOut || (!backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype));
  send(row, outlives ? row.size : 0, then).catch((error) => log("error", `${error}`));
  return true;
};

/** @returns milliseconds until more may be sent */
const beginAll = (occasion: Occasion): number => {
  const { isOut, isLeaving, mayProbeEarly, then } = occasion;
  let next = Number.POSITIVE_INFINITY;
  let misfits = 0;
  for (const list of [lists.young, ...ready.values(), lists.failed])
    for (const row of list) {
      const { key, tab } = row;
      if (list === lists.young && !isYoung(row)) list.delete(row);
      if (inFlight.has(row) || !list.has(row)) continue;
      const pause = isFull(isOut) ? SLOW_MS : waitFor(key, mayProbeEarly);
      if (pause || (backoff && isGone)) return Math.min(next, pause || next);
      // What leaves with a page is its own.
      const isFree = isYoung(row) || (isLeaving && tab === me && !row.failedAt && !passedOver(me));
      if (isLeaving && !isFree) continue;
      if (!isFree && !owns(row)) {
        const isRefused = passedOver(tab) > 0;
        next = Math.min(next, ask(tab, then));
        if (backoff && !isRefused) return next;
        if (list === lists.failed) continue;
        break;
      }
      if (!isFree && !load(key, row)) continue;
      if (!row.isAddressed) address(row);
      if (!begin(row, occasion)) misfits++;
      if (backoff || misfits >= MISFITS) return next;
    }
  return next;
};

/** @returns milliseconds until more may be sent, or what is under way needs a lock */
export const beginRequests = (occasion: Occasion): number => {
  const { isOut, then } = occasion;
  forgetLost();
  let next = beginAll(occasion);
  // Other documents are kept away from what has no answer yet, what has just begun included. Not from what was open when the
  // page was left: its end may never be heard, and Firefox caches no page with a lock.
  for (const [{ tab }, { isCut, openSince }] of inFlight) {
    const open = performance.now() - openSince;
    const left = isCut ? LOST_MS - open + 1 : isOut ? 0 : PROTECTED_MS - open;
    next = Math.min(next, left > 0 || isCut ? left : ask(tab, then));
  }
  return next;
};
