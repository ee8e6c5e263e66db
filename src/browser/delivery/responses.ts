/** What the service's answers mean for the queue and the back-off. */

import { isSuccess, isTransient } from "../../shared/retry-policy.js";
import type { Problem } from "../../types.js";
import type { BackOff } from "./backoff.js";
import type { Queue } from "./queue.js";
import type { Outcome } from "./transport.js";

/** A service that refuses every event is asked again after this time, in milliseconds. */
const PAUSE_MS = 300_000;
/** So many refusals without one event accepted, and it is not the events that are wrong. */
const REFUSALS = 8;

/** These say that the event is wrong; where every event meets them, the token is. */
const isRefusal = (status: number): boolean => [400, 413, 422].includes(status);

export const createVerdict = (
  queue: Queue,
  backOff: BackOff,
  report: (code: Problem["code"], detail: string) => void,
) => {
  /** Events that the service refused, with the number of the request that met it first. */
  const refused = new Map<string, number>();
  /** The latest request that the service accepted. */
  let accepted = 0;
  let refusals = 0;
  /** The status that stopped all events; 0 otherwise. */
  let pausedBy = 0;

  /** Stops all events. */
  const pause = (status: number): void => {
    backOff.pause(PAUSE_MS);
    queue.retract();
    if (!pausedBy) report("paused", `status ${status}`);
    refusals = 0;
    pausedBy = status;
  };

  return {
    /**
     * @param request the number of the request
     * @param seen the back-off when it began
     * @param speaksForAll whether it began after the events that were handed off: its success is theirs
     */
    judge: (key: string, [status, retryAfter]: Outcome, request: number, seen: string, speaksForAll: boolean): void => {
      if (isSuccess(status)) {
        accepted = request;
        refusals = pausedBy = 0;
        backOff.clear();
        queue.deliver(key);
        if (speaksForAll) queue.handedOff.forEach(queue.deliver);
      } else if (!status || isTransient(status)) {
        backOff.fail(seen, retryAfter);
        queue.retract();
      } else if (queue.rows.has(key))
        if (isRefusal(status) && refused.get(key)! < accepted) queue.drop(key, "rejected", `status ${status}`);
        else {
          // The first mark stays: what was accepted since then shows that it is the event.
          if (!refused.has(key)) refused.set(key, request);
          queue.postpone(key);
          if (!pausedBy && ++refusals < Math.min(queue.rows.size, isRefusal(status) ? REFUSALS : 0)) backOff.clear();
          else pause(status);
        }
    },

    /** Where all events are refused, the next one may be the first that is not. @returns whether it should be tried soon */
    preferNew: (): boolean => {
      const isDoubtful = isRefusal(pausedBy);
      if (isDoubtful) for (const key of refused.keys()) if (queue.rows.has(key)) queue.postpone(key);
      return isDoubtful;
    },
  };
};

export type Verdict = ReturnType<typeof createVerdict>;
