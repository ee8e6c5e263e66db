/** What is stored in the page, whether a request leaves it, and what the service answers: to the preflight, to the event, and whether it is the service at all. */
import { insideOf, isMixed } from "../ask/look.js";
import type { Exchange } from "../watch/activity.js";
import { visible, written } from "../watch/visible.js";
import { toldAt } from "./calls.js";
import {
  bad,
  type Cause,
  type Evidence,
  good,
  isGood,
  isOwnSite,
  isPage,
  type Look,
  ofSilence,
  policyOn,
  seconds,
  unknown,
  waits,
} from "./evidence.js";
import { isLeft, isMarkup, ofName } from "./options.js";

/** An event that could be sent for so long, and that no request is under way for, is stuck. Milliseconds. */
const STUCK_MS = 20_000;

const ofHook = ({ activity: { told, queued } }: Evidence): Cause => {
  const isDropped = queued === 0 && told.get("dropped")?.has("beforeSend");
  return isDropped && "beforeSend has dropped every event, by null or false: let it return the event.";
};

/** Something should have been tracked: a page view, or by a call that stands by itself in a script. Nothing of it is to be seen. */
const isMissed = ({ page, stored, options, contact, isEarly }: Evidence): boolean => {
  const isCalled = page.written.some(({ verb, isOuter }) => isOuter && /^(track|pageview)$/.test(verb));
  const isExpected = isCalled || options.pageviews !== "off";
  return isExpected && !page.isRecordFull && contact !== "" && stored.pauseMs === 0 && !isEarly;
};

