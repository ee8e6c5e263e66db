/** What the last answer means, or that there was none, in words. */
import type { Activity } from "../watch/activity.js";
import { insideOf, isOwnSite } from "../watch/address.js";

/** Where the page and its script come from, and the token with which it asks. */
interface Place {
  origin: string;
  /** Where the script comes from; `""` where no tag says so. */
  scriptOrigin: string;
  token?: unknown;
}

const KEPT = "Events are kept, and sent once that is put right.";
const KEPT_FOR_TOKEN =
  "Events are kept, and sent once the service takes this token, or once the page has another one and names this one in data-former-token.";

export const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Does an answer say that the page, or the service's deployment, must be corrected? */
export const isConfiguration = (status: number): boolean =>
  status >= 300 && status < 500 && ![408, 425, 429].includes(status);

/** Of an answer that is this site's own: no proxy passes the event on. */
const ofOwnSite = (address: string, answer: string): string =>
  `This site itself answers at ${address} (${answer}), and passes nothing on to a service: set up the proxy for this path, or write the service's own address, with https://, in data-track-url (trackUrl of init).`;

/** Where requests go to whoever gives the page its script: a web server, as that of the demo's site. */
const ofScriptHost = (address: string): string =>
  `Requests go to ${address}, where the script comes from: a web server, most likely, and no service. Write the service's address in data-track-url (npm start prints both).`;

const isScriptHost = (address: string, { origin, scriptOrigin }: Place): boolean =>
  scriptOrigin !== "" && scriptOrigin !== origin && isOwnSite(address, scriptOrigin);

/** Of a good status, with a web page in place of the service's own answer. */
export const ofWebPage = (address: string, origin: string): string =>
  `${
    isOwnSite(address, origin)
      ? ofOwnSite(address, "a web page, HTML")
      : "The answer is good, but it is a web page (HTML), not the service's. Check data-track-url and data-event-path (trackUrl and eventPath of init)."
  } Events are taken for delivered, and are most likely stored nowhere.`;

/** Does the path of the endpoint stand there twice? */
const isTwice = (address: string): boolean => /(\/[^?]+)\1$/.test(address);

/** Is the path that of the event endpoint, where no option names another? */
const isUsual = (address: string): boolean => address.endsWith("/v1/track/event");

const ofTwice = (address: string, answer = ""): string =>
  `There is no event endpoint at ${address}${answer}: its path stands there twice, because it is added to data-track-url. Leave it out there. ${KEPT}`;

/** Of a token that the service refuses: what was sent, with its ends marked. */
const ofToken = (token: unknown): string => {
  const wanted = "must be the API token, not the access token";
  if (!token) return `It ${wanted}.`;
  return /access/i.test(`${token}`)
    ? `Sent was «${token}»: by its name, the access token, which reads records. It ${wanted}.`
    : `Sent was «${token}»: it ${wanted}.`;
};

/**
 * @param status of an answer that is not good
 */
export const ofStatus = (status: number, { address, isWall }: Activity, place: Place): string => {
  const { origin, token } = place;
  const at = address ? ` at ${address}` : "";
  if (isOwnSite(address, origin) && [404, 405, 501].includes(status))
    return `${ofOwnSite(address, `status ${status}`)} ${KEPT}`;
  if (isScriptHost(address, place) && [404, 405].includes(status)) return `${ofScriptHost(address)} ${KEPT}`;
  if (isWall && (status === 401 || status === 403))
    return `A web page (HTML) answers${at} with status ${status}, and not the service: a log-in or a firewall stands in front of it. ${KEPT}`;
  if (status === 401 || status === 403)
    return `The service refuses the API token (status ${status}): check data-api-token. ${ofToken(token)} ${KEPT_FOR_TOKEN}`;
  if (status === 404 && isTwice(address)) return ofTwice(address, " (status 404)");
  if (status === 404 || status === 405)
    return `There is no event endpoint${at} (status ${status}): check data-track-url and data-event-path. ${KEPT}`;
  if (status === 421)
    return `The service${at} does not answer for this host name (status 421): check the host in data-track-url, and which Host a proxy passes on. ${KEPT}`;
  if (status >= 300 && status < 400)
    return `The address${at} redirects, which is not followed: name the address that it leads to. ${KEPT}`;
  if (status === 429) return "The service asks to send less (status 429). Events are kept and sent later.";
  if (status >= 500 || status === 408 || status === 425)
    return `The service fails (status ${status}). Events are kept and tried again.`;
  if (status === 413)
    return "The service refuses what it is sent (status 413): the event is too large. Give it fewer or shorter params.";
  return `The service refuses what it is sent (status ${status}): check data-api-token first, then the event's name and members.`;
};

export const ofSilence = ({ silence, address }: Activity, place: Place): string => {
  const { origin } = place;
  const at = address || "the service";
  if (silence === "redirect") return ofStatus(302, { address } as Activity, place);
  if (silence === "hang")
    return `Something takes requests at ${at}, and does not answer: check the service and its log. Events are kept and tried again.`;
  if (silence === "policy")
    return `The page's Content-Security-Policy forbids requests to ${at}: name it in connect-src. ${KEPT}`;
  if (silence === "asked" || silence === "refused")
    return `This page is on the internet, and the service, ${address}, ${insideOf(address, origin)}: ${
      silence === "refused"
        ? "this browser has refused the page to ask there (Local Network Access). Allow it in the site's settings, beside the page's address"
        : "browsers ask the visitor first, or refuse, and those that ask let only https pages ask (Local Network Access). Allow it, if you are asked"
    }; for visitors the service needs an address on the internet. ${KEPT}`;
  // A service need not let a page read that there is no such path.
  if (silence === "cors" && isTwice(address)) return ofTwice(address);
  if (silence === "cors" && isScriptHost(address, place)) return `${ofScriptHost(address)} ${KEPT}`;
  if (silence === "cors")
    return `Something answers at ${at}, but does not allow this page to read it (CORS): the service must answer OPTIONS, too, with a status of 2xx and no redirect, send Access-Control-Allow-Origin: ${origin} (or *), and allow the Content-Type header. ${isUsual(address) ? "" : "Check data-event-path, too: for a path that it does not know, a service may send none of these. "}${KEPT}`;
  if (silence === "plain")
    return `Nothing answers by https at ${at}, but something does by http: give the service a certificate, or write http:// in data-track-url (trackUrl of init). ${KEPT}`;
  if (silence === "unreachable") {
    const certificate = address.startsWith("https:") ? ", that it speaks https with a certificate that holds" : "";
    return `Nothing answers at ${at}: check the address, that the service runs${certificate}, and whether an extension of the browser blocks it. Events are kept and tried again.`;
  }
  return "The last request had no answer. Events are kept and tried again.";
};
