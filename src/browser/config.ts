/** The options of this script's one tracker, set once by `configure`. */
import { attempt } from "../shared/attempt.js";
import { scopeOf } from "../shared/scope.js";
import type { Config, Consent } from "../types.js";

/** Path of the event endpoint (the service's interface, `POST /v1/track/event`). */
const EVENT_PATH = "/v1/track/event";

/** Options of a tracker whose name is known. */
export type Named = Config & { name: string };

export let config = {} as Named;
/** The one URL of all events; nothing where it is not known, and events wait. */
export let url: string | undefined;
/** Under which the rows of the token are filed, and those of `formerToken`, or of pages without a token. */
export let scopes: string[];

/** Is a switch on? Attributes are texts, and one without a value is an empty text. */
export const isOn = (value: unknown): boolean => value === "" || `${value}` === "true";

/** Is the contact this document's alone? */
export const isPerPage = (): boolean => config.identity === "page";

/** The number that an option gives, or that which holds without it. */
export const numberOf = (option: "maxEvents" | "maxBytes" | "maxAgeMs", fallback: number): number =>
  /^\d+$/.test(`${config[option]}`) ? Number(config[option]) : fallback;

/**
 * Takes the options, and puts right those that an attribute may have in another form.
 *
 * @returns the names of those that are missing or wrong: the default holds, of consent that nobody has chosen yet
 */
export const configure = (given: Named): string => {
  config = given;
  const wrong: string[] = [];
  const { apiToken, trackUrl, eventPath, formerToken } = given;
  scopes = [apiToken, formerToken].map((token) => scopeOf(token));
  given.consent = `${given.consent ?? "granted"}`.trim().toLowerCase() as Consent;
  if (!/^(granted|pending|denied)$/.test(given.consent)) {
    given.consent = "pending";
    wrong.push("consent");
  }
  if (apiToken && trackUrl) {
    // One slash stands between the two, whatever slashes and blanks the first ends with, and slashes the second begins with.
    const path = `${trackUrl} /${eventPath || EVENT_PATH}`.replace(/[/\s]* \/+/, "/");
    const address = `${path}?api_token=${encodeURIComponent(`${apiToken}`.trim())}`;
    // Against the page's own address, so that no `<base>` sends it elsewhere; `srcdoc` and `blob:` pages have an origin alone.
    url = attempt(() => new URL(address, location.href).href) ?? attempt(() => new URL(address, origin).href);
  }
  if (!url) wrong.push("apiToken, trackUrl");
  return wrong.join(", ");
};
