/** What is stored in the page, and whether a request leaves it. */
import { isMixed } from "../ask/address.js";
import { bad, type Cause, type Evidence, good, isPage, type Look, policyOn, unknown, waits } from "./evidence.js";
import { ofNobody } from "./status.js";
import { toldAt } from "./told.js";

/** An event that could be sent for so long, and that no request is under way for, is stuck. Milliseconds. */
const STUCK_MS = 20_000;

const ofHook = ({ activity: { told, queued }, options: { beforeSend } }: Evidence): Cause => {
  if (typeof beforeSend === "function" && beforeSend.constructor.name === "AsyncFunction")
    return "beforeSend is async, so it gives a promise, which is no event: all events are dropped. Let it return the event itself, or nothing.";
  const isDropped = queued === 0 && told.get("dropped")?.has("beforeSend");
  return isDropped && "beforeSend has dropped every event: it returns null or false. Let it return the event.";
};

/** Something should have been tracked: a page view, or by a call that stands by itself in a script. Nothing of it is to be seen. */
const isMissed = ({ page, stored, options, contact, isEarly }: Evidence): boolean => {
  const isCalled = page.inline.calls.some(({ verb, isOuter }) => isOuter && /^(track|pageview)$/.test(verb));
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
  const memory = !isThere && "This page has no localStorage: events wait in memory, and end with the page.";
  const hook = ofHook(given);
  const causes = [
    ...(hook ? [hook] : toldAt("Stored here", activity)),
    activity.isUnstored &&
      isThere &&
      "The storage takes nothing more: it is full, also of what other scripts have put there. What waits, and who is named, ends with the page.",
  ];
  if (causes.some(Boolean)) return bad(seen, ...causes);
  if (given.denial || given.isPending || page.global !== "running") return unknown(seen);
  if (eventCount > 0 || activity.queued > 0 || given.hasRequests) return good(seen, memory);
  // Where the page's own fetch has it, the next step says so.
  if (given.isEarly || (isMissed(given) && ownFetch && !beforeSend)) return unknown(seen);
  const cause = beforeSend
    ? "beforeSend has dropped it, most likely: a test event says it for sure"
    : "its script was stopped, by an error or by the page's policy (the console shows it)";
  if (isMissed(given))
    return bad(seen, `A page view or a call of track should have made an event, and none is to be seen: ${cause}.`);
  const isOff = pageviews === "off" ? ': pageviews is "off", so only calls of track and pageview do' : "";
  const nothing = `Nothing was tracked on this page yet${isOff}. "Send a test event" goes the whole way.`;
  return waits("nothing", nothing, memory);
};

/** What of the page stands between it and the network. */
const ofGate = (given: Evidence): Cause => {
  const { page, activity, ownFetch } = given;
  const { address, service, exchanges, isRecorded, passedWorker } = activity;
  const { origin = "none" } = address ? new URL(address) : {};
  const [last] = exchanges;
  const begins = `It begins: ${ownFetch}. Let it pass what goes to ${address} as it is.`;
  const isSwallowed = last ? last.status > 0 : isMissed(given) && !given.options.beforeSend && !given.stored.eventCount;
  return (
    (isMixed(address, page.origin) &&
      `This page is https, and the service's address, ${address}, is http: the browser lets no such request out (mixed content). Give the service a certificate, and write https://.`) ||
    policyOn(given, "connect-src", origin, `Name ${origin} in connect-src.`) ||
    (ownFetch &&
      !isRecorded &&
      isSwallowed &&
      `No request has left: the page's own fetch has answered by itself. ${begins}`) ||
    (ownFetch &&
      last?.status === 0 &&
      service?.json?.status &&
      `Without the page's own fetch the service answers (${service.json.status}), with it nothing does: it changes the requests, or adds a header that the service does not allow. ${begins}`) ||
    (page.worker &&
      passedWorker &&
      isPage(last?.answerType ?? "") &&
      `A service worker stands in front of the address, and answers or changes what goes there: ${page.worker}. Let it leave requests to ${address} alone.`)
  );
};

export const sent = (given: Evidence): Look => {
  const { page, activity } = given;
  const { pauseMs, readyMs } = given.stored;
  const { address, exchanges } = activity;
  const [last] = exchanges;
  const words = last?.isHeard && `${last.type}, ${last.length} characters, api_token «${last.token}»`;
  const seen = given.hasRequests ? `POST ${address}, ${words || "before this panel was opened"}` : "no request";
  const cause = ofGate(given) || (given.isUnheard && ofNobody(given));
  if (cause) return bad(seen, cause);
  if (!page.isOnline) return waits("offline", "The browser is offline. Events are kept until it is back.");
  if (given.hasRequests) return good(seen);
  const next = `The next attempt comes in ${Math.ceil(pauseMs / 1_000)} s ("Send now" makes one).`;
  if (pauseMs > 0) return waits(seen, `An earlier page has failed to send. ${next}`);
  if (page.global !== "running" || readyMs < STUCK_MS) return unknown(seen);
  return bad(seen, "An event waits, and no request is made: check apiToken, trackUrl and the consent.");
};
