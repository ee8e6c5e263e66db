/**
 * When something is sent. A round begins what may be sent, and sets one timer for the next round. Where nothing waits it sets
 * none, and nothing touches the storage.
 */
import { pause } from "../../shared/pause.js";
import { backOffMs, isSuccess } from "../../shared/retry-policy.js";
import { uptime } from "../../shared/uptime.js";
import { url } from "../config.js";
import { isHidden } from "../page.js";
import { guard, logError } from "../reporting.js";
import { isOpen } from "../state/storage.js";
import { due } from "./due.js";
import { trim } from "./queue/bounds.js";
import { lookWhenDue } from "./queue/look.js";
import { countWaiting, enlist, rows } from "./queue/queue.js";
import type { Row } from "./queue/row.js";
import { isPausing } from "./requests/pace.js";
import { inFlight, isGone, protect, send } from "./requests/requests.js";
import { ask, isAsking, release } from "./requests/turn.js";
import { decide, judge } from "./requests/verdicts.js";
import { FRAME_MS, SUSPECT_TRIES } from "./timings.js";

let timer: ReturnType<typeof setTimeout> | undefined;
/** When the next round comes, as of `uptime`. */
let nextAt = 0;
/** Does a round come after the next frame? */
let isComing = false;
/** Is there a reason not to wait for the back-off? It holds until a request has begun. */
let mayProbeEarly = true;

const arm = (delay: number): void => {
  clearTimeout(timer);
  // Whole milliseconds: a round that comes too early finds nothing to do.
  timer = setTimeout(() => round(), Math.ceil(delay));
};

/** A request has ended, or the turn was granted. Once the page is left, nothing more is begun. */
const again = (): void => {
  if (!isGone) round();
};

/** A suspect waits by itself, in no list. */
const wait = async (row: Row, tries: number): Promise<void> => {
  await pause(backOffMs(Math.max(1, tries - SUSPECT_TRIES + 1)));
  if (rows.get(row.key) !== row) return;
  enlist(row);
  again();
};

/** Sends these events in one request, and has the outcome judged. */
const carry = async (several: Row[], isOut: boolean): Promise<void> => {
  const request = await send(several, isOut);
  const [status, , , , ended] = request.outcome;
  // One that was forgotten at a return of the page says nothing any more, but that its events were accepted.
  const isKnown = inFlight.has(request);
  // It keeps its place and its bytes until its body has ended.
  if (ended)
    ended.then(() => {
      inFlight.delete(request);
      again();
    });
  else inFlight.delete(request);
  // In the same task as it ends: until then nobody else may send the events.
  if (isKnown || isSuccess(status)) judge(request);
  request.several = [];
  for (const one of several) if (one.tries) wait(one, one.tries);
};

const maySend = (): boolean => !!url && isOpen();

const step = (isLeaving: boolean): void => {
  clearTimeout(timer);
  isComing = false;
  const isOut = isGone || isHidden();
  let wait = Math.min(decide(), !isOut && maySend() ? lookWhenDue() : Number.POSITIVE_INFINITY);
  trim();
  if (countWaiting() && maySend()) {
    const left = due(isOut, isLeaving, mayProbeEarly, (several) => {
      mayProbeEarly = false;
      carry(several, isOut).catch(logError).then(again);
    });
    wait = Math.min(wait, left || ask(again));
  }
  wait = Math.min(wait, protect(isOut));
  // In a back-off it ends by itself.
  if (!countWaiting()) release();
  nextAt = uptime() + wait;
  if (!isGone && wait < Number.POSITIVE_INFINITY) arm(wait);
};

/**
 * More may be sent now.
 *
 * @param isLeaving whether the page is being hidden or left in this moment
 */
export const round = (isLeaving = false): void => guard(() => step(isLeaving));

/** There is a reason not to wait for the back-off. */
export const hurry = (): void => {
  mayProbeEarly = true;
  round();
};

/** An event was added: it is sent after the next frame, which a click waits for, or, out of sight, when the script has ended. */
export const wake = (): void => {
  mayProbeEarly ||= isPausing();
  if (isComing) return;
  isComing = true;
  arm(FRAME_MS - 1);
  // Timers of a page that is out of sight come late, or never.
  if (isHidden() || isGone) queueMicrotask(round);
  else requestAnimationFrame(() => guard(() => isComing && arm(0)));
};

/** Is anything under way that may let more go, or does an attempt come before `end`? */
export const isBusy = (end: number): boolean => inFlight.size > 0 || isAsking() || (countWaiting() > 0 && nextAt < end);
