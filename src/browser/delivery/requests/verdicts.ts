/** What the service's answers mean: for the events of the request, for the others, and for those that it most likely has. */
import { attempt } from "../../../shared/attempt.js";
import { isSuccess, isTransient } from "../../../shared/retry-policy.js";
import { uptime } from "../../../shared/uptime.js";
import { report } from "../../reporting.js";
import { file, isUnchanged } from "../queue/look.js";
import { countWaiting, enlist, move, rows, undecided } from "../queue/queue.js";
import { isStamped, leaseLeft, type Row } from "../queue/row.js";
import { deliver, drop, put } from "../queue/stored.js";
import { LONG_LEASE_MS, PARTS, PAUSE_MS, REFUSALS, UNPROVEN_TRIES, WELL_CEILING_MS, WELL_MS } from "../timings.js";
import { clear, fail, isDown, keepOffer, offer, RETRY_AFTER } from "./pace.js";
import { isGone, type Request } from "./requests.js";
import { BEACON } from "./transport.js";

/** These say that the event is wrong; where every event meets them, the configuration is. */
const REFUSED = [400, 413, 422];

/** When the last request began that was accepted, as of `uptime`. */
let acceptedAt = Number.NEGATIVE_INFINITY;
/** Events that were refused since. */
let refusals = 0;
/** The event that has met another 4xx or a redirect since. */
let strange: string | undefined;
let isPaused = false;
/** May several events go in one request, where the service offers it? Not once their address has turned out to be none. */
export let takesLists = true;
/** There is no address of several events: a 404, a 405, or a redirect, whose status nobody can read. */
const NO_ADDRESS = [404, 405, 302];

/** A request that began then was accepted. */
export const accept = (beganAt: number): void => {
  refusals = 0;
  strange = undefined;
  isPaused = false;
  acceptedAt = Math.max(acceptedAt, beganAt);
};

/**
 * The request has failed, and its event goes behind the others.
 *
 * @param isAtFault whether the event is, because others were accepted: it is dropped, or a suspect, which is in no list
 * @returns whether it is
 */
const putBack = (row: Row, status: number, isAtFault: boolean): boolean => {
  // Another document may have it by now.
  if (rows.get(row.key) !== row || !isUnchanged(row)) return isAtFault;
  // A proof of identity that the service refuses concerns its contact alone.
  const isUnproven = status === 422 && row.body.includes('"identity_proof"');
  if (isAtFault && !isUnproven && REFUSED.includes(status)) {
    drop(row, "rejected", `status ${status}`);
    return true;
  }
  row.tries = isUnproven ? UNPROVEN_TRIES : isAtFault ? (row.tries ?? 0) + 1 : 0;
  row.failedAt = uptime();
  row.failures++;
  put(row, 0);
  if (row.tries) move(row);
  else enlist(row);
  return row.tries > 0;
};

/** Some of several are not stored: the body says of each what became of it. One that cannot be read says of none. */
const judgeEach = (several: Row[], text: string): void => {
  const told = attempt(() => JSON.parse(text) as { status: string }[]) ?? [];
  for (const [at, row] of several.entries()) {
    const word = `${told[at]?.status}`;
    row.most = 1;
    if (/stored|repeated/.test(word)) deliver(row);
    else putBack(row, word === "refused" ? 422 : 500, true);
  }
};

/** Says what the answer means. */
export const judge = ({ beganAt, claimed, several, outcome }: Request): void => {
  const [status, retryAfter, most, text] = outcome;
  const [first] = several as [Row];
  const { failures, failedAt, tries } = first;
  const { length } = several;
  for (const row of several) row.isUnderWay = false;
  const isAlone = length < 2;
  // Anything answers 200 to what it does not know: a page of the site, or a proxy that knows the address of one event alone.
  if (!isAlone && (isSuccess(status) ? !most : NO_ADDRESS.includes(status))) {
    takesLists = false;
    for (const row of several) if (rows.has(row.key)) enlist(row);
    return;
  }
  if (isSuccess(status)) {
    accept(beganAt);
    clear();
    if (isAlone) keepOffer(most!);
    if (status === 207 && !isAlone) judgeEach(several, text!);
    else several.forEach(deliver);
    return;
  }
  // What is cut off while the page is left may have arrived, as a beacon may. Its lease says what is to become of it.
  if (status === BEACON || isGone) return;
  const isRefusal = REFUSED.includes(status);
  const isFinal = status > 0 && !isTransient(status);
  // 408, 425, 429 and a `Retry-After` speak of the service, and never of the event.
  const isEvents = !retryAfter && (!status || status >= 500 || isFinal);
  // Has it failed again, although another one passed since?
  const isAtFault = isEvents && (!!tries || (failures > 0 && (failedAt ?? 0) < acceptedAt));
  // Several stay together, go on in parts, or one by one, where the service takes no several.
  for (const row of several)
    row.most = isFinal ? 1 : !isEvents ? length : isAtFault || !status ? Math.ceil(length / PARTS) : undefined;
  if (isFinal && !isAlone) {
    several.forEach(enlist);
    return;
  }
  if (several.filter((row) => putBack(row, status, isAtFault && isAlone))[0] || isAtFault) return;
  if (isRefusal && !failedAt) refusals++;
  // One alone is a culprit: a firewall dislikes its text. Not a second one, and not the only one twice.
  const isWrong = isRefusal
    ? refusals >= Math.min(REFUSALS, countWaiting())
    : isFinal && !!strange && (strange !== first.key || countWaiting() < 2);
  if (isFinal && !isRefusal) strange ??= first.key;
  const isWell = uptime() - acceptedAt < WELL_MS;
  const delay = isWrong ? PAUSE_MS : isWell ? Math.random() * WELL_CEILING_MS : 0;
  // Any other status of a wrong configuration speaks of the service as well.
  const culprit = isAlone && isEvents && (isRefusal || !isWrong) ? first.key : "";
  fail(retryAfter ? RETRY_AFTER : culprit, claimed, retryAfter || delay);
  if (isWrong && !isPaused) {
    isPaused = true;
    report("paused", `status ${status}`);
  }
};

/**
 * Decides about what the service most likely has. Until its lease is over the first news counts: if the service is down, it is sent
 * again, and its row says so to all; if a request is accepted that began later, it has arrived. Without news it has arrived, too, when
 * its lease is over. Only where the service drops repeats it is sent again then.
 *
 * @returns milliseconds until there is something to do
 */
export const decide = (): number => {
  let wait = Number.POSITIVE_INFINITY;
  for (const row of undecided) {
    const isLost = acceptedAt < row.undecidedAt! && isDown(-row.lease - LONG_LEASE_MS);
    const left = leaseLeft(row);
    if (left && !isLost) wait = Math.min(wait, left + 1);
    else if (isUnchanged(row)) {
      if (isLost) {
        put(row, -row.lease);
        file(row);
      } else if (offer && isStamped(row)) enlist(row);
      else deliver(row);
    }
  }
  return wait;
};
