/** What is in flight, and how much more may be. Browsers bound it, and tell so only by failing requests. */
import { health } from "./health.js";
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
  beganAt: number;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** The events that it holds. */
  several: Row[];
  /** What became of it, once it has ended. */
  outcome: Outcome;
}

export const inFlight = new Map<Row, Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
};

/** The requests that are open for at least `ms` milliseconds. */
export const openFor = (ms: number): Request[] =>
  [...inFlight.values()].filter(({ beganAt }) => Date.now() - beganAt >= ms);

/** Has the service answered a moment ago? One that hangs has not. */
const isAnswering = (): boolean => Date.now() - health.answeredAt < SLOW_MS;

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
export const room = (): number => [...inFlight.values()].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
