/**
 * When something is sent. A round begins what may be sent, and sets one timer for the next round. Where nothing waits it sets
 * none, and nothing touches the storage.
 */
import { url } from "../config.js";
import { isHidden } from "../page.js";
import { guard } from "../reporting.js";
import { consent } from "../state/consent.js";
import { trim } from "./bounds.js";
import { handOff, judgeMarks } from "./hand-off.js";
import { inFlight, isGone } from "./in-flight.js";
import { join } from "./look.js";
import { isAsking, release } from "./ownership.js";
import { countWaiting } from "./queue.js";
import { beginRequests } from "./sender.js";
import { FRAME_MS } from "./timings.js";

const next = {
  timer: undefined as ReturnType<typeof setTimeout> | undefined,
  /** Does a round come after the next frame? */
  isComing: false,
  /** Is there a reason not to wait for the back-off? It holds until a request has begun. */
  mayProbeEarly: true,
};

const arm = (delay: number): void => {
  clearTimeout(next.timer);
  // Whole milliseconds: a round that comes too early finds nothing to do.
  next.timer = setTimeout(() => round(), Math.ceil(Math.max(0, delay)));
};

const step = (isLeaving: boolean): void => {
  clearTimeout(next.timer);
  next.isComing = false;
  const isOut = isGone || isHidden();
  const isOpen = consent === "granted" && !!url;
  let wait = isOpen && !isOut ? join() : Number.POSITIVE_INFINITY;
  judgeMarks();
  trim();
  if (isOpen && countWaiting()) {
    const open = inFlight.size;
    const { mayProbeEarly } = next;
    wait = Math.min(wait, beginRequests({ isOut, isLeaving, mayProbeEarly, then }));
    next.mayProbeEarly &&= inFlight.size === open;
  }
  if (isOut) handOff(isLeaving);
  release();
  if (!isGone && wait < Number.POSITIVE_INFINITY) arm(wait);
};

/** A request has ended, or a lock was granted. After the page was left, only what the answer says counts. */
const then = (judgeOutcome?: () => void): void =>
  guard(() => {
    judgeOutcome?.();
    if (!isGone) step(false);
  });

/**
 * Something may let events go.
 *
 * @param isLeaving whether the page is being hidden or left in this moment
 */
export const round = (isLeaving = false): void => guard(() => step(isLeaving));

/** There is a reason not to wait for the back-off. */
export const hurry = (): void => {
  next.mayProbeEarly = true;
  round();
};

/** An event was added: it is sent after the next frame, which a click waits for, or, out of sight, when the script has ended. */
export const wake = (): void => {
  if (next.isComing) return;
  next.isComing = true;
  arm(FRAME_MS - 1);
  // Timers of a page that is out of sight come late, or never.
  if (isHidden() || isGone) queueMicrotask(round);
  else requestAnimationFrame(() => guard(() => next.isComing && arm(0)));
};

/** Is anything under way that may let more go? */
export const isBusy = (): boolean => inFlight.size > 0 || isAsking();
