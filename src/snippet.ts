import { createTracker } from "./tracker.js";
import type { Config, Tracker } from "./types.js";

/** A queued call: `push(["track", "signup", {…}])`. */
type Command = [verb: keyof Tracker, ...args: unknown[]];

/** The script-tag form: attributes are the options, and the global takes the calls made before it was there. */
const options = { ...(document.currentScript as HTMLScriptElement).dataset } as unknown as Config;
const name = options.name || "tracklet";
const globals = window as unknown as Record<string, Command[] | object | undefined>;
const waiting = globals[name];
const tracker = createTracker(options);
const push = ([verb, ...args]: Command): void => (tracker[verb] as (...args: unknown[]) => void)(...args);

globals[name] = { ...tracker, push };
if (Array.isArray(waiting)) waiting.forEach(push);
