/// <reference lib="esnext.disposable" preserve="true" />
/**
 * For an app's own tests: what would be sent, without a network. It is recorded by the tracker itself, a fresh one at each
 * call, which stands where the app looks for the page's tracker (`window.tracklet`). So no module has to be loaded anew.
 */

import { loadTracker } from "./fresh-tracker.js";
import { createSurroundings } from "./recorder/surroundings.js";
import type { Events, RecordedName, RecordedParams } from "./types/declared.js";
import type { Config, Hub } from "./types.js";

export type { RecordedName, RecordedParams };

/** An event as the service would get it. */
export type RecordedEvent<Declared = Events, Name extends string = RecordedName<Declared>> =
  Name extends RecordedName<Declared>
    ? { contact_uid: string; event_uid: Name; params: RecordedParams<Declared, Name> }
    : never;

/** What a test asks and does. */
export interface Recorder<Declared = Events> {
  /**
   * What would have been sent since the beginning or the last `clear()`, in the order in which it was tracked. An event that
   * waits for `identify` or for consent is not among it. The current URL is judged at once, as by `flush()`: there is nothing
   * to wait for.
   *
   * @param eventUid only events of this name
   */
  all<Name extends RecordedName<Declared> = RecordedName<Declared>>(eventUid?: Name): RecordedEvent<Declared, Name>[];
  /** Forgets what was recorded so far. The tracker goes on as it is: who is identified stays so. */
  clear(): void;
  /**
   * Ends the recording, and puts back the tracker that the page had. Nothing is left in the page, neither timers nor listeners,
   * and `history` is as it was; the recorded tracker does nothing any more. What was recorded can still be read.
   */
  restore(): void;
  /** The same, at the end of a `using` block. */
  [Symbol.dispose](): void;
}

let restoreLast = (): void => {};

/**
 * Records what the page's tracker would send, and sends and stores nothing. Each call ends the recording before it, and
 * begins with a fresh tracker, which nobody has configured or identified yet.
 *
 * @param options with any of them the tracker starts at once, as by `init`; a token and an address may be left out. Without
 *   them it starts when the app calls `init`, or at once with the options of a tracker that the app has started before. `name`
 *   alone says which tracker is meant, and `stamp` alone that events are recorded with their stamp, whose members are others in
 *   each run of a test.
 */
export const recordEvents = <Declared = Events>({
  name = "tracklet",
  stamp,
  ...options
}: Partial<Config<Declared>> = {}): Recorder<Declared> => {
  if (typeof window === "undefined")
    throw new Error("recordEvents needs a page (window): run the test in jsdom, happy-dom or a browser");
  restoreLast();
  const globals = window as unknown as Record<string, unknown>;
  const before = globals[name];
  const start: Partial<Config> = {};
  const listen = (code: unknown, detail: unknown): void => {
    if (code === "options") Object.assign(start, detail as Config);
  };
  (before as Partial<Hub> | undefined)?.debug?.(listen);
  Object.assign(start, options);

  /** Bodies of events by the keys of their rows, in the order in which they were tracked. */
  const recorded = new Map<string, string>();
  const { surroundings, end } = createSurroundings((key, body) => recorded.set(key, body), stamp);
  const { openHub } = loadTracker(surroundings);
  // A fresh tracker takes over no calls that wait for another one.
  globals[name] = undefined;
  const hub = openHub(name);
  if (Object.keys(start).length > 0)
    hub.init({ apiToken: "test", trackUrl: "https://track.example.com", ...start, name });

  /** Judges the current URL. */
  const judge = (): void => void hub.flush({ timeoutMs: 0 });
  const restore = (): void => {
    if (globals[name] === hub) globals[name] = before;
    end();
    // Whoever holds the tracker still calls it.
    const ended: Partial<Hub> = {
      flush: async () => ({ delivered: 0, queued: 0, dropped: 0 }),
      consent: () => "denied",
      identity: () => [],
      onChange: () => () => {},
    };
    for (const verb of Object.keys(hub)) Object.assign(hub, { [verb]: () => {} });
    Object.assign(hub, ended);
  };
  restoreLast = restore;
  return {
    all: (eventUid) => {
      judge();
      const events = [...recorded.values()].map((body) => JSON.parse(body));
      return events.filter(({ event_uid }) => eventUid === undefined || event_uid === eventUid);
    },
    clear: () => {
      judge();
      recorded.clear();
    },
    restore,
    [Symbol.dispose]: restore,
  };
};
