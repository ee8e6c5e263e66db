/** What the service's answers mean: for the events of the request, for the others, and for those that it most likely has. */
import { backOffMs, isSuccess, isTransient } from "../../shared/retry-policy.js";
import { report } from "../reporting.js";
import { get } from "../state/storage.js";
import { backoff, clear, fail, isCause, isDown, isKnown, keepOffer, ONE, PAUSE_MS, RETRY_AFTER } from "./back-off.js";
import { countWaiting, deliver, drop, enlist, leased, NEVER, put, rows } from "./queue.js";
import { BEACON, isGone, type Request } from "./requests.js";
import { LONG_LEASE_MS, LONGEST_WAIT_MS, leaseLeft, type Row } from "./row.js";
import { file, isUnchanged } from "./tabs.js";

/** These say that the event is wrong; where every event meets them, the configuration is. */
const REFUSED = [400, 413, 422];
/** Not all of several are stored (RFC 4918 §11.1). */
const SOME = 207;
/** Once so many different events are refused, the configuration is wrong, and not the events. */
const REFUSALS = 8;
/** Several that fail go on in so many parts. */
const PARTS = 8;
/** While a success is younger than the first, the service is well, and its back-off no longer than the second. */
const WELL_MS = 30_000;
const WELL_CEILING_MS = 2_000;

/** May several events go in one request, where the service offers it? Not once their address has turned out to be none. */
export let takesLists = true;
/** When the last request began that was accepted, in epoch milliseconds. */
let acceptedAt = 0;
/** The events that were refused since, or met another 4xx or a redirect; and an empty key once that was told. */
const refused = new Set<string>();

/** @param time when the request began that was accepted, in epoch milliseconds */
export const accept = (time: number): void => {
  refused.clear();
  acceptedAt = time;
};

/**
 * The request has failed, and its event goes behind the others; or, where it is the cause itself, it is dropped, or waits by its own
 * lease.
 */
const putBack = (row: Row, status: number, isAtFault: boolean): void => {
  // Another document may have it by now.
  if (!isUnchanged(row)) return;
  // A proof of identity that the service refuses concerns its contact alone.
  if (isAtFault && REFUSED.includes(status) && !isUnproven(row, status)) drop(row, "rejected", `status ${status}`);
  else {
    row.failures++;
    const wait = isUnproven(row, status) ? LONGEST_WAIT_MS : backOffMs(row.failures / 4);
    put(row, isAtFault ? Date.now() + Math.ceil(wait) : 0);
    file(row);
  }
};

const isUnproven = ({ body }: Row, status: number): boolean => status === 422 && body.includes('"identity_proof"');

export const judge = ({ time, several, outcome: [status, retryAfter, most] }: Request): void => {
  const { length } = several;
  const isAlone = length < 2;
  const isFinal = status > 1 && !isTransient(status);
  // Anything answers 200 to what it does not know: a page of the site, or a proxy that knows the address of one event alone.
  if (isSuccess(status) && (isAlone || most)) {
    accept(time);
    clear();
    keepOffer(most!);
    if (isAlone || status !== SOME) {
      several.forEach(deliver);
      return;
    }
  }
  // What was forgotten meanwhile, as at a return of the page, says nothing any more.
  const held = several.filter((row) => rows.get(row.key) === row);
  const [first] = held;
  // What is cut off while the page is left may have arrived, as a beacon may. Its lease says what is to become of it.
  if (status === BEACON || isGone || !first) return;
  // Each is asked for by itself: what is stored already is dropped as a repeat.
  if (!isAlone && isFinal) {
    takesLists &&= !!most;
    for (const row of held) {
      row.most = 1;
      enlist(row);
    }
    return;
  }
  // 408, 425, 429 and a `Retry-After` speak of the service, and never of the event.
  const isEvents = !retryAfter && (!status || status >= 500 || isFinal);
  // Several stay together, go on in parts, or one by one, where the service takes no several.
  const atOnce = isEvents ? Math.ceil(length / PARTS) : length;
  const isAtFault = isEvents && (isCause(first) || isUnproven(first, status));
  const { failures } = first;
  for (const row of held) {
    row.most = atOnce;
    putBack(row, status, isAtFault && isAlone);
  }
  if (isAtFault) return;
  const isRefusal = REFUSED.includes(status);
  // One alone is a culprit: a firewall dislikes its text. Not a second one, and not the only one twice.
  const isWrong =
    isFinal &&
    refused.add(first.key).size >= Math.min(isRefusal ? REFUSALS : 2, countWaiting()) &&
    (isRefusal || failures > 0 || refused.size > 1);
  const isWell = Math.abs(Date.now() - acceptedAt) < WELL_MS;
  const delay = isWrong ? PAUSE_MS : isWell ? Math.random() * WELL_CEILING_MS : 0;
  // Any other status of a wrong configuration speaks of the service as well.
  const isOne = isAlone && isEvents && (isRefusal || !isWrong) && (!backoff || (failures && backoff[3] === ONE));
  fail(retryAfter ? RETRY_AFTER : isOne ? ONE : "", time, retryAfter || delay);
  if (isWrong && !refused.has("")) {
    refused.add("");
    report("paused", `status ${status}`);
  }
};

/**
 * Reads rows again whose lease is over. For what the service most likely has the first news counts until then: if the service is
 * down, it is sent again, and its row says so to all; if a request is accepted that began later, it has arrived. Without news it
 * has arrived, too, unless the service drops repeats: then it is sent again.
 *
 * @returns milliseconds until there is something to do
 */
export const decide = (): number => {
  let wait = NEVER;
  for (const row of leased) {
    if (row.isLost && !leaseLeft(row)) {
      row.isLost = false;
      if (get(row.key) === undefined) put(row, Date.now() + LONG_LEASE_MS);
    }
    const left = leaseLeft(row);
    const time = -row.lease - LONG_LEASE_MS;
    const hasFailed = acceptedAt < time && isDown(time);
    if (left) wait = Math.min(wait, left + 1);
    if ((!left || hasFailed) && isUnchanged(row)) {
      if (left) {
        row.isAgain = true;
        put(row, -row.lease);
      } else if (row.lease >= 0 || hasFailed || isKnown(row)) enlist(row);
      else deliver(row);
    }
  }
  return wait;
};
