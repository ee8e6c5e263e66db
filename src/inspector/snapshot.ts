/** What the page shows of a tracker at this moment. */

import type { Options } from "./options.js";
import { findTag, globalOf, isConfigured } from "./trackers.js";

export interface Snapshot {
  name: string;
  /** `"waiting"`: an array of calls, which no script has taken over. `"idle"`: nothing has configured the tracker. */
  global: "absent" | "waiting" | "idle" | "running";
  /** Calls in that array. */
  calls: readonly unknown[];
  /** The options of the tag; `undefined` where there is none. */
  tag: Options | undefined;
  /** Where the page is, without its path. */
  origin: string;
  isOnline: boolean;
  /** Does the browser send the Global Privacy Control signal? */
  hasGpc: boolean;
}

const stateOf = (found: ReturnType<typeof globalOf>, hasOptions: boolean): Snapshot["global"] => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return hasOptions || isConfigured(found) ? "running" : "idle";
};

/**
 * @param listener the panel's own, whose call is none of the page's
 * @param hasOptions has the tracker reported its options?
 */
export const look = (name: string, listener: unknown, hasOptions: boolean): Snapshot => {
  const found = globalOf(name);
  const tag = findTag(name);
  return {
    name,
    global: stateOf(found, hasOptions),
    calls: Array.isArray(found) ? found.filter((call) => call?.[1] !== listener) : [],
    tag: tag && { ...tag.dataset },
    origin: location.origin,
    isOnline: navigator.onLine,
    hasGpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
  };
};
