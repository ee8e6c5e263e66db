/** What the page shows of a tracker at this moment. */

import { type Inline, readInline } from "./inline.js";
import { type AddOn, type Attributes, countUnnamed, DEFAULT_NAME, findAddOns, findTag, globalOf } from "./trackers.js";

export interface Snapshot {
  name: string;
  /** `"waiting"`: an array of calls, which no script has taken over. `"idle"`: nothing has configured the tracker. */
  global: "absent" | "waiting" | "idle" | "running";
  /** Calls in that array. */
  calls: readonly unknown[];
  /** Calls in the array of the usual name, which nothing on the page takes over: this tracker has another one. */
  strayCalls: number;
  inline: Inline;
  addOns: AddOn[];
  /** Elements whose `data-track` has no name. */
  unnamed: number;
  /** The options of the tag; `undefined` where there is none. */
  tag: Attributes | undefined;
  /** Has the page loaded all of its parts? */
  isLoaded: boolean;
  /** Milliseconds since the page began. */
  now: number;
  /** Where the page is, without its path. */
  origin: string;
  /** Where the script of the tag comes from; `""` where there is none. */
  scriptOrigin: string;
  /** Is it a sandboxed frame without an origin of its own? */
  isSandboxed: boolean;
  isOnline: boolean;
  /** Does the browser send the Global Privacy Control signal? */
  hasGpc: boolean;
  /** The page's address. */
  href: string;
}

const stateOf = (found: ReturnType<typeof globalOf>, hasOptions: boolean): Snapshot["global"] => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return hasOptions ? "running" : "idle";
};

const countStrayCalls = (name: string): number => {
  const found = name === DEFAULT_NAME || findTag(DEFAULT_NAME) ? undefined : globalOf(DEFAULT_NAME);
  return Array.isArray(found) ? found.length : 0;
};

/**
 * @param listener the panel's own, whose call is none of the page's
 * @param hasOptions has the tracker reported its options?
 */
export const takeSnapshot = (name: string, listener: unknown, hasOptions: boolean): Snapshot => {
  const found = globalOf(name);
  const tag = findTag(name);
  return {
    name,
    global: stateOf(found, hasOptions),
    calls: Array.isArray(found) ? found.filter((call) => call?.[1] !== listener) : [],
    strayCalls: countStrayCalls(name),
    inline: readInline(name),
    addOns: findAddOns(),
    unnamed: countUnnamed(),
    tag: tag && { ...tag.dataset },
    isLoaded: document.readyState === "complete",
    now: performance.now(),
    origin: location.origin,
    scriptOrigin: tag?.src ? new URL(tag.src).origin : "",
    isSandboxed: self.origin === "null" && location.protocol.startsWith("http"),
    isOnline: navigator.onLine,
    hasGpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
    href: location.href,
  };
};
