/** What is in flight, how much more may be (browsers bound it, and tell so only by failing requests), and how one body is sent. */
import { attempt } from "../../shared/attempt.js";
import { retryAfterMs } from "../../shared/retry-policy.js";
import { pause, uptime } from "../../shared/uptime.js";
import { config, url } from "../config.js";
import { log } from "../reporting.js";
import { backoff, claim, hasFailed } from "./back-off.js";
import { NEVER, put, rows } from "./queue.js";
import { LONG_LEASE_MS, leaseLeft, type Row } from "./row.js";

/**
 * The status of the answer, 0 where there was none; the milliseconds that the service asks to wait; the most events that it
 * says to take in one request; when the body has ended, where it has one.
 */
export type Outcome = [status: number, retryAfter: number, most?: number, ended?: Promise<unknown>];

export interface Request {
  /** As of `uptime`. */
  beganAt: number;
  /** The same in epoch milliseconds. */
  time: number;
  /** Bytes of one that outlives the page; 0 of another. */
  kept: number;
  /** The events that it holds, until it is judged. */
  several: Row[];
  outcome: Outcome;
}

/** A request without an answer after this time is given up. */
const TIMEOUT_MS = 15_000;
/** A body that has not ended so long after the headers is cut off. */
const BODY_MS = 500;

/** A beacon that the browser took: no answer will ever tell what became of it. */
export const BEACON = 1;

/** Nothing where the browser knows no time-outs. */
const limit = (ms: number): AbortSignal | undefined => attempt(() => AbortSignal.timeout(ms));

/** Reads a body to its end. One that does not come is cut off: left unread, it keeps its share of the 64 KiB in flight, and a socket. */
const drain = async (response: Response): Promise<unknown> =>
  attempt(() => response.body!.pipeTo(new WritableStream(), { signal: limit(BODY_MS)! })) ?? response.text();

/** Is it the address that was asked? `upgrade-insecure-requests` changes the scheme; an answer that cannot be read names none. */
const isAsked = (found: string, asked: string): boolean => !found || found.split("://")[1] === asked.split("://")[1];

/**
 * Posts to the one URL (the service's interface, `POST /v1/track/event`), or a list of events to that of the plural. Requests
 * neither send nor take cookies, and follow no redirect: a followed 302 turns the POST into a GET, whose 200 would count as
 * stored.
 *
 * @param outlives whether the request must outlive its page: by keepalive, or, in Firefox before 133, by a beacon
 */
export const post = async (body: string, outlives: boolean): Promise<Outcome> => {
  // As `text/plain` a request needs no CORS, and its answer cannot be read: it tells only that there is one.
  const type = config.contentType || "application/json";
  const isPlain = type === "text/plain";
  const address = body[0] === "[" ? url!.replace("?", "s?") : url!;
  let outcome: Outcome = [0, 0];
  try {
    if (outlives && !("keepalive" in Request.prototype))
      return [navigator.sendBeacon(address, new Blob([body], { type })) ? BEACON : 0, 0];
    const response = await fetch(address, {
      method: "POST",
      body,
      headers: { "Content-Type": type },
      keepalive: outlives,
      credentials: "omit",
      // Without CORS, redirects have to be followed.
      ...(isPlain ? { mode: "no-cors" } : { redirect: "manual" }),
      // Not the page's address. The origin goes along in any case; without a referrer, a proxy of the page's own origin
      // would be sent `Origin: null`, which guards against forged requests refuse.
      referrerPolicy: "origin",
      signal: limit(TIMEOUT_MS),
    });
    const { status, headers } = response;
    // A service worker of the site may answer a request that has failed with its offline page.
    if (isAsked(response.url, address))
      outcome = [
        status || (isPlain ? 200 : 302),
        retryAfterMs(headers.get("Retry-After")),
        Number(headers.get("Tracklet-Batch")),
      ];
    outcome[3] = drain(response).catch(() => {});
  } catch {
    // No answer, or one cut short: its status, if there was one, is what counts. Chromium rejects the requests of a page that
    // is left before it fires `pagehide`; the next task comes after it, or never.
    await pause();
  }
  log(outcome[0], body);
  return outcome;
};

