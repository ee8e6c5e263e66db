/** What is in flight, and how much more may be: browsers bound it, and say so only by failing. */

/** Requests at once: enough to drain a back-log, and two of a host's six sockets are left to the page. */
const PARALLEL = 4;
/** One that hangs for longer than this, in milliseconds, frees its place for another; so do this many. */
export const SLOW_MS = 2_000;
const SLOW = 2;
/** The same while the page is out of sight: a browser process has 256 in all. */
const PARALLEL_HIDDEN = 32;
/**
 * The same where the service does not answer. Chromium never ends the preflight of a request that was given up: each one holds
 * one of the six sockets of HTTP/1.1, and the next page needs one, too.
 */
const PARALLEL_UNANSWERED = 1;
const PARALLEL_UNANSWERED_HIDDEN = 2;
/** Bytes with keepalive: of the 65,536 of a document, some are left to the page. */
export const KEEPALIVE_BYTES = 61_440;

/** A request without an answer is given up after 15 s: what is open for longer, in milliseconds, will never end. */
const LOST_MS = 20_000;

export interface Request {
  beganAt: number;
  /** The same by a clock that nobody sets. */
  openSince: number;
  /** The stored back-off when it began. */
  backoff: string;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** Was the page left while it was open? That it fails says nothing then. */
  isCut: boolean;
}

/** By the key of their event. */
export const inFlight = new Map<string, Request>();
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
  for (const request of inFlight.values()) request.isCut = true;
};

/** How many are open for at least `ms` milliseconds. */
export const openFor = (ms: number): number =>
  [...inFlight.values()].filter(({ openSince }) => performance.now() - openSince >= ms).length;

/** When the service answered last, by a clock that nobody sets; 0 before its first answer. */
let answeredAt = 0;
/** When a request was last open for too long without an answer. */
let unansweredAt = 0;

/** Notes that a request has ended. */
export const noteEnd = ({ openSince }: Request, isAnswered: boolean): void => {
  if (isAnswered) answeredAt = performance.now();
  else if (performance.now() - openSince >= SLOW_MS) unansweredAt = Math.max(unansweredAt, openSince + SLOW_MS);
};

/** Has the service answered since the page began, and since a request was last unanswered for too long? */
const isAnswering = (): boolean => {
  const slow = [...inFlight.values()]
    .map(({ openSince }) => openSince + SLOW_MS)
    .filter((at) => at <= performance.now());
  return answeredAt > Math.max(unansweredAt, ...slow);
};

export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS);
  if (isOut) return inFlight.size >= (slow ? PARALLEL_UNANSWERED_HIDDEN : PARALLEL_HIDDEN);
  return isAnswering()
    ? inFlight.size - Math.min(SLOW, slow) >= PARALLEL
    : inFlight.size - Math.min(1, slow) >= PARALLEL_UNANSWERED;
};

/** WebKit never ends the requests that it cuts off when a page enters the back/forward cache: they are forgotten. */
export const forgetLost = (): void => {
  for (const [key, { openSince }] of inFlight) if (performance.now() - openSince > LOST_MS) inFlight.delete(key);
};

/** So many bytes more may outlive the page. */
export const room = (): number => [...inFlight.values()].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);
