/** What the service's answers mean: for the event, for the others, and for what was handed off. */
import { backOffMs, isSuccess, isTransient } from "../../shared/retry-policy.js";
import { report } from "../reporting.js";
import { get, set } from "../state/storage.js";
import { clear, downSince, fail, RETRY_AFTER } from "./backoff.js";
import { asFailed, bodyOf, hasFailed, markedAt, withMark } from "./event-key.js";
import { inFlight, isGone, type Request } from "./in-flight.js";
import { deliver, drop, put, rows } from "./queue.js";
import { isOver, letGo } from "./tabs.js";
import { BEACON, type Outcome } from "./transport.js";

/** A service that refuses every event is asked again after this time, in milliseconds. */
const PAUSE_MS = 300_000;
/** So many different events refused, and it is not the events that are wrong. */
const REFUSALS = 8;
/** The back-off of a suspect stays short for so many tries. */
const SUSPECT_TRIES = 6;
/** While a success is younger than the first, the service is well, and its back-off no longer than the second. Milliseconds. */
const WELL_MS = 30_000;
const WELL_CEILING_MS = 2_000;
/** For so long, in milliseconds, a mark is judged by the requests that begin. */
const MARK_MS = 20_000;

interface Failure {
  /** When it failed last, and when it may be tried again, by a clock that nobody sets. */
  at: number;
  until: number;
  /** Was it refused, or did it meet another failure? */
  isRefusal: boolean;
  /** Attempts since it is a suspect. */
  tries: number;
}

/** Events that have failed in this page. */
export const failures = new Map<string, Failure>();
/** When the last request began that was accepted. */
let acceptedAt = 0;
/** The same by a clock that nobody sets. */
let acceptedSince = 0;
/** Events that were refused since. */
let refusals = 0;
let isPaused = false;

/** Another tab has seen the service accept an event. */
export const noteSuccess = (): void => {
  acceptedAt = Date.now();
  acceptedSince = performance.now();
};

/** Does the time lie in that in which requests judge the mark? */
const judges = (beganAt: number, mark: number): boolean => beganAt >= mark && beganAt - mark < MARK_MS;

/**
 * What was handed off is sent again once two different events have failed, and counts as delivered once a later request was
 * accepted, or nobody is left to judge it.
 */
export const judgeMarks = (): void => {
  for (const [key, text] of rows) {
    const mark = markedAt(text);
    if (!mark || letGo(key)) continue;
    const isOpen = [...inFlight.values()].some(({ beganAt }) => judges(beganAt, mark));
    if (downSince() - mark < MARK_MS) put(key, bodyOf(text));
    else if (judges(acceptedAt, mark) || (isOver(mark, MARK_MS) && !isOpen)) deliver(key);
  }
};

export const judge = (key: string, request: Request, [status, retryAfter]: Outcome): void => {
  if (isSuccess(status)) {
    acceptedAt = Math.max(acceptedAt, request.beganAt);
    acceptedSince = Math.max(acceptedSince, request.openSince);
    refusals = 0;
    isPaused = false;
    failures.delete(key);
    clear();
    deliver(key);
    return;
  }
  const text = get(key);
  if (status === BEACON && text) rows.set(key, withMark(text));
  // What is cut off while the page is left may have arrived.
  if (status === BEACON || isGone || (request.isCut && !status)) return;
  // 408, 425, 429 and a `Retry-After` speak of the service, and never of the event.
  const isEvents = !retryAfter && (status >= 500 || !isTransient(status));
  /** These say that the event is wrong; where every event meets them, the configuration is. */
  const isRefusal = [400, 413, 422].includes(status);
  const { at: failedAt = 0, isRefusal: wasRefusal, tries: before = 0 } = failures.get(key) ?? ({} as Partial<Failure>);
  // Its mark goes, also where this tab has left the event to the storage.
  if (text) set(key, asFailed(text));
  if (text && rows.delete(key)) {
    // Behind all others.
    rows.set(key, asFailed(text));
    // It fails although another one was accepted since: it is at fault itself, and a suspect until it is accepted.
    const isAtFault = isEvents && hasFailed(text) && failedAt < acceptedSince;
    if (isAtFault && isRefusal && wasRefusal) {
      drop(key, `status ${status}`);
      return;
    }
    const tries = isAtFault || (isEvents && before) ? before + 1 : 0;
    const at = performance.now();
    failures.set(key, { at, isRefusal, tries, until: tries && at + backOffMs(Math.max(1, tries - SUSPECT_TRIES)) });
    if (tries) return;
  }
  if (isRefusal && !failedAt) refusals++;
  const isWrong = isRefusal ? refusals >= Math.min(REFUSALS, rows.size) : status && !isTransient(status);
  const short = isOver(acceptedAt, WELL_MS) ? 0 : Math.random() * WELL_CEILING_MS;
  // Any other status of a wrong configuration speaks of the service as well.
  const culprit = isEvents && (isRefusal || !isWrong) ? key : "";
  fail(retryAfter ? RETRY_AFTER : culprit, request, retryAfter || (isWrong ? PAUSE_MS : short));
  if (!isWrong || isPaused) return;
  isPaused = true;
  report("paused", `status ${status}`);
};
