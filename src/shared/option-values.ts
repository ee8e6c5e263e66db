/** What the tracker and the inspector must read alike of the options. */
import { attempt } from "./attempt.js";

/** Path of the event endpoint (the service's interface, `POST /v1/track/event`). */
export const EVENT_PATH = "/v1/track/event";

/** Is a switch on? Attributes are texts, and one without a value is an empty text. */
export const isOn = (value: unknown): boolean => value === "" || `${value}` === "true";

type Addressing = { apiToken?: unknown; trackUrl?: unknown; eventPath?: unknown };

/** The one URL of all events, with its token; nothing where it is not known, and events wait. */
export const urlOf = ({ apiToken, trackUrl, eventPath }: Addressing): string | undefined => {
  // One slash stands between the two, whatever slashes and blanks the first ends with, and slashes the second begins with.
  const path = `${trackUrl} /${eventPath || EVENT_PATH}`.replace(/[/\s]* \/+/, "/");
  const address = `${path}?api_token=${encodeURIComponent(`${apiToken}`.trim())}`;
  // On a page by https, browsers block plain http, but for this computer's; and Firefox fails each keepalive request that the
  // page's policy upgrades (measured with Firefox 153).
  const secure = () =>
    /^https/.test(location.href) ? address.replace(/^\s*http:(?!\/\/(127|\[|localhost))/, "https:") : address;
  // Against the page's own address, so that no `<base>` sends it elsewhere; `srcdoc` and `blob:` pages have an origin alone.
  if (apiToken && trackUrl)
    return attempt(() => new URL(secure(), location.href).href) ?? attempt(() => new URL(address, origin).href);
};

/**
 * Six letters and digits under which the rows of a token are filed: its hash in the manner of FNV-1a, of 32 bits (RFC 9923).
 * `crypto.subtle` is asynchronous, and not there on plain `http`.
 *
 * @param token as an option gives it; none counts as an empty one
 */
export const scopeOf = (token: unknown = ""): string => {
  const bytes = new TextEncoder().encode(`${token}`.trim());
  return (1e10 + bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 16_777_619), 1e10)).toString(36).slice(-6);
};
