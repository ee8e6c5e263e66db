/** What may be stored and sent. */
import type { Activity } from "../watch/activity.js";
import type { Snapshot } from "../watch/snapshot.js";
import type { Stored } from "../watch/stored.js";
import { optionsOf } from "./options.js";

const isOn = (option: unknown): boolean => /^(true)?$/.test(`${option}`);

/** The option as the tracker reads it. */
const wordOf = (consent: unknown): string => `${consent ?? "granted"}`.trim().toLowerCase();

/** Why nothing may be stored or sent, in words; `""` where nothing forbids it. */
export const denialOf = (snapshot: Snapshot, { consent, mutedUntil }: Stored, activity: Activity): string => {
  const options = optionsOf(snapshot, activity);
  if (mutedUntil)
    return `The visits of this browser are left out until ${new Date(mutedUntil).toLocaleDateString("en", { dateStyle: "long" })}`;
  if (options.mute !== undefined && isOn(options.mute)) return "The option mute is on in this document";
  if (wordOf(options.consent) === "denied") return 'The option consent is "denied", whatever the visitor chooses';
  if (snapshot.hasGpc && isOn(options.respectGpc))
    return "The browser sends the Global Privacy Control signal, which respectGpc obeys";
  // Where the storage was emptied or is denied, the dropped events tell.
  return consent === "denied" || activity.isDenied ? "The visitor has refused" : "";
};

/** Does everything wait in memory for the visitor's choice? */
export const isPending = (snapshot: Snapshot, stored: Stored, activity: Activity): boolean => {
  const { consent } = optionsOf(snapshot, activity);
  return wordOf(consent) !== "granted" && stored.consent !== "granted" && !denialOf(snapshot, stored, activity);
};

/** Whether sending is allowed, and by whom. */
export const consentOf = (snapshot: Snapshot, stored: Stored, activity: Activity): string => {
  if (denialOf(snapshot, stored, activity)) return "denied: nothing is stored or sent";
  if (isPending(snapshot, stored, activity)) return "pending: nothing is stored or sent until optIn() is called";
  const signal = snapshot.hasGpc ? "; the browser sends Global Privacy Control, and respectGpc is off" : "";
  if (stored.consent === "granted") return `granted by the visitor: sending is allowed${signal}`;
  return `no choice is stored: sending is allowed${signal}`;
};
