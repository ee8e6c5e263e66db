/** What may be stored and sent, as far as it can be seen from outside. */
import type { Heard } from "./heard.js";
import type { Seen } from "./seen.js";
import type { Stored } from "./stored.js";

/** Why nothing may be stored or sent, in words; `""` where nothing forbids it. */
export const denialOf = ({ tag, hasGpc }: Seen, { consent }: Stored, { isDenied }: Heard): string => {
  if (tag?.consent === "denied") return 'The tag says data-consent="denied", whatever the visitor chooses';
  if (hasGpc && /^(true)?$/.test(tag?.respectGpc ?? "off"))
    return "The browser sends the Global Privacy Control signal, which data-respect-gpc obeys";
  if (consent === "denied") return "The visitor has refused";
  if (isDenied)
    return `Consent is denied, by optOut(), by the option consent${hasGpc ? ", or by respectGpc and the browser's Global Privacy Control signal" : ""}`;
  return "";
};

/** Which consent holds. */
export const consentOf = (seen: Seen, stored: Stored, heard: Heard): string => {
  if (denialOf(seen, stored, heard)) return "denied";
  return stored.consent || "no choice of the visitor is stored";
};
