/** What is in flight, and how much more may be: browsers bound it, and say so only by failing. */
import { health } from "./health.js";
import type { Row } from "./row.js";
import {
  KEEPALIVE_BYTES,
  LOST_MS,
  PARALLEL,
  PARALLEL_OUT,
  PARALLEL_UNANSWERED,
  PARALLEL_UNANSWERED_OUT,
  PREFLIGHT_MS,
  SLOW,
  SLOW_MS,
} from "./timings.js";

export interface Request {
  beganAt: number;
  /** The same by a clock that nobody sets. */
  openSince: number;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** Was the page left while it was open? That it fails says nothing then. */
  isCut: boolean;
  /** Did it begin while the service answered? Then it has no preflight of its own that could hang. */
  isWarm: boolean;
}

export const inFlight = new Map<Row, Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
  for (const request of inFlight.values()) {
    request.isCut = true;
    // An answer that came while the page was cached is still to be heard.
    if (!next) request.openSince = performance.now();
  }
};

/** The requests that are open for at least `ms` milliseconds. */
export const openFor = (ms: number): Request[] =>
  [...inFlight.values()].filter(({ openSince }) => performance.now() - openSince >= ms);

/** Has the service answered a moment ago, and since a request became slow? */
export const isAnswering = (): boolean =>
  health.answeredAt >
  Math.max(0, performance.now() - PREFLIGHT_MS, ...openFor(SLOW_MS).map(({ openSince }) => openSince + SLOW_MS));

/**
 * Is there no place for another request? A page that is out of sight has many, but few where the service hangs. Any other has
 * one until the service answers, and again from when a request became slow. Slow ones free some places.
 */
export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS);
  if (isOut) return inFlight.size >= (slow.length ? PARALLEL_UNANSWERED_OUT : PARALLEL_OUT);
  if (isAnswering()) return inFlight.size - Math.min(SLOW, slow.length) >= PARALLEL;
  const warm = slow.filter(({ isWarm }) => isWarm).length;
  return inFlight.size - warm - Math.min(1, slow.length - warm) >= PARALLEL_UNANSWERED;
};

/** WebKit never ends the requests that it cuts off for the back/forward cache: they are forgotten. */
export const forgetLost = (): void => {
  for (const [row, { isCut, openSince }] of inFlight)
    if (isCut && performance.now() - openSince > LOST_MS) inFlight.delete(row);
};

/** So many bytes more may outlive the page. */
export const room = (): number => [...inFlight.values()].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
