/** What an app imports: one tracker for the page, and its verbs. Before `init` they do nothing. */
import { createTracker } from "./tracker.js";
import type { Config, Tracker } from "./types.js";

export type { Config, FlushResult, Params, Problem, TrackEvent, Tracker } from "./types.js";
export { createTracker };

let tracker: Tracker | undefined;

/** Starts the page's tracker. A second call changes nothing. */
export const init = (config: Config): void => {
  tracker ??= createTracker(config);
};

export const identify: Tracker["identify"] = (...args) => tracker?.identify(...args);
export const track: Tracker["track"] = (...args) => tracker?.track(...args);
export const pageview: Tracker["pageview"] = (...args) => tracker?.pageview(...args);
export const reset: Tracker["reset"] = () => tracker?.reset();
export const flush: Tracker["flush"] = async (...args) =>
  tracker ? tracker.flush(...args) : { delivered: 0, queued: 0, dropped: 0 };
