/** What the service's answers mean: for the event, and for the others. */
import { backOffMs, isSuccess, isTransient } from "../../shared/retry-policy.js";
import { report } from "../reporting.js";
import { getStored } from "../state/storage.js";
import { clear, fail, RETRY_AFTER } from "./backoff.js";
import { isGone, type Request } from "./in-flight.js";
import { owns } from "./ownership.js";
import { deliver, drop, enlist, enlistMark, forget, handedOff, put, rows, unaddressed } from "./queue.js";
import { isOwn, type Row } from "./row.js";
import { PAUSE_MS, REFUSALS, SUSPECT_TRIES, WELL_CEILING_MS, WELL_MS } from "./timings.js";
import { BEACON, type Outcome } from "./transport.js";

/** What this page knows of the service. */
export const health = {
  /** When the last request began that was accepted; the same by a clock that nobody sets. */
  acceptedAt: 0,
  acceptedSince: Number.NEGATIVE_INFINITY,
  /** Events that were refused since. */
  refusals: 0,
  isPaused: false,
};

const accept = (beganAt: number, openSince: number): void => {
  health.acceptedAt = Math.max(health.acceptedAt, beganAt);
  health.acceptedSince = Math.max(health.acceptedSince, openSince);
};

/** Another tab has seen the service accept an event. */
export const noteSuccess = (): void => accept(Date.now(), performance.now());

/** These say that the event is wrong; where every event meets them, the configuration is. */
const isRefused = (status: number): boolean => [400, 413, 422].includes(status);

/**
 * The event has failed, and goes behind the others.
 *
 * @param isEvents whether the event may be at fault itself
 * @returns whether it is: another one was accepted since it failed last
 */
const judgeFailure = (row: Row, status: number, isEvents: boolean): boolean => {
  const { failures, failedAt = 0, wasRefused, tries = 0 } = row;
  const isAtFault = isEvents && failures > 0 && failedAt < health.acceptedSince;
  row.wasRefused = isRefused(status);
  if (isAtFault && wasRefused && row.wasRefused) {
    drop(row, `status ${status}`);
    return true;
  }
  row.tries = isAtFault || (isEvents && tries) ? tries + 1 : 0;
  row.failedAt = performance.now();
  row.dueAt = row.tries && row.failedAt + backOffMs(Math.max(1, row.tries - SUSPECT_TRIES + 1));
  // Where it is no longer this document's, another one may have delivered it.
  if (owns(row) && (isOwn(row) || getStored(row.key) !== undefined)) {
    row.failures++;
    row.handedOffAt = 0;
    put(row);
  }
  enlist(row);
  return row.tries > 0;
};

export const judge = (row: Row, request: Request, [status, retryAfter]: Outcome): void => {
  if (isSuccess(status)) {
    accept(request.beganAt, request.openSince);
    health.refusals = 0;
    health.isPaused = false;
    clear();
    deliver(row);
    return;
  }
  const isListed = rows.get(row.key) === row;
  if (status === BEACON && isListed) {
    row.handedOffAt = Date.now();
    put(row);
  }
  // What is cut off while the page is left may have arrived.
  if (status === BEACON || isGone || (request.isCut && !status)) {
    if (isListed && row.handedOffAt) enlistMark(row);
    return;
  }
  const isFirst = !row.failedAt;
  // 408, 425, 429 and a `Retry-After` speak of the service, and never of the event.
  const isEvents = !retryAfter && (status >= 500 || !isTransient(status));
  if (row.isRemoved) forget(row);
  else if (isListed && judgeFailure(row, status, isEvents)) return;
  const isRefusal = isRefused(status);
  if (isRefusal && isFirst) health.refusals++;
  const waiting = rows.size - unaddressed.size - handedOff.size;
  const isWrong = isRefusal ? health.refusals >= Math.min(REFUSALS, waiting) : status && !isTransient(status);
  const isWell = performance.now() - health.acceptedSince < WELL_MS;
  const delay = isWrong ? PAUSE_MS : isWell ? Math.random() * WELL_CEILING_MS : 0;
  // Any other status of a wrong configuration speaks of the service as well.
  const culprit = isEvents && (isRefusal || !isWrong) ? row.key : "";
  fail(retryAfter ? RETRY_AFTER : culprit, request, retryAfter || delay);
  if (!isWrong || health.isPaused) return;
  health.isPaused = true;
  report("paused", `status ${status}`);
};
