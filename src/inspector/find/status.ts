/** What it means that an answer is not good, beside the service's own words; or that somebody else answers, or nobody. */
import { insideOf, isOwnSite } from "../ask/address.js";
import type { Exchange } from "../watch/activity.js";
import { type Cause, type Evidence, isPage } from "./evidence.js";

export const KEPT = "Events are kept, and sent once that is put right.";

/** The path of the endpoint stands there twice. */
export const ofTwice = (address: string, status: string): Cause =>
  /(\/[^?]+)\1$/.test(address) &&
  `There is no event endpoint at ${address}${status}: its path stands there twice, because it is added to data-track-url. Leave it out there. ${KEPT}`;

/** Whoever gives the page its script: a web server, as that of the demo's site. */
export const ofScriptHost = ({ page, activity: { address } }: Evidence, status: string): Cause => {
  const src = page.tags[0]?.src;
  const host = src ? new URL(src).origin : page.origin;
  return (
    host !== page.origin &&
    isOwnSite(address, host) &&
    `Requests go to ${address}, where the script comes from${status}: a web server, most likely, and no service. Write the service's address in data-track-url (npm start prints both). ${KEPT}`
  );
};

/** The page's own site. */
export const ofOwnSite = (address: string, answer: string): string =>
  `This site itself answers at ${address} (${answer}), and passes nothing on to a service: set up the proxy for this path, or write the service's own address, with https://, in data-track-url (trackUrl of init).`;

/** Nobody is there. */
export const ofNobody = ({ page, activity: { address, service } }: Evidence): Cause => {
  if (!service || service.hangs || service.isThere) return "";
  const access =
    service.access === "refused"
      ? "this browser has refused the page to ask there (Local Network Access). Allow it in the site's settings, beside the page's address"
      : "browsers ask the visitor first, or refuse, and those that ask let only https pages ask (Local Network Access). Allow it, if you are asked";
  const certificate = address.startsWith("https:") ? ", and speaks https with a certificate that holds" : "";
  return (
    (service.access !== "granted" &&
      `This page is on the internet, and the service, ${address}, is ${insideOf(address, page.origin)}: ${access}; for visitors the service needs an address on the internet.`) ||
    (service.isPlain &&
      `Nothing answers by https at ${address}, but something does by http: give the service a certificate, or write http:// in data-track-url (trackUrl of init).`) ||
    (service.isHostThere &&
      `Nothing comes from ${address}, though its host answers at another path: most likely an extension of the browser blocks it. Try without extensions; for visitors who have one, serve script and service from your own domain, under names of your own.`) ||
    `Nothing answers at ${address}: check the address, and that the service runs${certificate}.`
  );
};

const says = ({ words, answerType, body }: Exchange): string => {
  if (!words) return body ? " It says nothing more." : ' What it said, "Send now" or a test event shows.';
  return isPage(answerType) ? ` A web page says: "${words}".` : ` The service says: ${words}.`;
};

const ofToken = (evidence: Evidence, { token, words, type, body, status }: Exchange, said: string): string => {
  const sent = token || evidence.options.apiToken || "";
  const access = /access/i.test(`${sent}`) ? " By its name it is the access token, which reads records." : "";
  return body && /missing/i.test(words)
    ? `The service found no API token (status ${status}).${said} Sent was api_token «${sent}» in the query, as ${type}: it was lost on the way, as by a proxy that drops the query. ${KEPT}`
    : `The service refuses the API token (status ${status}).${said} Sent was «${sent}»: it must be the API token.${access} Events are kept, and sent once the service takes this token, or once the page has another one and names this one in data-former-token.`;
};

/** By status, the first that matches. */
export const ofStatus = (evidence: Evidence, answer: Exchange): Cause => {
  const { page, activity, stored } = evidence;
  const { address } = activity;
  const { status, event, answerType, retryAfter, type, body } = answer;
  const said = says(answer);
  const at = `at ${address} (status ${status})`;
  const seconds = retryAfter || Math.ceil(stored.pauseMs / 1_000);
  const is = (...meant: number[]): boolean => meant.includes(status);
  return (
    (is(404, 405, 501) &&
      isOwnSite(address, page.origin) &&
      `${ofOwnSite(address, `status ${status}`)}${said} ${KEPT}`) ||
    (is(401, 403) &&
      isPage(answerType) &&
      `A web page answers ${at}, and not the service: a log-in or a firewall stands in front of it.${said} ${KEPT}`) ||
    (is(401, 403) && ofToken(evidence, answer, said)) ||
    (is(404, 405) && (ofTwice(address, ` (status ${status})`) || ofScriptHost(evidence, ` (status ${status})`))) ||
    (is(404, 405) && `There is no event endpoint ${at}: check data-track-url and data-event-path.${said} ${KEPT}`) ||
    (is(421) &&
      `The service ${at} does not answer for this host name: check the host in data-track-url, and which Host a proxy passes on.${said} ${KEPT}`) ||
    (is(429) &&
      `The service asks to send less (status 429), for ${seconds} s.${body && said} Events are kept and sent later.`) ||
    ((status >= 500 || is(408, 425)) &&
      `The service fails (status ${status}).${said} Events are kept and tried again.`) ||
    (status < 400 &&
      `${address} redirects (status ${status}), which is not followed: name the address that it leads to. ${KEPT}`) ||
    (is(413) &&
      `The event is too large for what stands ${at}.${said} Give it fewer or shorter params, or let the proxy pass more.`) ||
    `The service refuses ${event ? `the event "${event}"` : "what it is sent"} (status ${status}).${said} ${type && `Sent was Content-Type: ${type}.`} Where it names nothing else, check data-api-token first, then the event's name and members.`
  );
};
