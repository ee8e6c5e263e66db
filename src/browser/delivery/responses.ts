/** What the service's answers mean: for the event, and for the others. */
import { isSuccess, isTransient } from "../../shared/retry-policy.js";
import { report } from "../reporting.js";
import { getStored } from "../state/storage.js";
import { clear, fail, RETRY_AFTER } from "./backoff.js";
import { accept, health } from "./health.js";
import { isGone, type Request } from "./in-flight.js";
import { owns } from "./ownership.js";
import { countWaiting, deliver, drop, enlist, forget, move, put, rows } from "./queue.js";
import { isOwn, type Row } from "./row.js";
import { PAUSE_MS, REFUSALS, UNPROVEN_TRIES, WELL_CEILING_MS, WELL_MS } from "./timings.js";
import { BEACON } from "./transport.js";

/** These say that the event is wrong; where every event meets them, the configuration is. */
const isRefused = (status: number): boolean => [400, 413, 422].includes(status);

/**
 * The event has failed, and goes behind the others.
 *
 * @param isEvents whether the event may be at fault itself
 * @returns whether it is, because another one was accepted since it failed last: it is dropped, or a suspect
 */
const judgeFailure = (row: Row, status: number, isEvents: boolean): boolean => {
  const { failures, failedAt = 0, tries = 0 } = row;
  const isAtFault = isEvents && failures > 0 && failedAt < health.acceptedAt;
  if (isAtFault && isRefused(status)) {
    drop(row, "rejected", `status ${status}`);
    return true;
  }
  // A proof of identity that the service refuses concerns its contact alone.
  const isUnproven = status === 422 && row.body.includes('"identity_proof"');
  row.tries = isUnproven ? UNPROVEN_TRIES : isAtFault || (isEvents && tries) ? tries + 1 : 0;
  row.failedAt = Date.now();
  // Where it is no longer this document's, another one may have delivered it.
  if (owns(row) && (isOwn(row) || getStored(row.key) !== undefined)) {
    row.failures++;
    row.handedOffAt = 0;
    put(row);
  }
  if (row.tries) move(row);
  // It has failed, so it is no longer taken for delivered.
  else enlist(row, true);
  return row.tries > 0;
};

/** Says what the answer means. A suspect is in no list after it. */
export const judge = (row: Row, { beganAt, outcome: [status, retryAfter, most] }: Request): void => {
  if (status > BEACON) health.answeredAt = Date.now();
  if (isSuccess(status)) {
    accept(beganAt);
    clear();
    deliver(row);
    health.most &&= most!;
    return;
  }
  if (row.isRemoved) forget(row);
  const isListed = rows.get(row.key) === row;
  if (status === BEACON && isListed) {
    row.handedOffAt = Date.now();
    put(row);
  }
  // What is cut off while the page is left may have arrived.
  if (status === BEACON || isGone) {
    if (isListed && row.handedOffAt) enlist(row);
    return;
  }
  const isFirst = !row.failedAt;
  // 408, 425, 429 and a `Retry-After` speak of the service, and never of the event.
  const isEvents = !retryAfter && (status >= 500 || !isTransient(status));
  if (isListed && judgeFailure(row, status, isEvents)) return;
  const isRefusal = isRefused(status);
  if (isRefusal && isFirst) health.refusals++;
  const isWrong = isRefusal ? health.refusals >= Math.min(REFUSALS, countWaiting()) : status && !isTransient(status);
  const isWell = Date.now() - health.acceptedAt < WELL_MS;
  const delay = isWrong ? PAUSE_MS : isWell ? Math.random() * WELL_CEILING_MS : 0;
  // Any other status of a wrong configuration speaks of the service as well.
  const culprit = isEvents && (isRefusal || !isWrong) ? row.key : "";
  fail(retryAfter ? RETRY_AFTER : culprit, beganAt, retryAfter || delay);
  if (isWrong && !health.isPaused) {
    health.isPaused = true;
    report("paused", `status ${status}`);
  }
};
