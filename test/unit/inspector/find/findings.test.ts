/** What the inspector says of a page: problems, notes, or nothing. */
import { expect, it } from "vitest";
import type { AddOn } from "../../../../src/inspector/watch/trackers.js";
import { answered, type Case, finding, HTTP, INLINE, PENDING, QUIET, say, TAG } from "../say.js";

const SITE = "https://shop.example";
const OWN = { address: `${SITE}/v1/track/event` };
const CALLING = { inline: { ...INLINE, calls: true } };
const CDN = { address: "https://cdn.shop.example/live.html/v1/track/event" };
const PLAIN = { options: { ...TAG, contentType: "text/plain" } };
const TWICE = { address: "https://track.shop.example/v1/e/v1/e" };
const BY_CALL = { tag: undefined };
/** An earlier answer has passed, unless a pause stands. */
const HERE = "http://127.0.0.1:4100/v1/track/event";
const PASSED = {
  answers: [
    { at: 2, status: 200, event: "b" },
    { at: 1, status: 401, event: "a" },
  ],
};
/** By a call of another file: the panel sees it in no tag. */
const sent = (apiToken: string) => ({ ...answered(401), options: { ...TAG, apiToken } });
const addOn = (changes: Partial<AddOn>) => ({
  addOns: [{ src: "/tracklet.clicks.iife.js", options: {}, isRunning: true, ...changes }],
});
const problem = (code: string, detail: string) => ({ problems: new Map([[code, new Set([detail])]]) });

