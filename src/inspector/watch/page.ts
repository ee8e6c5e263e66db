/** What the page shows of a tracker at this moment. */
import { attempt } from "../../shared/attempt.js";
import { readInline } from "./inline.js";
import { DEFAULT_NAME, findHidden, findStrays, findTags, findTools, globalOf, readTag } from "./tags.js";
import { written } from "./visible.js";

const META_POLICY = 'meta[http-equiv="Content-Security-Policy" i]';

export type Page = ReturnType<typeof readPage>;

/** `"waiting"`: an array of calls, which no script has taken over. `"idle"`: nothing has configured the tracker. */
const stateOf = (found: unknown, hasOptions: boolean): "absent" | "waiting" | "idle" | "running" => {
  if (!found) return "absent";
  if (Array.isArray(found)) return "waiting";
  return hasOptions ? "running" : "idle";
};

/** Who has taken the name: an element by its id, or a value of the page. */
const takenBy = (name: string): string => {
  const element = document.getElementById(name);
  if (element) return `the element <${element.localName} id="${name}">`;
  const value = (window as unknown as Record<string, unknown>)[name];
  return globalOf(name) || value === undefined ? "" : `${written(value)}, of the page`;
};

const countStrayCalls = (name: string): number => {
  const found = name === DEFAULT_NAME || findTags(DEFAULT_NAME).length > 0 ? undefined : globalOf(DEFAULT_NAME);
  return Array.isArray(found) ? found.length : 0;
};

/**
 * @param listener the panel's own, whose call is none of the page's
 * @param hasOptions has the tracker reported its options?
 */
export const readPage = (name: string, listener: unknown, hasOptions: boolean) => {
  const found = globalOf(name);
  const tags = findTags(name);
  return {
    name,
    global: stateOf(found, hasOptions),
    taken: takenBy(name),
    /** Calls that wait in an array. */
    calls: (Array.isArray(found) ? found.filter((call) => call?.[1] !== listener) : []) as readonly unknown[],
    /** Calls in the array of the usual name, which nothing on the page takes over: this tracker has another one. */
    strayCalls: countStrayCalls(name),
    inline: readInline(name),
    /** All tags of this tracker: the first is the one that counts. */
    tags: tags.map(readTag),
    /** Elements that have options where nobody reads them. */
    strays: findStrays(tags),
    /** Where a tag stands that does not run, in words. */
    hidden: tags.length > 0 || (found && !Array.isArray(found)) ? [] : findHidden(),
    ...findTools(),
    /** Has the page loaded all of its parts? */
    isLoaded: document.readyState === "complete",
    /** As requests name it: a sandboxed frame has none. */
    origin: self.origin,
    /** The policies that stand in the page itself. */
    metaPolicies: [...document.querySelectorAll<HTMLMetaElement>(META_POLICY)].map(({ content }) => content),
    /** Has the browser given up to record what is loaded? It keeps 250 (Resource Timing §4.5). */
    isRecordFull: performance.getEntriesByType("resource").length >= 250,
    /** The service worker that controls the page, by its address; a frame without an origin has none. */
    worker: attempt(() => navigator.serviceWorker?.controller?.scriptURL) ?? "",
    isOnline: navigator.onLine,
    /** Does the browser send the Global Privacy Control signal? */
    hasGpc: (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl === true,
    href: location.href,
  };
};
