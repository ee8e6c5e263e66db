/** What is to be seen of a tracker in the page, at this moment. */
import { findTag, globalOf, isConfigured } from "./found.js";
import type { Options } from "./options.js";

export interface Seen {
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

const stateOf = (found: ReturnType<typeof globalOf>, hasOptions: boolean): Seen["global"] => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return hasOptions || isConfigured(found) ? "running" : "idle";
};

/**
 * @param listener the panel's own, whose call is none of the page's
 * @param hasOptions has the tracker told with what it was configured?
 */
export const look = (name: string, listener: unknown, hasOptions: boolean): Seen => {
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
