/** How one body is sent, and what became of it, as plain data. */
import { attempt } from "../../../shared/attempt.js";
import { pause } from "../../../shared/pause.js";
import { retryAfterMs } from "../../../shared/retry-policy.js";
import { config, url } from "../../config.js";
import { log } from "../../reporting.js";
import { BODY_MS, TIMEOUT_MS } from "../timings.js";

/**
 * The status of the answer, 0 where there was none; the milliseconds that the service asks to wait; the most events that it
 * says to take in one request; the text of a 207; when the body has ended, where it has one.
 */
export type Outcome = [status: number, retryAfter: number, most?: number, text?: string, ended?: Promise<unknown>];

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
    if (status === 207) outcome[3] = await response.text();
    else outcome[4] = drain(response).catch(() => {});
  } catch {
    // No answer, or one cut short: its status, if there was one, is what counts. Chromium rejects the requests of a page that
    // is left before it fires `pagehide`; the next task comes after it, or never.
    await pause();
  }
  log(outcome[0], body);
  return outcome;
};
