/** Begins requests for what may be sent now. An event leaves the queue only when its request was judged. */
import { attempt } from "../../shared/attempt.js";
import { config, isOn } from "../config.js";
import { set } from "../state/storage.js";
import { claim, known, state, waitFor } from "./backoff.js";
import { bodyOf, hasFailed, isReady, sizeOf, tabOf, withMark } from "./event-key.js";
import { forgetLost, inFlight, isFull, isGone, KEEPALIVE_BYTES, noteEnd, openFor, room, SLOW_MS } from "./in-flight.js";
import { rows } from "./queue.js";
import { failures, judge } from "./responses.js";
import { isClaiming, letGo, me, RENEW_MS } from "./tabs.js";
import { BEACON, nextTask, post } from "./transport.js";

/** A request open for this long when the page is left, in milliseconds, says that the service may hang. */
const HANGS_MS = 3_000;

/** Called when a request has ended, with what judges its outcome. */
type WhenEnded = (judgeOutcome: () => void) => void;

const send = async (key: string, text: string, kept: number, then: WhenEnded): Promise<void> => {
  if (known) claim(key);
  const request = { beganAt: Date.now(), openSince: performance.now(), backoff: known, kept, isCut: isGone };
  inFlight.set(key, request);
  const outcome = await post(bodyOf(text), kept > 0);
  noteEnd(request, outcome[0] > BEACON);
  const judgeOutcome = (): void => judge(key, request, outcome);
  if (outcome[0] === BEACON) {
    // While the page is being left, each beacon counts among what is in flight.
    attempt(judgeOutcome);
    await nextTask();
  }
  // One that was forgotten says nothing any more: another request may stand in its place.
  if (inFlight.get(key) !== request) return;
  inFlight.delete(key);
  then(judgeOutcome);
};

/** Those come first that have not failed, and of these the page's own; last, what has failed last. */
const byPromise = (): [string, string][] => {
  const rank = ([key, text]: [string, string]): number => (hasFailed(text) ? 2 : 0) + (tabOf(key) === me ? 0 : 1);
  return [...rows].sort((one, other) => rank(one) - rank(other));
};

/**
 * @param isOut whether the page is out of sight: it may be over soon
 * @param mayProbeEarly whether there is a reason not to wait for the back-off
 * @returns milliseconds until more may be sent
 */
export const beginRequests = (isOut: boolean, mayProbeEarly: boolean, then: WhenEnded): number => {
  forgetLost();
  const isProbe = !!state();
  let next = RENEW_MS;
  for (const [key, text] of isProbe || failures.size ? byPromise() : rows) {
    if (!isReady(text) || inFlight.has(key)) continue;
    const ownWait = (failures.get(key)?.until ?? 0) - performance.now();
    const wait = isFull(isOut) ? SLOW_MS : waitFor(key, mayProbeEarly);
    next = Math.min(next, Math.max(wait, ownWait) || next);
    // The marks of dead tabs are judged by the failures so far, which a probe's success clears: those events are taken over first.
    if (wait || (isProbe && (isGone || isClaiming()))) break;
    if (ownWait > 0 || letGo(key)) continue;
    const size = sizeOf(text);
    const fits = size <= room();
    if (!fits && (isOut || size <= KEEPALIVE_BYTES)) continue;
    // Beacons, where there is no keepalive, are for pages that may be over soon. While something hangs, a new request is bound
    // to the page: Chromium holds one with keepalive open for 30 s after it was given up, and with it one of six connections.
    const outlives = fits && (isOut || (!isProbe && !openFor(SLOW_MS) && "keepalive" in Request.prototype));
    send(key, text, outlives ? size : 0, then).catch(() => {});
    if (isProbe) break;
  }
  return next;
};

/** The page may be over: notes of what is in flight that the service most likely has it, if nothing speaks against it. */
export const handOff = (): void => {
  const isLikely = !isOn(config.stamp) && !state() && navigator.onLine && !openFor(HANGS_MS);
  for (const [key, { kept }] of inFlight) {
    const body = rows.get(key);
    if (body) set(key, isLikely && kept && !hasFailed(body) ? withMark(body) : body);
  }
};
