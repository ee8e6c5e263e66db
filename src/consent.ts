/**
 * What the visitor allows, `consent` = "granted" | "denied": one choice for all tabs, remembered across pages. The store that
 * all others use is closed until it is granted: what they write stays in memory.
 */
import { createStore } from "./storage.js";
import type { Config } from "./types.js";

export type Consent = NonNullable<Config["consent"]>;

const KEY = "consent";

/**
 * @param initial what holds where nothing was chosen; `"denied"` holds in any case
 * @param forget drops what the page has in memory
 */
export const createConsent = (prefix: string, initial: Consent = "granted", forget: () => void) => {
  /** Open whatever is chosen: the choice is kept. */
  const all = createStore(prefix);
  let chosen = initial;
  let current: Consent | undefined;
  const store = createStore(prefix, () => (current === "granted" ? localStorage : undefined));

  /** Follows the choice, made here or in another tab. @returns whether it is another one */
  const heed = (): boolean => {
    const stored = all.get(KEY);
    // Where the page has emptied the storage, what was last known holds.
    if (initial !== "denied" && (stored === "granted" || stored === "denied")) chosen = stored;
    if (chosen === current) return false;
    current = undefined;
    // While the store is closed, these are in memory alone.
    const kept = store.keys();
    current = chosen;
    if (chosen === "granted") for (const key of kept) store.set(key, store.get(key)!);
    if (chosen === "denied") {
      forget();
      kept.forEach(store.remove);
      for (const key of all.keys()) if (key !== KEY) all.remove(key);
    }
    return true;
  };

  return {
    store,
    heed,
    is: (consent: Consent): boolean => current === consent,
    choose: (consent: Consent): boolean => {
      all.set(KEY, consent);
      return heed();
    },
  };
};
