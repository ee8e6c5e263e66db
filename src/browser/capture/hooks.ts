/** The page's hook may change an event before it is stored, or drop it. One that throws changes nothing. */
import type { TrackEvent } from "../../types.js";
import { config } from "../config.js";
import { log, report } from "../reporting.js";
import { format } from "./event.js";

/** The event as plain data, as `beforeSend` leaves it; nothing where that drops it. */
export const revise = (event: TrackEvent): TrackEvent | undefined => {
  if (!config.beforeSend) return event;
  try {
    const copy: TrackEvent = JSON.parse(format(event));
    const answer = config.beforeSend(copy);
    if (answer === null || answer === false) return void log("dropped", "beforeSend");
    const next = answer ?? copy;
    if (!next.event_uid) throw Error("no event_uid");
    return JSON.parse(format(next));
  } catch (error) {
    report("input", `beforeSend ${event.event_uid}: ${(error as Error)?.message}`);
    return event;
  }
};
