/** The page's hook may change an event before it is stored, or drop it. One that throws has dropped it: it may have been about to take something out. */
import type { TrackEvent } from "../../types.js";
import { config } from "../config.js";
import { log, report } from "../reporting.js";
import { format } from "./event.js";

/**
 * The event as plain data, as `beforeSend` leaves it; nothing where that drops it.
 *
 * @param again whether the hook has seen it before, without contact and account
 */
export const revise = (event: TrackEvent, again = false): TrackEvent | undefined => {
  if (!config.beforeSend) return event;
  try {
    const [next = event] = [config.beforeSend(event, { again })];
    if (!next) return void log("dropped", "beforeSend");
    if (!next.event_uid) throw Error();
    return JSON.parse(format(next));
  } catch (error) {
    // Without the event: that it goes nowhere is all that is known of it. Its message may hold what the hook has read of a person.
    report("input", `beforeSend: ${(error as Error)?.name}`);
  }
};