it.each<Case>([
  ["refuses the API token (status 401)", answered(401)],
  ["Sent was « token»: it must be the API token, not the access token", sent(" token")],
  ["by its name, the access token, which reads records", sent("demo-access-token")],
  ["no event endpoint at https://track.shop.example/v1/track/event", answered(404)],
  ["no event endpoint", answered(405)],
  ["redirects, which is not followed", answered(302)],
  ["does not answer for this host name (status 421): check the host in data-track-url", answered(421)],
  ["asks to send less", answered(429)],
  ["fails (status 408)", answered(408)],
  ["fails (status 500)", answered(500)],
  ["refuses what it is sent (status 400): check data-api-token first", answered(400)],
  ["(status 413): the event is too large", answered(413)],
  ["v1/e/v1/e (status 404): its path stands there twice", { ...answered(404), ...TWICE }],
  ["v1/e/v1/e: its path stands there twice", { ...answered(0), ...TWICE, silence: "cors" }],
  ["with status 403, and not the service: a log-in or a firewall", { ...answered(403), isWall: true }],
  ["redirects, which is not followed", { ...answered(0), silence: "redirect" }],
  [
    "takes requests at https://track.shop.example/v1/track/event, and does not answer",
    { ...QUIET, silence: "hang" },
    {},
    { readyMs: 1 },
  ],
  [`Access-Control-Allow-Origin: ${SITE} (or *)`, { ...answered(0), silence: "cors" }],
  ["Check data-event-path, too", { ...answered(0), address: "https://track.shop.example/events", silence: "cors" }],
  ["but something does by http: give the service a certificate", { ...answered(0), silence: "plain" }],
  ["where the script comes from: a web server, most likely", { ...answered(0), ...CDN, silence: "cors" }],
  ["where the script comes from: a web server, most likely", { ...answered(404), ...CDN }],
  ["that it speaks https with a certificate that holds", { ...answered(0), silence: "unreachable" }],
  ['The contact is called "undefined"', {}, {}, { contact: "undefined" }],
  ...["0", "false", "guest", "USER_ID", "<?= $uid ?>", "[[uid]]", "*|UID|*", "{uid}", "%UID%", "@Model.Uid"].map(
    (contact): Case => [`The contact is called "${contact}": what should have`, {}, {}, { contact }],
  ),
  ['The contact is called "contact-42", as in the documents', {}, {}, { contact: "contact-42" }],
  ['The account is called "account-7", as in the documents', {}, {}, { account: "account-7" }],
  ['The account is called "{{ account.id }}"', {}, {}, { account: "{{ account.id }}" }],
  ["The last request had no answer.", answered(0)],
  ["The last request had no answer.", answered(0, ""), {}, { pauseMs: 1 }],
  ["status 401", PASSED, {}, { pauseMs: 1 }],
  ["because the service refuses it: status 413", problem("rejected", "status 413")],
  ["is tracked far too often, as by a loop, and what is too many is dropped: tick", problem("throttled", "tick")],
  ["because it is too large, or too many wait, or too long: maxAgeMs", problem("evicted", "maxAgeMs")],
  ["beforeSend has failed, and its events are dropped: x", problem("input", "beforeSend: x")],
  ["Events of another token wait in this browser", problem("input", "init: formerToken")],
  ["has another apiToken. The first one holds: leave one alone, or load", problem("input", "init again: apiToken")],
  ["consent: write granted, pending or denied", problem("input", "init: consent, maxEvents")],
  ["In a tag it is JSON", problem("input", "init: params")],
  ["The params of track are no object", problem("input", "track: params")],
  ["size in the params of track cannot be written as JSON", problem("input", "track: params.size")],
  ["identify was given no contactUid", problem("input", "identify: contactUid")],
  ['There is no verb "Identify"', problem("input", 'no verb "Identify"')],
  ["push was given a text: a call is an array", problem("input", 'no verb "t"')],
  ["a list of calls in one array", problem("input", 'no verb ["track","a"]')],
  ["no script tag of tracklet is to be seen", QUIET, { global: "waiting", tag: undefined, calls: [["reset"]] }],
  ["tracklet itself has failed, please report it: TypeError: x.", problem("error", "TypeError: x")],
  ["beforeSend drops every event (3 since this panel", { ...QUIET, dropped: new Map([["beforeSend", 3]]) }],
  ["no request is made: check that apiToken and trackUrl", QUIET, {}, { readyMs: 21_000, eventCount: 1 }],
  ["The tracker has no options", QUIET, { global: "idle", tag: undefined }],
  [
    "A script in this page calls tracklet, and has not run: the page's Content-Security-Policy stops scripts that stand",
    { ...QUIET, stopsInline: true },
    CALLING,
    { contact: "" },
  ],
  ["calls reach nobody. Write window.tracklet = window.tracklet || []", {}, { global: "waiting", calls: [["reset"]] }],
  ["The tag has no data-api-token.", QUIET, { tag: { trackUrl: "/" } }],
  ["The tag has no data-api-token.", QUIET, { tag: { ...TAG, apiToken: "" } }],
  ["The tag has no data-track-url.", QUIET, { tag: { apiToken: "t" } }],
  ["The tag has no data-track-url.", QUIET, { tag: { ...TAG, trackUrl: "" } }],
  ["of the tag has not loaded yet", {}, { global: "absent" }],
  ["It is not there.", { script: "It is not there." }, { global: "absent" }],
  ["It is not there. Calls wait (1).", { script: "It is not there." }, { global: "waiting", calls: [["reset"]] }],
  [`the service's address, ${HTTP}, is http: the browser lets no`, { ...answered(0), address: HTTP }],
  [`This site itself answers at ${OWN.address} (status 404), and passes nothing on`, { ...answered(404), ...OWN }],
  ["(a web page, HTML), and passes nothing on", { ...OWN, isWebPage: true }],
  ["it is a web page (HTML), not the service's", { isWebPage: true }],
  ["https://a.example.com.", { options: TAG, address: `${SITE}/a.example.com/v1/track/event` }, BY_CALL],
  ["https://a.example.com:80.", { options: TAG, address: `${SITE}/x/a.example.com:80/v1` }, BY_CALL],
  ["The add-on at /tracklet.clicks.iife.js has not run", {}, addOn({ isRunning: false })],
  [
    "data-outbond is no option of the add-on for clicks: perhaps data-outbound",
    {},
    addOn({ options: { outbond: "" } }),
  ],
  ["data-track names no event on 2 elements", {}, { unnamed: 2 }],
  ["Calls wait in window.tracklet (2), and nothing takes them over", {}, { name: "shop", strayCalls: 2 }],
])("a problem: %s", (text, ...page) => expect(say(...page)).toEqual([finding("problem", text)]));

it.each([
  ["asked", HERE, "on this computer: browsers ask the visitor first, or refuse"],
  ["refused", HERE, "on this computer: this browser has refused the page to ask there"],
  ["asked", "http://[fd00::1]/v1/track/event", "in a local network: browsers ask"],
] as const)("a page on the internet and a service on this computer or near it: %s", (silence, address, text) => {
  // While the browser asks, the request is open: there is no answer yet.
  for (const activity of [answered(0), QUIET])
    expect(say({ ...activity, address, silence }, { origin: "http://shop.example" }, { readyMs: 1 })).toEqual([
      finding("problem", text),
      finding("note", "only browsers that are there themselves reach it"),
    ]);
});

