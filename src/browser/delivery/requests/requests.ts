/** What is in flight, and how much more may be: browsers bound it, and tell so only by failing requests. */
import { uptime } from "../../../shared/uptime.js";
import { rows } from "../queue/queue.js";
import { leaseLeft, type Row } from "../queue/row.js";
import { put } from "../queue/stored.js";
import {
  FIRST_LEASE_MS,
  HANGS_MS,
  KEEPALIVE_BYTES,
  LONG_LEASE_MS,
  PARALLEL,
  PARALLEL_OUT,
  PARALLEL_UNANSWERED,
  PARALLEL_UNANSWERED_OUT,
  PROTECTED_MS,
  SLOW_MS,
} from "../timings.js";
import { backoff, claim, hasFailed } from "./pace.js";
import { BEACON, type Outcome, post } from "./transport.js";

export interface Request {
  /** As of `uptime`. */
  beganAt: number;
  /** The back-off that it has claimed. */
  claimed: number | undefined;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** The events that it holds. */
  several: Row[];
  /** What became of it, once it has ended. */
  outcome: Outcome;
}

export const inFlight = new Set<Request>();
/** When the service answered last, whatever it said, as of `uptime`. */
let answeredAt = Number.NEGATIVE_INFINITY;
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
};

/** The requests that are open for at least `ms` milliseconds. */
const openFor = (ms: number): Request[] => [...inFlight].filter(({ beganAt }) => uptime() - beganAt >= ms);

/** Has the service answered a moment ago? One that hangs has not. */
const isAnswering = (): boolean => uptime() - answeredAt < SLOW_MS;

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

/**
 * Sends these events in one request, and gives back what became of it.
 *
 * @param isOut whether the page is out of sight, and may be over soon
 */
export const send = async (several: Row[], isOut: boolean): Promise<Request> => {
  const [first] = several as [Row];
  const body = several[1] ? `[${several.map((one) => one.body)}]` : first.body;
  const size = several.reduce((sum, one) => sum + one.size + 1, -1);
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives =
    isOut || (size <= room() && !backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype);
  const request = {
    beganAt: uptime(),
    claimed: claim(first.key),
    kept: outlives ? size : 0,
    several,
  } as Request;
  for (const one of several) one.isUnderWay = true;
  inFlight.add(request);
  request.outcome = await post(body, outlives);
  if (request.outcome[0] > BEACON) answeredAt = uptime();
  return request;
};

/**
 * Writes long leases: of what is open for a while, or while the page is out of sight. There the sign says whether the service
 * most likely has the event: not where something has failed. Where the lease is over, because the page stood still, the event may be another document's.
 *
 * @returns milliseconds until the next one is to be written
 */
export const protect = (isOut: boolean): number => {
  const isLikely = isOut && !backoff && !hasFailed && navigator.onLine && !openFor(HANGS_MS).length;
  let wait = Number.POSITIVE_INFINITY;
  for (const { several, kept, beganAt } of inFlight) {
    const age = uptime() - beganAt;
    if (!isOut && age < PROTECTED_MS) wait = Math.min(wait, PROTECTED_MS - age);
    else
      for (const row of several) {
        const left = leaseLeft(row);
        const isGood = isLikely && kept > 0 && !row.failures;
        const isRight = left > FIRST_LEASE_MS && isGood === row.lease < 0;
        if (!left || isRight || rows.get(row.key) !== row) continue;
        put(row, (isGood ? -1 : 1) * Math.floor(Date.now() - age + LONG_LEASE_MS));
      }
  }
  return wait;
};
