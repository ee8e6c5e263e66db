/** How one body leaves the page, and what became of it, as plain data. */
import { retryAfterMs } from "../../shared/retry-policy.js";
import type { DebugListener } from "../../types.js";

/** The status of the answer, 0 where there was none, and the milliseconds that the service asks to wait. */
export type Outcome = [status: number, retryAfter: number];

/** A request without an answer after this time, in milliseconds, is given up. */
const TIMEOUT_MS = 15_000;

/**
 * Requests to one URL (the service's interface, `POST /v1/track/event`). They neither send nor take cookies, and follow
 * no redirect: a followed 302 turns the POST into a GET, whose 200 would count as stored.
 *
 * @param type as `text/plain` the request needs no CORS of the service, and its answer says nothing but that it came
 */
export const createTransport = (url: string, type = "application/json", log: DebugListener) => {
  const isPlain = type === "text/plain";
  /** Not in Firefox before 133. */
  const canKeepAlive = "keepalive" in Request.prototype;
  return {
    canKeepAlive,

    /**
     * @param outlives whether the request must outlive its page: by keepalive, or else by a beacon, of which no answer is
     * known; that the browser took it counts as one
     */
    post: async (body: string, outlives: boolean): Promise<Outcome> => {
      let outcome: Outcome = [0, 0];
      try {
        if (outlives && !canKeepAlive) return [navigator.sendBeacon(url, new Blob([body], { type })) ? 200 : 0, 0];
        const response = await fetch(url, {
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
          signal: AbortSignal.timeout?.(TIMEOUT_MS),
        });
        outcome = [response.status || (isPlain ? 200 : 302), retryAfterMs(response.headers.get("Retry-After"))];
        // An answer left unread keeps its share of the 64 KiB that a page may have in flight.
        await response.text();
      } catch {
        // No answer, or one cut short: its status, if there was one, is the verdict.
      }
      log(outcome[0], body);
      return outcome;
    },
  };
};

export type Transport = ReturnType<typeof createTransport>;
