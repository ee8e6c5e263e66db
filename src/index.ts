/**
 * What an app imports: the verbs of the page's tracker. They go through the global, so that they may come before `init`,
 * and reach the one tracker of their name whoever started it. On a server, where there is no page, nothing is done or kept.
 */

import { openHub } from "./browser/hub.js";
import type { ChangeListener, Command, Config, Consent, FlushResult, Hub, Identity, Tracker } from "./types.js";

// All of them: only so can an app add to `Events`.
export type * from "./types/declared.js";
export type * from "./types.js";

type Globals = Record<string, Hub | Command[] | undefined>;

const DEFAULT = "tracklet";
/** The most calls that wait for a tracker. */
const MAX_WAITING = 1_000;
/** The first `init` gives it; calls before wait under the default. */
let name = "";
const early: Command[] = [];

const page = (): Globals | undefined => (typeof window === "undefined" ? undefined : (window as unknown as Globals));

const call = (...command: Command): void => {
  const globals = page();
  if (!globals) return;
  const at = name || DEFAULT;
  // An element of the page may have this id, and an input of a form any name.
  if (typeof globals[at]?.push !== "function") globals[at] = [];
  const target = globals[at] as Command[];
  if (Array.isArray(target) && early.length < MAX_WAITING) early.push(command);
  target.push(command);
};

/** Starts the tracker of this name, if no other copy has. The first configuration holds, and so does its name. */
export const init = (config: Config): void => {
  const globals = page();
  if (!globals) return;
  const waiting = globals[DEFAULT];
  name ||= config?.name || DEFAULT;
  if (name !== DEFAULT && Array.isArray(waiting)) {
    // They were meant for this tracker, and not for another one that may yet come.
    for (const command of waiting.splice(0)) (early.includes(command) ? openHub(name) : waiting).push(command);
  }
  openHub(name).push(["init", config as Config]);
};

export const identify: Tracker["identify"] = (...args) => call("identify", ...args);
export const track: Tracker["track"] = (...args) => call("track", ...args);
export const pageview: Tracker["pageview"] = (...args) => call("pageview", ...args);
export const reset: Tracker["reset"] = () => call("reset");
export const optIn: Tracker["optIn"] = () => call("optIn");
export const optOut: Tracker["optOut"] = () => call("optOut");

/** Asks the tracker. Calls that wait have no answer, an element with this id no method. */
const ask = <Answer>(verb: string, ...args: unknown[]): Answer | undefined => {
  const hub = page()?.[name || DEFAULT] as Record<string, unknown> | Command[] | undefined;
  return !Array.isArray(hub) && typeof hub?.[verb] === "function" ? hub[verb](...args) : undefined;
};

export const onChange: Tracker["onChange"] = (listener) => {
  const end = ask<() => void>("onChange", listener);
  if (end) return end;
  let isOn = true;
  call("onChange", (...told: Parameters<ChangeListener>) => isOn && listener(...told));
  return () => {
    isOn = false;
  };
};

export const consent: Tracker["consent"] = () => ask<Consent>("consent") ?? "pending";

export const identity: Tracker["identity"] = () => ask<Identity>("identity") ?? [];

export const flush: Tracker["flush"] = async (...args) =>
  (await ask<Promise<FlushResult>>("flush", ...args)) ?? { delivered: 0, queued: 0, dropped: 0 };
