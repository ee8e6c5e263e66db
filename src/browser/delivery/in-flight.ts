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
}

export const inFlight = new Map<Row, Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;
/** When the service answered last, and when a request was last without an answer for too long. By a clock that nobody sets. */
const answers = { last: 0, missing: 0 };

export const setGone = (next: boolean): void => {
  isGone = next;
  for (const request of inFlight.values()) request.isCut = true;
};

const openTimes = (): number[] => [...inFlight.values()].map(({ openSince }) => performance.now() - openSince);

/** How many are open for at least `ms` milliseconds. */
export const openFor = (ms: number): number => openTimes().filter((time) => time >= ms).length;

/** Notes that a request has ended. */
export const noteEnd = ({ openSince }: Request, isAnswered: boolean): void => {
  if (isAnswered) answers.last = performance.now();
  else if (performance.now() - openSince >= SLOW_MS) answers.missing = openSince + SLOW_MS;
};

/** Has the service answered since the page began, and since a request was last without an answer for too long? */
const isAnswering = (): boolean => {
  const slow = openTimes().filter((time) => time >= SLOW_MS);
  const lateSince = slow.map((time) => performance.now() - time + SLOW_MS);
  return answers.last > Math.max(answers.missing, ...lateSince);
};

export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS);
  if (isOut) return inFlight.size >= (slow ? PARALLEL_UNANSWERED_OUT : PARALLEL_OUT);
  return isAnswering()
    ? inFlight.size - Math.min(SLOW, slow) >= PARALLEL
    : inFlight.size - Math.min(1, slow) >= PARALLEL_UNANSWERED;
};

/** Forgets the requests that WebKit has cut off for the back/forward cache. */
export const forgetLost = (): void => {
  for (const [row, { openSince }] of inFlight) if (performance.now() - openSince > LOST_MS) inFlight.delete(row);
};

/** So many bytes more may outlive the page. */
export const room = (): number => [...inFlight.values()].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
