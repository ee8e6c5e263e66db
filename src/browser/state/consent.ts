/**
 * What the visitor has chosen, `<name>:consent` = "granted" | "denied": one choice for all tabs, remembered across pages. The storage
 * is closed until it is granted: what is written before stays in memory. And whoever asks is told of it, and of who is named.
 */
import { attempt } from "../../shared/attempt.js";
import type { ChangeListener, Consent } from "../../types.js";
import { config, isConsent, isOn } from "../config.js";
import { IDENTITY, identity, keepIdentity, who } from "./identity.js";
import {
  allow,
  CONSENT,
  consent,
  filed,
  get,
  isInMemory,
  isOurs,
  keys,
  MUTE,
  named,
  remove,
  set,
  storeAll,
} from "./storage.js";

/** Each tells its listener what has changed since it was last told, in whichever tab. */
const listeners = new Set<() => void>();

export const tellChanges = (): void => listeners.forEach(attempt);

/**
 * Tells `listener`, before the first look into the storage with that. Fails where it does, or is no function.
 *
 * @returns ends it
 */
export const hearChanges = (listener: ChangeListener): (() => void) => {
  let told: string;
  const tell = (): void => {
    const before = told;
    // Each log-out is a change, also where nobody was named.
    told = `${[consent, identity[0], who()]}`;
    if (told !== before) listener(consent!, who(), identity[0]!);
  };
  listeners.add(tell);
  if (consent || !listener.call) tell();
  return () => listeners.delete(tell);
};

/** Is it refused whatever is chosen? A muted document counts as refused, and wipes nothing, because it removes nothing. */
const isRefused = (): boolean | undefined =>
  config.consent === "denied" ||
  isOn(config.mute) ||
  (isOn(config.respectGpc) && (navigator as { globalPrivacyControl?: boolean }).globalPrivacyControl);

/** What holds now. Where the page has emptied the storage, that is what was last known. */
export const allowed = (): Consent => {
  const stored = isRefused() ? "denied" : get(named(CONSENT));
  return isConsent(stored) ? (stored as Consent) : (consent ?? config.consent!);
};

/** Stores what waits in memory, or removes everything but the choice. */
const act = (next: Consent): void => {
  allow(next);
  // Another tab may know that somebody has logged out.
  if (next === "granted") storeAll();
  else if (next === "denied") {
    // What the visitor has refused, each application has to remove; an option is one application's.
    const isChosen = get(named(CONSENT)) === next;
    for (const key of keys(true)) if (key !== named(CONSENT) && (isChosen || isOurs(key))) remove(key);
    // In memory: the visitor may take it back.
    if (identity[1] || identity[0]) keepIdentity();
  }
};

/** Reads the choice, of whichever tab, where it is another one than before. */
export const readConsent = (): void => {
  if (Number(get(named(MUTE))) > Date.now()) config.mute = true;
  const next = allowed();
  if (next !== consent) act(next);
};

/** The page has emptied the storage: a refusal holds for the next page, too. */
export const restoreRefusal = (): void => {
  if (consent === "denied" && !isRefused() && !get(named(CONSENT))) set(named(CONSENT), consent);
};

/** The visitor chooses. A refusal is stored first, so that no other tab takes what is gone for a reason to send. */
export const choose = (choice: Consent): void => {
  if (choice === "granted" && !isRefused()) {
    // A log-out comes before the choice, at which other tabs look for it; the rest after it, because that may fill the storage.
    remove(named(CONSENT));
    allow("granted");
    if (isInMemory(filed(IDENTITY)) && identity[0]) keepIdentity();
  }
  set(named(CONSENT), choice);
  act(allowed());
  // And again: if the storage was full, there is room now.
  set(named(CONSENT), choice);
};
