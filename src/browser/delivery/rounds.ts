/**
 * When something is sent. A round begins what may be sent, and sets one timer for the next round. Where nothing waits it sets
 * none, and nothing touches the storage.
 */
import { pause } from "../../shared/pause.js";
import { backOffMs, isSuccess } from "../../shared/retry-policy.js";
import { url } from "../config.js";
import { isHidden } from "../page.js";
import { guard, log } from "../reporting.js";
import { isOpen } from "../state/storage.js";
import { backoff } from "./backoff.js";
import { trim } from "./bounds.js";
import { due } from "./due.js";
import { handOff, judgeMarks } from "./hand-off.js";
import { inFlight, isGone } from "./in-flight.js";
import { lookWhenDue } from "./look.js";
import { ask, isAsking, release } from "./ownership.js";
import { countWaiting, enlist, rows } from "./queue.js";
import { judge } from "./responses.js";
import type { Row } from "./row.js";
import { send } from "./sender.js";
import { FRAME_MS, REFUSED_MS, SUSPECT_TRIES } from "./timings.js";

const next = {
  timer: undefined as ReturnType<typeof setTimeout> | undefined,
  /** Does a round come after the next frame? */
  isComing: false,
  /** Is there a reason not to wait for the back-off? It holds until a request has begun. */
  mayProbeEarly: true,
};

/** When the next round comes, by a clock that nobody sets. */
let nextAt = 0;

const arm = (delay: number): void => {
  clearTimeout(next.timer);
  // Whole milliseconds: a round that comes too early finds nothing to do.
  next.timer = setTimeout(() => round(), Math.ceil(delay));
};

/** A request has ended, or a lock was granted. Once the page is left, nothing more is begun. */
const again = (): void => {
  if (!isGone) round();
};

/** Sends one event, and has its outcome judged. */
const carry = async (row: Row, isOut: boolean): Promise<void> => {
  const request = await send(row, isOut);
  const isKnown = inFlight.get(row) === request;
  // One that was forgotten at a return of the page says nothing any more, but that its event was accepted.
  if (!isKnown && !isSuccess(request.outcome[0])) return;
  // In the same task as it is judged: until then nobody else may send the event.
  if (isKnown) inFlight.delete(row);
  for (const one of request.several) guard(() => judge(one, request));
  again();
  if (rows.get(row.key) !== row || row.list) return;
  // A suspect waits by itself, in no list.
  await pause(backOffMs(Math.max(1, row.tries! - SUSPECT_TRIES + 1)));
  if (rows.get(row.key) === row) enlist(row);
  again();
};

const maySend = (): boolean => !!url && isOpen();

const step = (isLeaving: boolean): void => {
  clearTimeout(next.timer);
  next.isComing = false;
  const isOut = isGone || isHidden();
  let wait = !isOut && maySend() ? lookWhenDue() : Number.POSITIVE_INFINITY;
  judgeMarks();
  trim();
  if (countWaiting() && maySend()) {
    const { mayProbeEarly } = next;
    for (const one of due({ isOut, isLeaving, mayProbeEarly }))
      if (typeof one === "number") wait = Math.min(wait, one);
      else if (typeof one === "string") {
        wait = Math.min(wait, REFUSED_MS);
        ask(one).then(again);
      } else {
        next.mayProbeEarly = false;
        carry(one, isOut).catch((error) => log("error", `${error}`));
      }
  }
  if (isOut) handOff(isLeaving);
  release();
  nextAt = performance.now() + wait;
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

/** Is anything under way that may let more go, or does an attempt of the service come before `end`? */
export const isBusy = (end: number): boolean => inFlight.size > 0 || isAsking() || (!!backoff && nextAt < end);
