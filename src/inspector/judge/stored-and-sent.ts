/** What is stored in the page, whether a request leaves it, what is answered to preflight and event, and whether it is the service. */
import { isEndpoint } from "../ask/own-requests.js";
import type { Exchange } from "../watch/activity.js";
import { visible, written } from "../watch/visible.js";
import { toldAt } from "./calls.js";
import type { Cause, Evidence, Look } from "./evidence.js";
import { bad, good, isGood, isOwnSite, isPage, ofSilence, policyOn, seconds, unknown, waits } from "./evidence.js";
import { isLeft, ofName } from "./option-faults.js";

/** An event that could be sent for so long, and that no request is under way for, is stuck. Milliseconds. */
const STUCK_MS = 20_000;

/** Something should have been tracked: a page view, or by a call that stands by itself in a script. Nothing of it is to be seen. */
const isMissed = ({ page, stored, options, contact, isEarly }: Evidence): boolean => {
  const isCalled = page.written.some(({ verb, isOuter }) => isOuter && /^(track|pageview)$/.test(verb));
  const isExpected = isCalled || options.pageviews !== "off";
  return isExpected && !page.isRecordFull && contact !== "" && stored.pauseMs === 0 && !isEarly;
};

export const stored = (given: Evidence): Look => {
  const { page, activity } = given;
  const { events, eventCount, isThere } = given.stored;
  const { beforeSend, pageviews } = given.options;
  const names = events.slice(0, 4).map(({ event }) => event);
  const waiting = eventCount > 0 ? `${eventCount} wait: ${names.join(", ")}` : "none waits";
  const seen = `${waiting}${activity.queued > 0 ? `, ${activity.queued} taken since this panel was opened` : ""}`;
  const memory = !isThere && "Without a localStorage events wait in memory, and end with the page.";
  const causes = [
    activity.queued === 0 &&
      activity.told.get("dropped")?.has("beforeSend") &&
      "beforeSend has dropped every event, by null or false: let it return the event.",
    ...toldAt("Stored here", activity),
    activity.isUnstored &&
      isThere &&
      "The storage is full, also of what other scripts keep there: what waits, and who is named, ends with the page.",
    page.isJsonOdd &&
      "An old library has changed how JSON is written (Array.prototype.toJSON): lists are sent as texts. Update it, or delete that function.",
    ...activity.altered,
  ];
  if (causes.some(Boolean)) return bad(seen, ...causes);
  if (given.denial || given.isPending || page.global !== "running") return unknown(seen);
  if (eventCount > 0 || activity.queued > 0 || given.hasRequests) return good(seen, memory);
  // Where the page's own fetch has it, the next step says so.
  if (given.isEarly || (isMissed(given) && activity.ownFetch && !beforeSend)) return unknown(seen);
  const cause = beforeSend
    ? "beforeSend has dropped it, or its script was stopped (a test event says which)"
    : `an error or a policy has stopped its script (${given.error})`;
  if (isMissed(given)) return bad(seen, `A page view or a call of track should have made an event: ${cause}.`);
  const isOff = pageviews === "off" ? ': pageviews is "off", so only calls of track and pageview do' : "";
  const nothing = `Nothing was tracked on this page yet${isOff}. "Send a test event" goes the whole way.`;
  return waits("nothing", nothing, memory);
};

const KEPT = "Events are kept, and sent once that is put right.";

/** Nothing comes that the page may read: nobody is there, or it is something else, or it is closed. */
const ofAddress = ({ page: { origin }, last, options, activity: { address, service } }: Evidence): Cause => {
  const { reach, isRedirect, plain, other } = service ?? {};
  const closed = `it is an error page or not the service, or does not allow this page (CORS): that takes one header Access-Control-Allow-Origin: ${origin} (or *), not another or two. This shows it: curl -i -X POST -H 'Origin: ${origin}' -H 'Content-Type: application/json' '${address}'`;
  if (reach === "inside")
    return `This page is on the internet, and the service, ${address}, on a computer or in a network of your own: browsers ask the visitor first, on https alone, or refuse (Local Network Access). Visitors need an address on the internet.`;
  if (reach === "hangs") return `${address} takes requests, and does not answer: check the service and its log.`;
  if (other) return `No event endpoint is at ${address}, but one is at ${other}: correct data-track-url. ${KEPT}`;
  if (isRedirect || last?.status === 302)
    return `${address} redirects, which is not followed: name the address that it leads to, ${plain?.leadsTo || "which a tab shows"}. ${KEPT}`;
  const secured =
    /^\s*http:/.test(`${options.trackUrl}`) &&
    address.startsWith("https:") &&
    "trackUrl says http, and this page is https, so https is asked: give the service a certificate";
  const moved = "it redirects, as from http to https: a tab shows the address to name";
  const isThere = reach === "there";
  return reach && !plain?.status && `${ofSilence(address, isThere, secured || moved, isThere && closed)} ${KEPT}`;
};