it.each<Case>([
  ["The browser is offline", answered(0), { isOnline: false }],
  ["until optIn() or optOut() is called. Events that wait in memory: 2.", { inMemory: 2 }, PENDING, { contact: "" }],
  ["The visitor has refused", { inMemory: 2 }, PENDING, { consent: "denied" }],
  ["The storage takes nothing more: it is full", { isUnstored: true }],
  ["sandboxed frame without allow-same-origin", {}, { isSandboxed: true }, { isThere: false }],
  ["With text/plain no answer can be read", PLAIN],
  ["With text/plain no answer can be read", { ...PLAIN, ...QUIET, hasRequests: true }],
  ["beforeSend has dropped events (3 since this panel", { dropped: new Map([["beforeSend", 3]]), queued: 1 }],
  ["Events are dropped (3 since this panel was opened): somebody has", { dropped: new Map([["reset", 3]]) }],
  ["or beforeSend has dropped it", { ...QUIET, options: { ...TAG, beforeSend: () => null } }],
  ["No request has been seen yet: perhaps nothing was tracked.", QUIET],
  ["No request has been seen yet.", QUIET, {}, { eventCount: 1, readyMs: 1 }],
  ["perhaps nothing was tracked.", { ...QUIET, quietMs: 20_000 }, { isLoaded: false }],
  ["perhaps an earlier page has failed to send, and", QUIET, {}, { eventCount: 1, readyMs: 1, pauseMs: 5_000 }],
  // At once, while other pages that have sent nothing may be about to.
  ["failed to send", { ...QUIET, quietMs: 0 }, { isLoaded: false }, { eventCount: 1, readyMs: 1, pauseMs: 5_000 }],
  ["perhaps nobody is identified, or nothing was tracked.", QUIET, {}, { contact: "" }],
  ["No request has been seen yet.", QUIET, {}, { readyMs: 19_000, eventCount: 1 }],
  ["No answer to a request has been seen yet.", { ...QUIET, hasRequests: true }],
  ["No answer to a request has been seen yet.", answered(0, "")],
  [
    'Write tracklet.push(["identify", …]), which waits.',
    {},
    { inline: { ...INLINE, identifiesDirectly: true } },
    { contact: "" },
  ],
])("a note: %s", (text, ...page) => expect(say(...page)).toEqual([finding("note", text)]));

it.each<Case>([
  ["what has passed", PASSED],
  ["an agreement", { inMemory: 2 }, PENDING, { consent: "granted" }],
  ["an event that waits while requests are made", {}, {}, { readyMs: 21_000, eventCount: 1 }],
  ["what a tag lacks that a call gives", {}, { tag: {} }],
  ["a script that has come late", { script: "It is not there." }],
  ...["localhost:3000", "127.0.0.1", "192.168.0.5", "shop.test", "intranet"].map(
    (host): Case => [`${host} and a service on this machine`, { address: HERE }, { origin: `https://${host}` }],
  ),
  ["a path of the site behind a proxy", { address: `${SITE}/i/e` }, BY_CALL],
  ["a file of the site", { address: `${SITE}/event.php/v1` }, BY_CALL],
  ["a name in another host's path", { address: "https://other.example/a.example.com/e" }, BY_CALL],
  ["a script that ran, where the policy stops another", { stopsInline: true }, CALLING],
  ["a direct call that has worked", {}, { inline: { ...INLINE, identifiesDirectly: true } }],
  ["an add-on that is under way", { ...QUIET, quietMs: 0 }, addOn({ isRunning: false, options: { category: "" } })],
  ["a page without a request that has just begun", { ...QUIET, quietMs: 4_999 }],
  ["a page without a request that still loads", QUIET, { isLoaded: false }],
  ["a script that may be under way", { ...QUIET, quietMs: 0 }, { global: "absent" }],
  ["a tracker that has just come", { ...QUIET, quietMs: 0 }, { global: "idle", tag: undefined }],
  ["a signal that nothing obeys", {}, { hasGpc: true, tag: { ...TAG, respectGpc: "false" } }],
])("nothing to speak of: %s", (_, ...page) => expect(say(...page)).toEqual([]));
