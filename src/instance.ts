/**
 * `tracklet/instance`: a tracker of one's own beside the page's, as for a micro-front-end. It is a whole tracker once more, since
 * one keeps its state in the variables of its modules.
 */

import { loadTracker } from "./fresh-tracker.js";
import type { Events } from "./types/declared.js";
import type { Config, Tracker } from "./types.js";

/** Options of a tracker of one's own. */
export interface InstanceConfig<Declared = Events> extends Config<Declared> {
  /** Of the global, the storage keys and the choice of consent: any but `"tracklet"`, which is the page's own tracker. */
  name: string;
  /** Name of the page's tracker, whose visitor is this one's, too. Default `"tracklet"`. */
  page?: string | undefined;
}

type Verbs = Record<string, (...args: unknown[]) => unknown>;

/** The tracker of each hub. */
const trackers = new WeakMap<Verbs, Verbs>();

const nothing = (): void => {};
/** On a server nothing is done or kept. */
const absent: Tracker = {
  identify: nothing,
  track: nothing,
  pageview: nothing,
  reset: nothing,
  optIn: nothing,
  optOut: nothing,
  debug: nothing,
  flush: async () => ({ delivered: 0, queued: 0, dropped: 0 }),
  identity: () => [],
  onChange: () => nothing,
  consent: () => "pending",
};

/**
 * Starts a tracker with events, contact and queue of its own. The page may have any number, each of another name: a second call
 * with the same name gets the tracker of the first, whose options hold, so that an app may be mounted again.
 *
 * The visitor is the page's: an `optOut()` or a `reset()` of the page's tracker holds here, too, before and after this call. Where
 * neither the options nor `optIn()` and `optOut()` of this tracker say what the visitor allows, it is what that one says.
 *
 * `Declared` are the events that it may track; unless given, those of the app.
 */
export const createTracker = <Declared = Events>(config: InstanceConfig<Declared>): Tracker<Declared> => {
  if (typeof window === "undefined") return absent as Tracker<unknown> as Tracker<Declared>;
  const globals = window as unknown as Record<string, Verbs | undefined>;
  const hub = loadTracker().openInstance({ ...config } as Config) as unknown as Verbs;
  let tracker = trackers.get(hub);
  if (!tracker) {
    tracker = {};
    trackers.set(hub, tracker);
    // What a test records stands where the tracker is looked for, and sees the calls of who has kept a verb.
    for (const verb of Object.keys(hub))
      tracker[verb] = (...args) => {
        const current = globals[config.name];
        return (typeof current?.[verb] === "function" ? current : hub)[verb]!(...args);
      };
  }
  return tracker as unknown as Tracker<Declared>;
};
