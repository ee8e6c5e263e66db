/** What is to be seen of a tracker in the page, at this moment. */
import { findTag, globalOf, isConfigured } from "./found.js";
import type { Options } from "./options.js";

export interface Seen {
  name: string;
  /** `"waiting"`: an array of calls, which no script has taken over. `"idle"`: nothing has configured the tracker. */
  global: "absent" | "waiting" | "idle" | "running";
  /** Calls in that array. */
  calls: number;
  /** The options of the tag; `undefined` where there is none. */
  tag: Options | undefined;
  isOnline: boolean;
  /** Does the browser send the Global Privacy Control signal? */
  hasGpc: boolean;
}

const stateOf = (found: ReturnType<typeof globalOf>): Seen["global"] => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return isConfigured(found) ? "running" : "idle";
};

export const look = (name: string): Seen => {
  const found = globalOf(name);
  const tag = findTag(name);
  return {
    name,
    global: stateOf(found),
    // Without the panel's own.
    calls: Array.isArray(found) ? found.filter(([verb]) => verb !== "debug").length : 0,
    tag: tag && { ...tag.dataset },
    isOnline: navigator.onLine,
    hasGpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
  };
};