/** What of the page stands between it and the network. */
const ofGate = (given: Evidence): Cause => {
  const { page, activity } = given;
  const { address, service, exchanges, isRecorded, passedWorker, ownFetch } = activity;
  const { origin = "none" } = address ? new URL(address) : {};
  const last = exchanges.find(({ status }) => status >= 0);
  const begins = `It begins: ${ownFetch}. Let it pass what goes to ${address} as it is.`;
  const isSwallowed = last ? last.status > 0 : isMissed(given) && !given.options.beforeSend && !given.stored.eventCount;
  const policy = policyOn(given, "connect-src", origin, `Name ${origin} in connect-src.`);
  if (policy) return policy;
  if (ownFetch && !isRecorded && isSwallowed)
    return `No request has left: the page's own fetch has answered by itself. ${begins}`;
  if (ownFetch && given.isAstray && service?.json && isEndpoint(service.json))
    return `The service answers past the page's own fetch alone (${service.json.status}): that changes requests, or adds a header that is not allowed. ${begins}`;
  // A refusal of GET, to who had sent a POST.
  const isGet = last?.status === 405 && /\bGET\b.*\bPOST\b/.test(last.words);
  if (page.worker && (isGet || (passedWorker && (last?.from || isPage(last?.answerType ?? "")))))
    return `A service worker answers or changes what goes to the address${isGet ? " (a POST has come as GET)" : ""}: ${page.worker}. Let it leave ${address} alone.`;
};

export const sent = (given: Evidence): Look => {
  const { page, activity, openMs, failures } = given;
  const { pauseMs, readyMs, failedAt } = given.stored;
  const { address, exchanges, service } = activity;
  const [last] = exchanges;
  const seen = given.hasRequests ? `POST ${address}${last?.isHeard ? "" : ", before this panel"}` : "no request";
  const isNobody = given.isUnheard && service && service.reach !== "there" && service.reach !== "hangs";
  const cause = ofGate(given) || (isNobody && ofAddress(given));
  if (cause) return bad(seen, cause);
  if (!page.isOnline) return waits("offline", "The browser is offline. Events are kept until it is back.");
  if (openMs > 0) return waits(seen, `A request is under way since ${seconds(openMs)}, and has no answer yet.`);
  if (given.hasRequests && (last?.status || pauseMs === 0)) return good(seen);
  const where = failedAt < performance.timeOrigin ? "on an earlier page" : `${failures || 1} ×`;
  if (pauseMs > 0) return waits(seen, `Sending has failed (${where}). "Send now" tries once more.`);
  if (page.global !== "running" || readyMs < STUCK_MS) return unknown(seen);
  return bad(seen, `An event waits since ${seconds(readyMs)}, and no request is made: check trackUrl and the consent.`);
};

export const preflight = (evidence: Evidence): Look => {
  const { page, activity } = evidence;
  const { address, service, exchanges } = activity;
  if (address && isOwnSite(address, page.origin)) return good("none is needed: it is the page's own origin");
  if (evidence.isBlind) return good("none is needed for text/plain");
  if (exchanges.some(({ status }) => status > 0)) return good("allowed: an answer came through");
  const { plain, json } = service ?? {};
  if (!plain?.status || json?.status) return unknown("not seen");
  return bad(
    `POST without a preflight: ${plain.status}; with one: no answer`,
    `POST is answered, and OPTIONS not as it must be, by the service or what is in front of it: with 2xx, Access-Control-Allow-Origin: ${page.origin} (or *), and Access-Control-Allow-Headers: Content-Type. ${KEPT}`,
  );
};

const ofOwnSite = (address: string, answer: string): string =>
  `This site itself answers at ${address} (${answer}): let its proxy pass that path on, or write the service's own address, with https://, into data-track-url.`;

const says = ({ words, answerType, isHeard }: Exchange): string => {
  if (!words) return isHeard ? " It says nothing more." : ' "Send now" or a test event shows what it said.';
  return isPage(answerType) ? ` A web page says: "${words}".` : ` The service says: ${words}.`;
};

