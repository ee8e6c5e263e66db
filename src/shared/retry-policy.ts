/** When to try again, and when not: shared by the browser part, `tracklet/read` and `tracklet/send`. */

/** First upper bound of the back-off, in milliseconds: a hiccup heals within a second. */
const BASE_MS = 1_000;
/** Last upper bound, in milliseconds: a service that was down for hours is found again within five minutes. */
const CEILING_MS = 300_000;
/** Longest `Retry-After` obeyed, in milliseconds: beyond an hour it is more likely a mistake than a wish. */
export const RETRY_AFTER_CEILING_MS = 3_600_000;

/** Has the service accepted the request? (RFC 9110 §15.3) */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Does this status say that the same request may succeed later? (RFC 9110 §15.5.9, §15.6; RFC 6585 §4; RFC 8470 §5.2) */
export const isTransient = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/**
 * Exponential back-off with full jitter: anything from 0 to `1 s × 2^attempt`, at most 5 min.
 * Full jitter keeps clients that failed together from coming back together.
 *
 * @param attempt how many attempts have failed before this one, from 0
 * @param ceilingMs longest delay, in milliseconds; 5 min by default
 * @returns milliseconds to wait
 */
export const backOffMs = (attempt: number, ceilingMs = CEILING_MS): number =>
  Math.random() * Math.min(ceilingMs, BASE_MS * 2 ** attempt);

/**
 * Reads a `Retry-After` header in its form of seconds, the one that services send (RFC 9110 §10.2.3).
 *
 * @returns milliseconds to wait; 0 when the header is absent, negative or something else
 */
export const retryAfterMs = (header: string | null): number => Math.max(0, Number(header) * 1_000 || 0);
