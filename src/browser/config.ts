/** The options of this script's one tracker, set once by `configure`. */
import { scopeOf, urlOf } from "../shared/option-values.js";
import type { Config, Consent } from "../types.js";

export { isOn } from "../shared/option-values.js";

/** Options of a tracker whose name is known. */
export type Named = Config & { name: string };

export let config = {} as Named;
/** The one URL of all events; nothing where it is not known, and events wait. */
export let url: string | undefined;
/** Under which the rows of the token are filed, and those of `formerToken`, or of pages without a token. */
export let scopes: string[];

/** Is the contact this document's alone? */
export const isPerPage = (): boolean => config.identity === "page";

/** The number that an option gives, or that which holds without it. */
export const numberOf = (option: "maxEvents" | "maxBytes" | "maxAgeMs", fallback: number): number =>
  /^\d+$/.test(`${config[option]}`) ? Number(config[option]) : fallback;

/** Is it what a visitor may have chosen, or yet may choose? */
export const isConsent = (text: unknown): boolean => /^(granted|pending|denied)$/.test(`${text}`);

/**
 * Takes the options, and puts right those that an attribute may have in another form.
 *
 * @returns whether consent is one that there is; else nobody has chosen yet
 */
export const configure = (given: Named): boolean => {
  config = given;
  scopes = [given.apiToken, given.formerToken].map((token) => scopeOf(token));
  url = urlOf(given);
  given.consent = `${given.consent ?? "granted"}`.trim().toLowerCase() as Consent;
  if (isConsent(given.consent)) return true;
  given.consent = "pending";
  return false;
};