const ofStatus = (evidence: Evidence, answer: Exchange): Cause => {
  const { page, activity, options } = evidence;
  const { address, service } = activity;
  const { status, sent, answerType } = answer;
  const said = says(answer);
  const at = `at ${address} (status ${status})`;
  const is = (...meant: number[]): boolean => meant.includes(status);
  if (is(404, 405, 501) && isOwnSite(address, page.origin))
    return `${ofOwnSite(address, `status ${status}`)}${said} ${KEPT}`;
  if (is(401, 403) && isPage(answerType))
    return `A web page answers ${at}, as of a log-in or a firewall in front of the service.${said} ${KEPT}`;
  if (is(401, 403))
    return `The service refuses the API token (status ${status}).${said} Sent was api_token «${options.apiToken}» in the query: it must be the API token, not the access token, and nothing may drop the query on the way. Events are kept; with another token, name this one in data-former-token.`;
  if (status < 400 || (is(404, 405, 421) && service?.other)) return ofAddress(evidence);
  if (is(404, 405, 421))
    return `No event endpoint is ${at}: check data-track-url, whose host must be the service's, and data-event-path, which is added to it.${said} ${KEPT}`;
  if (is(429)) return `The service asks to send less (status 429).${said} Events are kept and sent later.`;
  if (status >= 500 || is(408, 425))
    return `The service fails (status ${status}).${said} Events are kept and tried again.`;
  const what = sent[0] ? `the event "${sent[0].event}"` : "what it is sent";
  return `The service refuses ${what} (status ${status}).${said} Check data-api-token first, then the event's name, members (the stamp, too: data-stamp) and size.`;
};

export const answered = (evidence: Evidence): Look => {
  const { page, stored, activity, last: found } = evidence;
  const { service } = activity;
  const words = found?.words ? `, ${found.words}` : "";
  const seen = found ? `${found.status || "no answer that can be read"}${words}` : "no answer";
  // What the page itself does with it, the step before says.
  if (!page.isOnline || service?.reach === "inside" || ofGate(evidence)) return unknown(seen);
  // What the browser itself has kept of a request may lack the answer. A pause says that there was none, as does a request of the panel's.
  const isSilent = found
    ? found.status === 0 && (found.isHeard || stored.pauseMs > 0 || service)
    : service?.reach === "hangs" && stored.readyMs > 0;
  if (isSilent || (found?.status === 302 && service)) {
    // Where nobody is there, and where the preflight alone fails, their steps say so.
    const isTold = service && !["there", "hangs"].includes(service.reach);
    const cause = !isTold && ofAddress(evidence);
    return cause ? bad(seen, cause) : unknown(seen);
  }
  if (found?.from)
    return bad(seen, `The answer comes from ${found.from}, by a redirect or a service worker: it does not count.`);
  if (found?.status && !isGood(found.status)) return bad(seen, ofStatus(evidence, found));
  const rejected = toldAt("Answered", activity);
  if (rejected.some(Boolean)) return bad(seen, ...rejected);
  return found?.status ? good(seen) : unknown(seen);
};

const LOST = "Events count as delivered, and nothing says that they are stored.";
const BLIND =
  "With text/plain no answer can be read, and what is refused is lost: where the service allows this page (CORS), leave data-content-type out.";
const LEFT = "which a template or a script has left.";

/** What of the events that were accepted is not what anybody means. */
const ofSent = ({ activity }: Evidence): Cause[] => {
  const events = activity.exchanges.flatMap(({ status, sent }) => (isGood(status) ? sent : []));
  return events.flatMap(({ event, contact, params }): Cause[] => [
    ofName("contact", contact),
    typeof params.account_uid === "string" && ofName("account", params.account_uid),
    isLeft(event) && `An event is called "${visible(event)}", ${LEFT}`,
    ...Object.entries(params).map(
      ([name, value]) =>
        !/_url$|^account_uid$|^referrer$/.test(name) &&
        isLeft(value) &&
        `${name} of "${event}" was sent as ${written(value)}, ${LEFT}`,
    ),
  ]);
};

export const kept = (evidence: Evidence): Look => {
  const { activity, page, last } = evidence;
  const { address } = activity;
  if (evidence.isBlind && evidence.hasRequests) return waits("no answer can be read", BLIND);
  if (!last || !isGood(last.status)) return unknown("nothing yet");
  const { words, status } = last;
  const seen = `${status}${last.isHeard ? `: ${words || "no words"}` : ", before this panel was opened"}`;
  const isWebPage = isPage(last.answerType);
  if (isWebPage && isOwnSite(address, page.origin))
    return bad(seen, `${ofOwnSite(address, "a web page, HTML")} ${LOST}`);
  const isError = /"(error|errors|message)"\s*:|"(ok|success)"\s*:\s*false/.test(words);
  const what = isWebPage ? `it is a web page (HTML)${words && `, "${words}"`}` : `it speaks of an error: ${words}`;
  if (isWebPage || isError)
    return bad(seen, `The answer is good, but ${what}. ${LOST} Check data-track-url and data-event-path.`);
  const odd = ofSent(evidence);
  if (odd.some(Boolean)) return bad(seen, ...odd);
  return last.isHeard ? good(seen) : unknown(seen);
};
