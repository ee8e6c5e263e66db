/**
 * One tracker a name: every copy of the snippet and of the package finds the hub at `window[name]`, and hands it its
 * configuration and its calls.
 */

import type { Command, Config, Hub } from "../types.js";
import { whenActive } from "./page.js";
import { createTracker } from "./tracker.js";

type Verbs = Record<string, (...args: never[]) => unknown>;

const VERBS = ["init", "identify", "track", "pageview", "flush", "reset", "optIn", "optOut", "debug"];

/** A hub that no global holds. Its tracker starts when the page is shown to somebody, and calls until then wait for it. */
export const createHub = (name: string): Hub => {
  /** Calls before `init`. */
  const waiting: Command[] = [];
  let tracker: Verbs | undefined;
  let isUsed = false;

  const start = (config: Config): void => {
    if (tracker) tracker.init!(config as never);
    else if (config.apiToken || config.trackUrl) {
      tracker = createTracker({ ...config, name }) as unknown as Verbs;
      // From here on without a detour. Those that were taken before go on working.
      Object.assign(hub, tracker, { init: hub.init });
      waiting.forEach(run);
    } else if (!isUsed) console.warn(name, "no apiToken, trackUrl");
  };
  const run = (command: Command): unknown => {
    try {
      const [verb, ...args] = command;
      const [config] = args as [Config];
      if (verb === "init")
        if (!config.name || config.name === name) whenActive(() => start(config));
        else {
          isUsed = true;
          openHub(config.name).init(config);
        }
      else if (tracker) return tracker[verb]!(...(args as never[]));
      else if (verb === "flush") return Promise.resolve({ delivered: 0, queued: 0, dropped: 0 });
      else waiting.push(command);
    } catch {
      console.warn(name, command);
    }
  };
  const hub: Verbs = { push: (...commands: Command[]) => commands.forEach(run) };
  for (const verb of VERBS) hub[verb] = (...args: unknown[]) => run([verb, ...args]);
  return hub as unknown as Hub;
};

/** Finds the hub of this name, or puts one there, which takes over the calls that wait in an array in its place. */
export const openHub = (given?: string): Hub => {
  const name = given || "tracklet";
  const globals = window as unknown as Record<string, Hub | Command[] | undefined>;
  const found = globals[name];
  // The methods of a stub's array do not count. An element of the page with this id has none.
  if ((found as Hub | undefined)?.init && !Array.isArray(found)) return found as Hub;
  const hub = createHub(name);
  globals[name] = hub;
  if (Array.isArray(found)) hub.push(...found);
  return hub;
};
