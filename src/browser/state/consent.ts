/**
 * What the visitor allows, `consent` = "granted" | "denied": one choice for all tabs, remembered across pages. The store that
 * all others use is closed until it is granted: what they write stays in memory.
 */
import { attempt } from "../../shared/attempt.js";
import type { Config } from "../../types.js";
import { createStore } from "./storage.js";

export type Consent = NonNullable<Config["consent"]>;

const KEY = "consent";

/**
 * @param initial what holds where nothing was chosen; `"denied"` holds in any case
 * @param forget drops what the page has in memory
 */
export const createConsent = (prefix: string, initial: Consent = "granted", forget: () => void) => {
  let chosen = initial;
  let current: Consent | undefined;
  // For the choice it is always open.
  const store = createStore(prefix, (key) => (key === KEY || current === "granted" ? localStorage : undefined));

  /** Follows the choice, made here or in another tab. @returns whether it is another one */
  const heed = (own?: Consent): boolean => {
    const stored = own ?? store.get(KEY);
    // Where the page has emptied the storage, what was last known holds.
    if (initial !== "denied" && /^(granted|denied)$/.test(`${stored}`)) chosen = stored as Consent;
    if (chosen === current) return false;
    current = undefined;
    // While the store is closed, these are in memory alone.
    const kept = store.keys();
    current = "granted";
    // Where another tab has chosen, what it has stored since holds: it may know that somebody has logged out.
    if (chosen === "granted")
      for (const key of kept)
        store.set(key, (!own && attempt(() => localStorage.getItem(prefix + key))) || store.get(key)!);
    if (chosen === "denied") {
      forget();
      for (const key of store.keys()) if (key !== KEY) store.remove(key);
    }
    current = chosen;
    return true;
  };

  return {
    store,
    heed,
    is: (consent: Consent): boolean => current === consent,
    choose: (consent: Consent): boolean => {
      // A refusal comes first, so that no other tab takes what is gone, such as a back-off, for a reason to send; and last,
      // because it has made room for itself. An agreement comes when other tabs find what this one had in memory: a word
      // of its length, which nobody heeds, keeps the room.
      store.set(KEY, consent === "denied" ? consent : "pending");
      const isOther = heed(consent);
      store.set(KEY, consent);
      return isOther;
    },
  };
};
