/** Sends what is queued, oldest first. An event leaves the queue only on a verdict. */

import { isSuccess } from "../../shared/retry-policy.js";
import { isHidden } from "../page.js";
import type { BackOff } from "./backoff.js";
import { bytesOf, tabOf, timeOf } from "./event-key.js";
import { createFlight, KEEPALIVE_BYTES } from "./in-flight.js";
import type { Queue } from "./queue.js";
import type { Verdict } from "./responses.js";
import { RENEW_MS, type Tabs } from "./tabs.js";
import type { Transport } from "./transport.js";

/** Without keepalive a request waits this long, in milliseconds, so that a click that leaves the page ends in a beacon. */
const BEACON_CHANCE_MS = 1_000;

/**
 * @param mayBegin whether anything may be sent now
 * @param complete gives the body of an event as it is to be sent, or nothing while it cannot be
 */
export const createSender = (
  queue: Queue,
  tabs: Tabs,
  backOff: BackOff,
  { canKeepAlive, post }: Transport,
  verdict: Verdict,
  mayBegin: () => boolean,
  complete: (key: string, body: string) => string | undefined,
  isStamped: boolean,
) => {
  const { rows, handedOff } = queue;
  const flight = createFlight(canKeepAlive);
  const idle = canKeepAlive ? RENEW_MS : BEACON_CHANCE_MS;
  /** Requests begun, and the last of them before the page was left, and before events were handed over. */
  let begun = 0;
  let left = 0;
  let handedOver = 0;
  let adoptions = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Another round comes by itself: in the next task, with an answer, or after the back-off. */
  let isComing = false;
  /** There is a reason not to wait for the back-off, until a request has begun. */
  let isUrgent = true;
  /** Between `pagehide` and `pageshow`. */
  let isGone = false;

  const send = async (key: string, body: string, kept: number, seen: string): Promise<void> => {
    const request = ++begun;
    isUrgent = false;
    flight.begin(key, kept);
    const outcome = await post(body, !!kept);
    flight.end(key);
    // A request that is cut off while the page is left may have arrived.
    if (isSuccess(outcome[0]) || !(isGone || (request <= left && !outcome[0])))
      verdict.judge(key, outcome, request, seen, request > handedOver);
    hear();
  };
  /** Takes over what dead tabs and earlier pages have queued. */
  const adopt = (): void => {
    adoptions++;
    tabs.adopt(
      (tab) => {
        handedOver = begun;
        queue.load(tab);
        // Handed off or not, nothing is taken for delivered while the service fails.
        if (backOff.state()) queue.retract();
      },
      () => {
        adoptions--;
        hear();
      },
    );
  };
  /** Goes on as another tab, which adopts what this one has stored, if nobody else does. */
  const restart = (): void => {
    queue.release();
    tabs.restart();
    adopt();
  };

  /** Begins what may be sent now, oldest first. */
  const pump = (forward?: boolean): void => {
    isComing = false;
    isUrgent ||= !!forward;
    const isOpen = mayBegin();
    if (rows.size && !tabs.hold())
      if (isGone) queue.forgo();
      else restart();
    tabs.lost().forEach(queue.release);
    queue.trim();
    const isOut = isGone || isHidden();
    const isProbe = !!backOff.state();
    for (const [key, text] of isOpen ? rows : []) {
      isComing = flight.isFull(isOut) || (isProbe && (isGone || backOff.wait(isUrgent) > 0));
      if (isComing) break;
      const isYoung =
        !canKeepAlive && !isOut && !forward && tabOf(key) === tabs.id() && Date.now() - timeOf(key) < BEACON_CHANCE_MS;
      const body = flight.requests.has(key) || isYoung || handedOff.has(key) ? "" : complete(key, text);
      if (!body) continue;
      const size = bytesOf(body);
      const fits = size <= flight.room();
      if (!fits && (isOut || size <= KEEPALIVE_BYTES)) continue;
      const kept = fits && (isOut || (canKeepAlive && !isProbe)) ? size : 0;
      send(key, body, kept, isProbe ? backOff.claim() : "");
      if (isProbe) break;
    }
    clearTimeout(timer);
    if (isGone) handOver();
    else if (rows.size) timer = setTimeout(hear, Math.min(idle, backOff.wait(isUrgent) || idle));
    else tabs.finish();
  };
  /** The page is left: tells the next one what is in flight, and that the rest is free. */
  const handOver = (): void => {
    left = handedOver = begun;
    queue.leave(!isStamped && !backOff.state() && navigator.onLine, flight.requests);
    tabs.leave(rows.size > 0);
  };
  /** Something may let events go. */
  const hear = (forward?: boolean): void => {
    if (!isGone) pump(forward);
  };

  return {
    hear,
    adopt,
    isBusy: (): boolean => flight.requests.size > 0 || adoptions > 0,
    leave: (): void => {
      isGone = true;
      pump();
    },
    /** The page is back from the back/forward cache. */
    restore: (): void => {
      isGone = false;
      restart();
      hear(true);
    },
    /** An event was queued: it is sent in the next task, or at once where there may be none. */
    wake: (): void => {
      if (rows.size === 1) tabs.touch();
      const isDoubtful = verdict.preferNew();
      isUrgent ||= isDoubtful;
      if (isGone || isHidden()) pump();
      else if (!isComing || isDoubtful) {
        isComing = true;
        setTimeout(hear, canKeepAlive ? 0 : idle);
      }
    },
  };
};
