/** What may be stored and sent, as far as it can be seen from outside. */
import type { Activity } from "./activity.js";
import type { Snapshot } from "./snapshot.js";
import type { Stored } from "./stored.js";

/** Why nothing may be stored or sent, in words; `""` where nothing forbids it. */
export const denialOf = ({ tag, hasGpc }: Snapshot, { consent }: Stored, { isDenied }: Activity): string => {
  if (tag?.consent === "denied") return 'The tag says data-consent="denied", whatever the visitor chooses';
  if (hasGpc && /^(true)?$/.test(tag?.respectGpc ?? "off"))
    return "The browser sends the Global Privacy Control signal, which data-respect-gpc obeys";
  if (consent === "denied") return "The visitor has refused";
  if (isDenied)
    return `Consent is denied, by optOut(), by the option consent${hasGpc ? ", or by respectGpc and the browser's Global Privacy Control signal" : ""}`;
  return "";
};

/** Which consent holds. */
export const consentOf = (snapshot: Snapshot, stored: Stored, activity: Activity): string => {
  if (denialOf(snapshot, stored, activity)) return "denied";
  return stored.consent || "no choice of the visitor is stored";
};