/** Enough to drain a back-log, and two of a host's six sockets are left to the page. */
const PARALLEL = 4;
/** A request that is open for longer is slow, and a service that has answered none for longer may hang. */
export const SLOW_MS = 2_000;
/**
 * Requests at once where the service does not answer, and while such a page is left. Chromium never ends the preflight of a
 * request that was given up: each one holds one of the six sockets of HTTP/1.1, and the next page needs one, too.
 */
const PARALLEL_UNANSWERED = 1;
const PARALLEL_UNANSWERED_OUT = 2;
/** Requests at once while the page is out of sight: a browser process has 256 in all. */
const PARALLEL_OUT = 32;
/** Bytes with keepalive: of the 65,536 of a document, some are left to the page. */
export const KEEPALIVE_BYTES = 61_440;

export const inFlight = new Set<Request>();
/** When the service answered last, whatever it said, as of `uptime`. */
let answeredAt = -NEVER;
/** Is the page between `pagehide` and `pageshow`? */
export let isGone = false;

export const setGone = (next: boolean): void => {
  isGone = next;
};

const openFor = (ms: number): Request[] => [...inFlight].filter(({ beganAt }) => uptime() - beganAt >= ms);

/**
 * Is there no place for another request? A page that is out of sight has many, but few where the service hangs. Any other has
 * one until the service answers, and again from when a request became slow. Slow ones free some places.
 */
export const isFull = (isOut: boolean): boolean => {
  const slow = openFor(SLOW_MS).length;
  if (isOut) return inFlight.size >= (slow ? PARALLEL_UNANSWERED_OUT : PARALLEL_OUT);
  const isAnswering = uptime() - answeredAt < SLOW_MS;
  return inFlight.size - Math.min(1, slow) >= (isAnswering ? PARALLEL : PARALLEL_UNANSWERED);
};

export const room = (): number => [...inFlight].reduce((left, { kept }) => left - kept, KEEPALIVE_BYTES);

/** @param isOut whether the page is out of sight, and may be over soon */
export const send = async (several: Row[], isOut: boolean): Promise<Request> => {
  const [first] = several as [Row];
  const body = several[1] ? `[${several.map((one) => one.body)}]` : first.body;
  const size = several.reduce((sum, one) => sum + one.size + 1, -1);
  // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
  // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
  const outlives =
    isOut || (size <= room() && !backoff && !openFor(SLOW_MS).length && "keepalive" in Request.prototype);
  const time = Date.now();
  const request = { beganAt: uptime(), time, kept: outlives ? size : 0, several } as Request;
  inFlight.add(request);
  claim(first, time);
  request.outcome = await post(body, outlives);
  if (request.outcome[0] > BEACON) answeredAt = uptime();
  return request;
};

/** A request that is open for this time has a long lease written for its events. */
const PROTECTED_MS = 500;
/** A request open for this long when the page is left says that the service may hang. */
const HANGS_MS = 3_000;

/**
 * Writes long leases: of what is open for a while, or while the page is out of sight. There the sign says whether the service
 * most likely has the event: not where something has failed. Where the lease is over, because the page stood still, the event may
 * be another document's.
 *
 * @returns milliseconds until the next one is to be written
 */
export const protect = (isOut: boolean): number => {
  const isLikely = isOut && !backoff && !hasFailed && navigator.onLine && !openFor(HANGS_MS).length;
  let wait = NEVER;
  for (const { several, kept, beganAt, time } of inFlight) {
    const age = uptime() - beganAt;
    if (!isOut && age < PROTECTED_MS) wait = Math.min(wait, PROTECTED_MS - age);
    else
      for (const row of several) {
        const isGood = isLikely && kept > 0 && !row.failures;
        const lease = (isGood ? -1 : 1) * (time + LONG_LEASE_MS);
        if (row.lease !== lease && leaseLeft(row) && rows.get(row.key) === row) put(row, lease);
      }
  }
  return wait;
};
