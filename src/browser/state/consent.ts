/**
 * What the visitor allows, `consent` = "granted" | "denied": one choice for all tabs, remembered across pages. The storage
 * is closed until it is granted: what is written before stays in memory.
 */
import type { Consent } from "../../types.js";
import { config, isOn } from "../config.js";
import { IDENTITY, identity, keepIdentity, keepOwn } from "./identity.js";
import { CONSENT, filed, get, getStored, isInMemory, keys, MUTE, named, open, remove, set } from "./storage.js";

/** Nothing before the first look. */
export let consent: Consent | undefined;

/** What holds where no choice is stored. A muted document counts as refused. It wipes nothing, because it does not reach the storage. */
const initial = (): Consent => {
  const isRefused =
    isOn(config.mute) ||
    (isOn(config.respectGpc) && (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl);
  return isRefused ? "denied" : config.consent!;
};

/**
 * Follows the choice, made here or in another tab.
 *
 * @param own the choice that the visitor makes on this page
 */
export const readConsent = (own?: Consent): void => {
  if (Number(get(named(MUTE))) > Date.now()) config.mute = true;
  const stored = initial() === "denied" ? "denied" : (own ?? get(named(CONSENT)));
  // Where the page has emptied the storage, what was last known holds.
  const next = /^(granted|denied)$/.test(`${stored}`) ? (stored as Consent) : (consent ?? config.consent!);
  // A refusal ends what other pages have written since the last one, too.
  if (next === consent && own !== "denied") return;
  const waiting = keys();
  open(next === "granted" || next === "denied");
  consent = next;
  if (next === "granted" && own) {
    // A log-out comes before the choice, at which other tabs look for it; the rest after it, because that may fill the storage.
    if (isInMemory(filed(IDENTITY)) && identity[0]) keepIdentity();
    set(named(CONSENT), own);
  }
  // Where another tab has chosen, what it has stored since holds: it may know that somebody has logged out.
  if (next === "granted") for (const key of waiting) set(key, (own ? undefined : getStored(key)) ?? get(key)!);
  if (next === "denied") {
    for (const key of keys()) if (key !== named(CONSENT)) remove(key);
    open(false);
    keepOwn();
  }
};

/** The page has emptied the storage: a refusal holds for the next page, too. */
export const restoreRefusal = (): void => {
  if (consent === "denied" && initial() !== "denied" && !get(named(CONSENT))) set(named(CONSENT), consent);
};

/** The visitor chooses. */
export const choose = (choice: Consent): void => {
  // A refusal first, so that no other tab takes what is gone for a reason to send.
  if (choice === "denied") set(named(CONSENT), choice);
  readConsent(choice);
  // And again: if the storage was full, there is room now.
  set(named(CONSENT), choice);
};
