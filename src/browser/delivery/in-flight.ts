/** What is in flight, and how much more may be: browsers bound it, and say so only by failing. */
import type { Row } from "./row.js";
import {
  KEEPALIVE_BYTES,
  LOST_MS,
  PARALLEL,
  PARALLEL_OUT,
  PARALLEL_UNANSWERED,
  PARALLEL_UNANSWERED_OUT,
  SLOW,
  SLOW_MS,
} from "./timings.js";

export interface Request {
  beganAt: number;
  /** The same by a clock that nobody sets. */
  openSince: number;
  /** When the back-off was set in which it began. */
  backoffSetAt: number | undefined;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** Was the page left while it was open? That it fails says nothing then. */
  isCut: boolean;
  /** Was it open for so long that the service may hang? */
  isSlow?: boolean;
}

export const inFlight = new Map<Row, Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;
/** Has the service answered since the page began, and since a request was last without an answer for too long? */
let isAnswering = false;

export const setGone = (next: boolean): void => {
  isGone = next;
  for (const request of inFlight.values()) request.isCut = true;
};

export const noteAnswer = (): void => {
  isAnswering = true;
};

/** Notes which requests are slow, and forgets those that WebKit has cut off for the back/forward cache. */
export const watch = (): void => {
  for (const [row, request] of inFlight) {
    const time = performance.now() - request.openSince;
    if (time >= SLOW_MS && !request.isSlow) {
      request.isSlow = true;
      isAnswering = false;
    }
    if (time > LOST_MS) inFlight.delete(row);
  }
};

/** How many are open for at least `ms` milliseconds. */
export const openFor = (ms: number): number =>
  [...inFlight.values()].filter(({ openSince }) => performance.now() - openSince >= ms).length;

/** @param isOut whether the page is out of sight */
export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS);
  if (isOut) return inFlight.size >= (slow ? PARALLEL_UNANSWERED_OUT : PARALLEL_OUT);
  const [most, spared] = isAnswering ? [PARALLEL, SLOW] : [PARALLEL_UNANSWERED, 1];
  return inFlight.size - Math.min(spared, slow) >= most;
};

/** So many bytes more may outlive the page. */
export const room = (): number => [...inFlight.values()].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
