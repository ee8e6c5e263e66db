/** What it means that an answer is not good, beside the service's own words; or that nobody answers. */
import { insideOf, isOwnSite } from "../ask/address.js";
import type { Exchange } from "../watch/activity.js";
import { type Cause, type Evidence, isPage } from "./evidence.js";

export const KEPT = "Events are kept, and sent once that is put right.";

/** The page's own site. */
export const ofOwnSite = (address: string, answer: string): string =>
  `This site itself answers at ${address} (${answer}), and passes nothing on to a service: set up the proxy for this path, or write the service's own address, with https://, in data-track-url (trackUrl of init).`;

/** The service is there at its usual path. */
export const ofUsual = ({ activity: { address, service } }: Evidence): Cause =>
  service?.usual &&
  `There is no event endpoint at ${address}, but there is one at ${service.usual}: data-event-path is added to data-track-url, so write there what stands before it. ${KEPT}`;

/** Nobody is there. */
export const ofNobody = ({ page, activity: { address, service } }: Evidence): Cause => {
  const { reach } = service ?? {};
  const certificate = address.startsWith("https:") ? ", and speaks https with a certificate that holds" : "";
  return (
    (reach === "inside" &&
      `This page is on the internet, and the service, ${address}, is ${insideOf(address, page.origin)}: browsers ask the visitor first, or refuse, and those that ask let only https pages ask (Local Network Access). Allow it in the site's settings; visitors need an address on the internet.`) ||
    (reach === "host" &&
      `Nothing comes from ${address}, though its host answers at another path: most likely an extension of the browser blocks it. Try without extensions; for visitors who have one, serve script and service from your own domain, under names of your own.`) ||
    (reach === "nowhere" &&
      `Nothing answers at ${address}: check the address, and that the service runs${certificate}.`)
  );
};

const says = ({ words, answerType, isHeard }: Exchange): string => {
  if (!words) return isHeard ? " It says nothing more." : ' What it said, "Send now" or a test event shows.';
  return isPage(answerType) ? ` A web page says: "${words}".` : ` The service says: ${words}.`;
};

/** By status, the first that matches. */
export const ofStatus = (evidence: Evidence, answer: Exchange): Cause => {
  const { page, stored } = evidence;
  const { address } = evidence.activity;
  const { status, event, answerType, retryAfter, type, length } = answer;
  const said = says(answer);
  const sent = answer.token || evidence.options.apiToken;
  const at = `at ${address} (status ${status})`;
  const seconds = retryAfter || Math.ceil(stored.pauseMs / 1_000) || "";
  const is = (...meant: number[]): boolean => meant.includes(status);
  return (
    (is(404, 405, 501) &&
      isOwnSite(address, page.origin) &&
      `${ofOwnSite(address, `status ${status}`)}${said} ${KEPT}`) ||
    (is(401, 403) &&
      isPage(answerType) &&
      `A web page answers ${at}, and not the service: a log-in or a firewall stands in front of it.${said} ${KEPT}`) ||
    (is(401, 403) &&
      `The service refuses the API token (status ${status}).${said} Sent was api_token «${sent}» in the query: it must be the API token, not the access token. Where the service has not found it, something on the way drops the query. Events are kept, and sent once the service takes this token, or another one names it in data-former-token.`) ||
    (is(404, 405) && ofUsual(evidence)) ||
    (is(404, 405, 421) &&
      `There is no event endpoint ${at}: check data-track-url, whose host must be the service's, and data-event-path, which is added to it.${said} ${KEPT}`) ||
    (is(429) &&
      `The service asks to send less (status 429)${seconds && `, for ${seconds} s`}.${said} Events are kept and sent later.`) ||
    ((status >= 500 || is(408, 425)) &&
      `The service fails (status ${status}).${said} Events are kept and tried again.`) ||
    (status < 400 &&
      `${address} redirects (status ${status}), which is not followed: name the address that it leads to. ${KEPT}`) ||
    `The service refuses ${event ? `the event "${event}"` : "what it is sent"} (status ${status}).${said} ${type && `Sent were ${length} characters, Content-Type: ${type}.`} Where it names nothing else, check data-api-token first, then the event's name, members and size.`
  );
};
