/** What is in flight, and how much more may be. Browsers bound it, and tell so only by failing requests. */
import { pace } from "./pace.js";
import type { Row } from "./row.js";
import {
  KEEPALIVE_BYTES,
  PARALLEL,
  PARALLEL_OUT,
  PARALLEL_UNANSWERED,
  PARALLEL_UNANSWERED_OUT,
  SLOW_MS,
} from "./timings.js";
import type { Outcome } from "./transport.js";

export interface Request {
  /** By a clock that nobody can set. */
  beganAt: number;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** Was it begun under the lock? */
  isLocked: boolean;
  /** The events that it holds. */
  several: Row[];
  /** What became of it, once it has ended. */
  outcome: Outcome;
}

export const inFlight = new Set<Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
};

/** The requests that are open for at least `ms` milliseconds. */
export const openFor = (ms: number): Request[] =>
  [...inFlight].filter(({ beganAt }) => performance.now() - beganAt >= ms);

/** Is a request open that was begun under the lock? */
export const isLockUsed = (): boolean => [...inFlight].some(({ isLocked }) => isLocked);

/** Has the service answered a moment ago? One that hangs has not. */
const isAnswering = (): boolean => performance.now() - pace.answeredAt < SLOW_MS;

/**
 * Is there no place for another request? A page that is out of sight has many, but few where the service hangs. Any other has
 * one until the service answers, and again from when a request became slow. Slow ones free some places.
 */
export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS).length;
  if (isOut) return inFlight.size >= (slow ? PARALLEL_UNANSWERED_OUT : PARALLEL_OUT);
  return inFlight.size - Math.min(1, slow) >= (isAnswering() ? PARALLEL : PARALLEL_UNANSWERED);
};

/** So many bytes more may outlive the page. */
export const room = (): number => [...inFlight].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
