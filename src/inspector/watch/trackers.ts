/** What is on the page: trackers, and the tags that should have configured them. */

/** The global of a tracker: before the script has loaded an array of calls, afterwards an object with the verbs. */
export interface Global {
  push(...calls: unknown[][]): unknown;
  readonly flush?: (options: { timeoutMs: number }) => Promise<{ queued: number }>;
}

/** The options of a tag: its attributes, without `data-`. */
export type Attributes = Record<string, string | undefined>;

export const DEFAULT_NAME = "tracklet";

const VERBS = ["push", "init", "track", "flush"];

const isTracker = (name: string): boolean => {
  try {
    const value = (window as unknown as Record<string, Record<string, unknown> | undefined>)[name];
    return VERBS.every((verb) => typeof value?.[verb] === "function");
  } catch {
    // The window of a frame on another origin is a global, too; and a storage that is denied is none to be read.
    return false;
  }
};

/** The global of this name, if it is one of ours. */
export const globalOf = (name: string): Global | undefined => {
  const value = (window as unknown as Record<string, unknown>)[name];
  return Array.isArray(value) || isTracker(name) ? (value as unknown as Global) : undefined;
};

/** The names of all trackers on the page, the usual one at least. */
export const findNames = (): string[] => {
  const names = Object.keys(window).filter(isTracker);
  return names.length > 0 ? names : [DEFAULT_NAME];
};

/** Tags with our options; where these were taken away, or are misspelt, those that load the script by its usual name. */
const TAGS = ["script[data-api-token],script[data-track-url]", 'script[src*="tracklet.iife"]'];

/** The tag of this tracker, where it has one. */
export const findTag = (name: string): HTMLScriptElement | undefined =>
  TAGS.flatMap((selector) => [...document.querySelectorAll<HTMLScriptElement>(selector)]).find(
    (tag) => (tag.dataset.name || DEFAULT_NAME) === name,
  );

/** An add-on that stands in the page by a tag. */
export interface AddOn {
  src: string;
  options: Attributes;
  /** Has it run? */
  isRunning: boolean;
}

const ADD_ONS = { clicks: "trackletClicks", active: "trackletActive" };

export const findAddOns = (): AddOn[] =>
  Object.entries(ADD_ONS).flatMap(([addOn, end]) =>
    [...document.querySelectorAll<HTMLScriptElement>(`script[src*="tracklet.${addOn}"]`)].map(({ src, dataset }) => ({
      src,
      options: { ...dataset },
      isRunning: typeof (window as unknown as Record<string, unknown>)[end] === "function",
    })),
  );

/** How many elements name no event, though the add-on for clicks is there. */
export const countUnnamed = (): number =>
  "trackletClicks" in window ? document.querySelectorAll('[data-track=""]').length : 0;