export const stored = (given: Evidence): Look => {
  const { page, activity, ownFetch } = given;
  const { events, eventCount, isThere } = given.stored;
  const { beforeSend, pageviews } = given.options;
  const names = events.slice(0, 4).map(({ event }) => event);
  const waiting = eventCount > 0 ? `${eventCount} wait: ${names.join(", ")}` : "none waits";
  const seen = `${waiting}${activity.queued > 0 ? `, ${activity.queued} taken since this panel was opened` : ""}`;
  const memory = !isThere && "Without a localStorage events wait in memory, and end with the page.";
  const hook = ofHook(given);
  const causes = [
    ...(hook ? [hook] : toldAt("Stored here", activity)),
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
  if (given.isEarly || (isMissed(given) && ownFetch && !beforeSend)) return unknown(seen);
  const [error = "the console shows it"] = activity.errors;
  const cause = beforeSend
    ? "beforeSend has dropped it, or its script was stopped (a test event says which)"
    : `its script was stopped, by an error or by a policy (${error})`;
  if (isMissed(given)) return bad(seen, `A page view or a call of track should have made an event: ${cause}.`);
  const isOff = pageviews === "off" ? ': pageviews is "off", so only calls of track and pageview do' : "";
  const nothing = `Nothing was tracked on this page yet${isOff}. "Send a test event" goes the whole way.`;
  return waits("nothing", nothing, memory);
};

const KEPT = "Events are kept, and sent once that is put right.";

const CLOSED = (origin: string): string =>
  `it does not allow this page (CORS), by one header Access-Control-Allow-Origin: ${origin} (or *): it sends none, as a proxy's error page, or two, or one for another origin. This shows it`;

/** Nothing comes that the page may read: nobody is there, or it is something else, or it is closed. */
const ofAddress = ({ page, last, activity: { address, service } }: Evidence): Cause => {
  const { reach, isRedirect, plain, other } = service ?? {};
  const command = `curl -i -X POST -H 'Origin: ${page.origin}' -H 'Content-Type: application/json' '${address}'`;
  return (
    (reach === "inside" &&
      `This page is on the internet, and the service, ${address}, ${insideOf(address, page.origin)}: browsers ask the visitor first, on https alone, or refuse (Local Network Access). Visitors need an address on the internet.`) ||
    (reach === "hangs" && `${address} takes requests, and does not answer: check the service and its log.`) ||
    (other &&
      `No event endpoint is at ${address}, but one is at ${other}: correct data-track-url (its path of events is added). ${KEPT}`) ||
    ((isRedirect || last?.status === 302) &&
      `${address} redirects, which is not followed: name the address that it leads to, ${plain?.leadsTo || "which a tab shows"}. ${KEPT}`) ||
    (reach && !plain?.status && `${ofSilence(address, reach, `${CLOSED(page.origin)}: ${command}`)} ${KEPT}`)
  );
};

/** What of the page stands between it and the network. */
const ofGate = (given: Evidence): Cause => {
  const { page, activity, ownFetch } = given;
  const { address, service, exchanges, isRecorded, passedWorker } = activity;
  const { origin = "none" } = address ? new URL(address) : {};
  const last = exchanges.find(({ status }) => status >= 0);
  const begins = `It begins: ${ownFetch}. Let it pass what goes to ${address} as it is.`;
  const isSwallowed = last ? last.status > 0 : isMissed(given) && !given.options.beforeSend && !given.stored.eventCount;
  return (
    (isMixed(address, page.origin) &&
      `This page is https, and ${address} is http, which no browser lets out (mixed content): give the service a certificate, and write https://.`) ||
    policyOn(given, "connect-src", origin, `Name ${origin} in connect-src.`) ||
    (ownFetch &&
      !isRecorded &&
      isSwallowed &&
      `No request has left: the page's own fetch has answered by itself. ${begins}`) ||
    (ownFetch &&
      last?.status === 0 &&
      service?.json?.status &&
      `Past the page's own fetch the service answers (${service.json.status}), through it nothing does: it changes requests, or adds a header that is not allowed. ${begins}`) ||
    (page.worker &&
      passedWorker &&
      (last?.from || isPage(last?.answerType ?? "")) &&
      `A service worker answers or changes what goes to the address: ${page.worker}. Let it leave ${address} alone.`)
  );
};

export const sent = (given: Evidence): Look => {
  const { page, activity, openMs, failures } = given;
  const { pauseMs, readyMs, failedAt } = given.stored;
  const { address, exchanges, service } = activity;
  const [last] = exchanges;
  const words = last?.isHeard && `${last.type}, ${last.length} characters, api_token «${last.token}»`;
  const seen = given.hasRequests ? `POST ${address}, ${words || "before this panel was opened"}` : "no request";
  const isNobody = given.isUnheard && service && service.reach !== "there" && service.reach !== "hangs";
  const cause = ofGate(given) || (isNobody && ofAddress(given));
  if (cause) return bad(seen, cause);
  if (!page.isOnline) return waits("offline", "The browser is offline. Events are kept until it is back.");
  if (openMs > 0) return waits(seen, `A request is under way since ${seconds(openMs)}, and has no answer yet.`);
  const isEarlier = failedAt < performance.timeOrigin;
  const next = `Sending has failed${isEarlier ? " on an earlier page" : ` (${failures || 1} ×)`}. The next attempt comes in ${seconds(pauseMs)} ("Send now" makes one).`;
  if (given.hasRequests && (isGood(last?.status ?? 0) || last?.status)) return good(seen);
  if (pauseMs > 0) return waits(seen, next);
  if (given.hasRequests) return good(seen);
  if (page.global !== "running" || readyMs < STUCK_MS) return unknown(seen);
  return bad(
    seen,
    `An event waits since ${seconds(readyMs)}, and no request is made: check apiToken, trackUrl and the consent.`,
  );
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

/** The page's own site. */
const ofOwnSite = (address: string, answer: string): string =>
  `This site itself answers at ${address} (${answer}): let its proxy pass that path on, or write the service's own address, with https://, into data-track-url.`;

const says = ({ words, answerType, isHeard }: Exchange): string => {
  if (!words) return isHeard ? " It says nothing more." : ' "Send now" or a test event shows what it said.';
  return isPage(answerType) ? ` A web page says: "${words}".` : ` The service says: ${words}.`;
};

/** Does it hold the members that the tracker itself adds? */
const isStamped = ({ sent }: Exchange): boolean =>
  sent.some(({ params }) => "event_id" in params && "event_seq" in params);

/** By status, the first that matches. */
const ofStatus = (evidence: Evidence, answer: Exchange): Cause => {
  const { page, stored } = evidence;
  const { address, service } = evidence.activity;
  const { status, sent: events, answerType, retryAfter, type, length } = answer;
  const said = says(answer);
  const token = answer.token || evidence.options.apiToken;
  const at = `at ${address} (status ${status})`;
  const wait = retryAfter || Math.ceil(stored.pauseMs / 1_000) || "";
  const is = (...meant: number[]): boolean => meant.includes(status);
  const [event] = events;
  const stamp =
    isStamped(answer) &&
    ' Is its schema of params strict? It may not know the stamp (event_id, occurred_at, event_source, event_seq): let it take these, or set data-stamp="false".';
  return (
    (is(404, 405, 501) &&
      isOwnSite(address, page.origin) &&
      `${ofOwnSite(address, `status ${status}`)}${said} ${KEPT}`) ||
    (is(401, 403) &&
      isPage(answerType) &&
      `A web page answers ${at}, as of a log-in or a firewall in front of the service.${said} ${KEPT}`) ||
    (is(401, 403) &&
      `The service refuses the API token (status ${status}).${said} Sent was api_token «${token}» in the query: it must be the API token, not the access token, and nothing may drop the query on the way. Events are kept; with another token, name this one in data-former-token.`) ||
    ((status < 400 || (is(404, 405, 421) && service?.other)) && ofAddress(evidence)) ||
    (is(404, 405, 421) &&
      `No event endpoint is ${at}: check data-track-url, whose host must be the service's, and data-event-path, which is added to it.${said} ${KEPT}`) ||
    (is(429) &&
      `The service asks to send less (status 429)${wait && `, for ${wait} s`}.${said} Events are kept and sent later.`) ||
    ((status >= 500 || is(408, 425)) &&
      `The service fails (status ${status}).${said} Events are kept and tried again.`) ||
    `The service refuses ${event ? `the event "${event.event}"` : "what it is sent"} (status ${status}).${said} ${type && `Sent were ${length} characters of ${type}.`}${stamp || ""} Else check data-api-token first, then the event's name, members and size.`
  );
};

/** The path of several events, where the service offers to take several. */
const ofSeveral = ({ activity: { exchanges, service, address } }: Evidence): Cause => {
  const asked = service?.several;
  const [single, several] = [false, true].map((kind) =>
    exchanges.find((one) => one.status > 0 && one.isSeveral === kind),
  );
  const isClosed = (status = 200): boolean => (status < 400 ? status >= 300 : [404, 405, 501].includes(status));
  const isLost = several && (isClosed(several.status) || (isGood(several.status) && !several.offer));
  const isOdd = isLost || (single?.offer && asked && (isClosed(asked.status) || asked.isPage || asked.leadsTo));
  return (
    isOdd &&
    `The service takes several events at once (Tracklet-Batch), and the proxy in front of it does not pass on their path, ${address}s (${several?.status ?? asked?.status}): until it does, events go one by one.`
  );
};

export const answered = (evidence: Evidence): Look => {
  const { page, stored, activity, last } = evidence;
  const { service, answers } = activity;
  // What an earlier panel has heard of the refusal that led to the pause.
  const isOf = ({ status }: { status: number }): boolean => !last || last.status === status;
  const found = last?.isHeard || stored.pauseMs === 0 ? last : (answers.find(isOf) ?? last);
  const words = found?.words ? `, ${found.words}` : "";
  const seen = found ? `${found.status || "no answer that can be read"}${words}` : "no answer";
  if (!page.isOnline || service?.reach === "inside") return unknown(seen);
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
    return bad(
      seen,
      `The answer comes from ${found.from}, and not from ${activity.address}, by a redirect or a service worker: it does not count.`,
    );
  if (found?.status && !isGood(found.status)) return bad(seen, ofStatus(evidence, found));
  const rejected = toldAt("Answered", activity);
  if (rejected.some(Boolean)) return bad(seen, ...rejected);
  return found?.status ? good(seen, ofSeveral(evidence)) : unknown(seen);
};

const LOST = "Events count as delivered, and nothing says that they are stored.";
const BLIND =
  "With text/plain no answer can be read: what the service refuses is lost unseen. Where it allows this page (CORS), leave data-content-type out.";

/** What of the events that were accepted is not what anybody means. */
const ofSent = ({ activity }: Evidence): Cause[] => {
  const events = activity.exchanges.flatMap(({ status, sent }) => (isGood(status) ? sent : []));
  const causes = events.flatMap(({ event, contact, params }): Cause[] => [
    ofName("contact", contact),
    typeof params.account_uid === "string" && ofName("account", params.account_uid),
    (isLeft(event) || isMarkup(event)) &&
      `An event is called "${visible(event)}", which a template or a script has left.`,
    ...Object.entries(params).map(
      ([name, value]) =>
        !/_url$|^account_uid$|^referrer$/.test(name) &&
        isLeft(value) &&
        `${name} of "${event}" was sent as ${written(value)}, which a template or a script has left.`,
    ),
  ]);
  return [...new Set(causes)];
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
    return bad(
      seen,
      `The answer is good, but ${what}. ${LOST} Check data-track-url, data-event-path and data-api-token.`,
    );
  const odd = ofSent(evidence);
  if (odd.some(Boolean)) return bad(seen, ...odd);
  return last.isHeard ? good(seen) : unknown(seen);
};
