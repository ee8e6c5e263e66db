/**
 * When something is sent. A round begins what may be sent, and sets one timer for the next round. Where nothing waits it sets
 * none, and nothing touches the storage.
 */
import { uptime } from "../../shared/uptime.js";
import { url } from "../config.js";
import { isHidden } from "../page.js";
import { guard, logError } from "../reporting.js";
import { isOpen } from "../state/storage.js";
import { address } from "./addressing.js";
import { backoff, isKnown, isPausing, offer, waitFor } from "./back-off.js";
import { countWaiting, enlist, failed, move, NEVER, put, ready, trim, young } from "./queue.js";
import { inFlight, isFull, isGone, KEEPALIVE_BYTES, protect, room, SLOW_MS, send } from "./requests.js";
import { isStamped, isYoung, LONG_LEASE_MS, type Row } from "./row.js";
import { ask, dueAt, isAsking, isUnchanged, look, owns, release, takeTurn } from "./tabs.js";
import { decide, judge, takesLists } from "./verdicts.js";

/** A covered window gets no frame: an event waits for one no longer than this. */
const FRAME_MS = 100;

let timer: ReturnType<typeof setTimeout> | undefined;
/** When the next round comes, as of `uptime`. */
let nextAt = 0;
/** Does a round come after the next frame? */
let isComing = false;
/** Is there a reason not to wait for the back-off? It holds until a request has begun. */
let mayProbeEarly = true;

const arm = (delay: number): void => {
  clearTimeout(timer);
  // Whole milliseconds: a round that comes too early finds nothing to do.
  timer = setTimeout(() => round(), Math.ceil(delay));
};

/** A request has ended, or the turn was granted. Once the page is left, nothing more is begun. */
const again = (): void => {
  if (!isGone) round();
};

const carry = async (several: Row[], isOut: boolean): Promise<void> => {
  const request = await send(several, isOut);
  // It keeps its place and its bytes until its body has ended.
  Promise.resolve(request.outcome[3]).then(() => {
    inFlight.delete(request);
    again();
  });
  // In the same task as it ends: until then nobody else may send the events.
  judge(request);
  request.several = [];
};

/** Does it fit into the bytes that may outlive the page? In view, a larger one need not, and one may be cut off whose repeat is dropped. */
const fits = (row: Row, isOut: boolean): boolean =>
  row.size <= room() || (!isOut && (row.size > KEEPALIVE_BYTES || isKnown(row)));

/**
 * Takes an event that is to be sent, if it is there still. It has its contact then, and in a turn a lease that is longer
 * than any request lasts.
 */
const take = (row: Row, isYoung: boolean): boolean => {
  if ((!isYoung && !isUnchanged(row)) || (!row.isAddressed && !address(row))) return false;
  if (!isYoung) {
    takeTurn();
    put(row, Date.now() + LONG_LEASE_MS);
  }
  return true;
};

/**
 * What the service knows again by its stamp goes with others of its list where it takes several. In view they may be more than
 * outlive the page, so that a back-log goes in four requests at once. While their request is open they are in no list.
 */
const collect = (row: Row, isYoung: boolean, isOut: boolean): Row[] => {
  const several = [row];
  // In a back-off one event finds out how the service is; or what the service has put off as it was.
  const most = Math.min(takesLists ? offer || 1 : 1, row.most ?? (backoff ? 1 : NEVER));
  const bytes = isOut ? room() : KEEPALIVE_BYTES;
  let { size, list } = row;
  move(row);
  if (isStamped(row))
    for (const one of list!) {
      if (several.length >= most || size + one.size >= bytes) break;
      if (!isStamped(one) || one.most !== row.most || !take(one, isYoung)) continue;
      move(one);
      several.push(one);
      size += one.size + 1;
    }
  return several;
};

/**
 * Begins what may be sent now: a request that has begun changes what else may begin.
 *
 * @param isOut whether the page is out of sight, and may be over soon
 * @param isLeaving whether it is being hidden or left in this moment
 * @returns milliseconds until to come again
 */
const begin = (isOut: boolean, isLeaving: boolean): number => {
  for (const list of [young, ready, failed])
    for (const row of list) {
      const isFree = list === young;
      if (isFree && !isYoung(row)) {
        enlist(row);
        continue;
      }
      const wait = waitFor(row, mayProbeEarly);
      if (wait) return wait;
      if (backoff && isGone) return NEVER;
      if (!isFree && !owns()) return isGone ? NEVER : ask(again);
      // Out of sight, what is not young goes as in view, but for the moment in which the page may end.
      if (isFull(isOut && (isFree || isLeaving))) return SLOW_MS;
      // Out of sight it is passed over where it never fits. Else it waits for room, and all behind it wait, too.
      if (!fits(row, isOut)) {
        if (isOut && row.size > KEEPALIVE_BYTES) continue;
        return NEVER;
      }
      if (!take(row, isFree)) continue;
      mayProbeEarly = false;
      carry(collect(row, isFree, isOut), isOut)
        .catch(logError)
        .then(again);
      if (backoff) return NEVER;
    }
  return NEVER;
};

const maySend = (): boolean => !!url && isOpen();

const runRound = (isLeaving: boolean): void => {
  clearTimeout(timer);
  isComing = false;
  const isOut = isGone || isHidden();
  const isLooking = !isOut && maySend();
  if (isLooking && uptime() >= dueAt) look();
  const waits = [decide()];
  trim();
  if (countWaiting() && maySend()) waits.push(begin(isOut, isLeaving));
  waits.push(protect(isOut));
  // All of the above may ask for a look.
  if (isLooking) waits.push(dueAt - uptime());
  // In a back-off it ends by itself.
  if (!countWaiting()) release();
  const wait = Math.min(...waits);
  nextAt = uptime() + wait;
  if (!isGone && wait < NEVER) arm(wait);
};

/** @param isLeaving whether the page is being hidden or left in this moment */
export const round = (isLeaving = false): void => guard(() => runRound(isLeaving));

/** There is a reason not to wait for the back-off. */
export const hurry = (): void => {
  mayProbeEarly = true;
  round();
};

/** An event was added: it is sent after the next frame, which a click waits for, or, out of sight, when the script has ended. */
export const wake = (): void => {
  mayProbeEarly ||= isPausing();
  if (isComing) return;
  isComing = true;
  arm(FRAME_MS - 1);
  // Timers of a page that is out of sight come late, or never.
  if (isHidden() || isGone) queueMicrotask(round);
  else requestAnimationFrame(() => guard(() => isComing && arm(0)));
};

/** Is anything under way that may let more go, or does an attempt come before `end`? */
export const isBusy = (end: number): boolean => inFlight.size > 0 || isAsking() || (countWaiting() > 0 && nextAt < end);
