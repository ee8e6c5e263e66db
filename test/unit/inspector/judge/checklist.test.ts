/** What each step of the walk says of a page: green, amber or red, and why. */
import { describe, expect, it } from "vitest";
import type { ScriptLook } from "../../../../src/inspector/ask/own-requests.js";
import { walk } from "../../../../src/inspector/judge/checklist.js";
import { visible } from "../../../../src/inspector/watch/visible.js";
import {
  AT,
  answer,
  type Changes,
  event,
  evidence,
  PENDING,
  problem,
  QUIET,
  SITE,
  stepsOf,
  TAG,
  tag,
  written,
} from "../say.js";

type Case = [text: string, changes: Changes];

const expectRed = (name: string, text: string, changes: Changes) => {
  const red = stepsOf("bad", changes);
  expect(red.map((step) => step.title)).toEqual([name]);
  expect(red[0]!.causes.join("\n")).toContain(text);
};

const status = (code: number, rest: object = {}): Changes => ({ activity: { exchanges: [answer(code)], ...rest } });
const said = (code: number, words: string, rest: object = {}): Changes => ({
  activity: { exchanges: [answer(code, { words, ...rest })] },
});
const met = (plain: number, json = plain) => {
  const of = (code: number) => ({ status: code, isPage: false, leadsTo: "" });
  return {
    reach: "there" as const,
    plain: of(plain),
    json: of(json),
  };
};
const absent = (rest: Changes["page"] = {}): Changes => ({
  page: { global: "absent", tags: [], ...rest },
  activity: QUIET,
});
const FOUND = {
  wasAsked: true,
  status: 0,
  type: "text/javascript",
  begins: "x",
  isOurs: true,
  reach: "there" as const,
  isBarred: false,
};
const unloaded = (facts: object, script?: Partial<ScriptLook>, rest: object = {}): Changes => ({
  page: { global: "absent", tags: [tag(TAG, facts)], ...rest },
  activity: { ...QUIET, script: script && { ...FOUND, hasHash: true, ...script } },
});
const violation = (directive: string, url: string, policy = "p") => [{ directive, url, policy }];
const call = (verb: string, ...args: unknown[]) => ({
  activity: { calls: [{ verb, args, became: "", caller: "", isByItself: false }] },
});
/** A call of `track` stands in a script of the page. */
const TRACKS = { written: [written("track", "push", "signup")] };
const WAITS = { ...event("e", {}, ""), failures: 0, isUndecided: false, waitedMs: 1 };
const nobody = { contact: "", hasIdentity: false };
const HERE = "http://127.0.0.1:4100/v1/track/event";

// biome-ignore format: a table
const RED: Record<string, Case[]> = {
  "In the page": [
    ["no script tag of tracklet, and no app", absent()],
    ["no script tag of tracklet", absent({ global: "waiting", calls: [["reset"]] })],
    ["Give scripts in the page its nonce", { ...absent(), activity: { ...QUIET, violations: violation("script-src-elem", "inline") } }],
  ],
  Loaded: [
    ["The tag has no src: <script>.", unloaded({ src: "" })],
    ['the tag: <script data-category="stats">. Tools write that', unloaded({ type: "text/plain", markup: '<script data-category="stats">' })],
    ["comes as text/plain, which no browser runs", unloaded({}, { status: 200, type: "text/plain" })],
    ["can be read, and not run: its host forbids", unloaded({}, { status: 200, isBarred: true })],
    ["is not the whole script (text/javascript): nothing. Check", unloaded({}, { status: 200, begins: "", isOurs: false })],
    ["nor one with nomodule", unloaded({}, { status: 200, wasAsked: false })],
    ["documents' example", unloaded({ src: "https://cdn.example.com/t.js" })],
    ["mixed content", unloaded({ src: "http://cdn.shop.example/t.js" })],
    ["integrity needs crossorigin", unloaded({ src: "https://cdn.shop.example/t.js", integrity: "sha384-x" }, { status: 200 })],
    ["has not answered 9 s after the page began", unloaded({}, { reach: "hangs" })],
    ["not the one that integrity names", unloaded({ integrity: "sha384-x" }, { status: 200, hasHash: false })],
    ["need a host that sends Access-Control-Allow-Origin: *", unloaded({ type: "module", src: "https://cdn.shop.example/t.js" }, {})],
    ["Nothing comes from what should answer at /t.js. Why, the network panel says: (1) no such host", unloaded({}, { reach: "nowhere" })],
    ["(2) its host forbids other sites to load it", unloaded({}, { reach: "nowhere" })],
    ['in a meta element of the page forbids it: "p". Name its host', { ...unloaded({}, undefined, { metaPolicies: ["p"] }), activity: { ...QUIET, violations: violation("script-src-elem", `${SITE}/t.js`) } }],
    ["this panel cannot ask", { ...unloaded({}, {}), activity: { ...unloaded({}, {}).activity, violations: violation("connect-src", `${SITE}/t.js`) } }],
  ],
  Ran: [
    ["has put an array in its place since, where calls wait (1)", { page: { global: "waiting", calls: [["reset"]] }, stored: { events: [WAITS] }, activity: { ...QUIET, script: { ...FOUND, status: 200, hasHash: true } } }],
    ["Calls wait in window.tracklet.q (2), where nobody reads them", { page: { unread: ["window.tracklet.q (2)"] } }],
    ["no tracker is there: an error (x), an extension", { ...unloaded({}, { status: 200 }), activity: { ...unloaded({}, { status: 200 }).activity, errors: ["x"] } }],
    ["window.tracklet is a number of the page, and no tracker", { ...unloaded({}, { status: 200 }), page: { global: "absent", taken: "a number of the page" } }],
    ["an error (see the console), an extension", unloaded({}, { status: 200 })],
  ],
  Calls: [
    ["<button onclick> does not parse, so nothing of it runs: missing )", { page: { broken: [["<button onclick>", "missing )"]] } }],
    ["Attributes such as onclick do nothing", { page: { hasHandlers: true }, activity: { violations: violation("script-src-attr", "inline") } }],
    ['write tracklet.push(["track", …])', { page: { written: [written("track", "function", "signup")] } }],
    ['write tracklet.push(["identify", …])', { page: { written: [written("identify", "function", "c")] }, stored: nobody, activity: QUIET }],
    ["An error of this page: TypeError: tracklet is not a function", { activity: { errors: ["Error: other", "TypeError: tracklet is not a function (https://a.example/tracklet.js:3)"] } }],
    ["The view of /a was counted twice within a second", { activity: { doubled: new Set(["/a"]) } }],
    ["the verbs are init, identify,", call("purchase")],
    ["too large for a number, which loses its last digits: put it in quotes", call("identify", 1189423487239487500)],
    ["The accountUid of identify was given an object", call("identify", "c", { id: 7 })],
    ["track was given undefined", call("track")],
    ["push was given no list: write each call in brackets", call("push", "identify")],
    ["push was given no list: write each call in brackets", { activity: problem("input", "t: TypeError: x is not a function") }],
    ["acmeStats, another tracker of this page, sends there with the same token", { page: { twins: ["acmeStats"] } }],
    ['There is no verb "track,a"', { activity: problem("input", "track,a: TypeError: x is not a function") }],
    ["A call or an argument is wrong: no init", { activity: problem("input", "no init") }],
    ["a in the params of track round cannot be written as JSON", { activity: problem("input", "track round: params.a") }],
    ["The params of track are no object", { activity: problem("input", "track: params") }],
  ],
  Named: [
    ...["undefined", "0", "false", "guest", "USER_ID", "<?= $uid ?>", "[[uid]]", "*|UID|*", "{uid}", "%UID%", "@Model.Uid"].map((contact): Case => [`The contact is called "${contact}": that is no uid`, { stored: { contact } }]),
    ['The contact is called "contact-42", as in the documents', { stored: { contact: "contact-42" } }],
    ['The account is called "{{ account.id }}"', { stored: { account: "{{ account.id }}" } }],
    ["identify(…), which has not reached the tracker: an error has stopped its script", { page: { written: [written("identify", "push", "c")] }, stored: nobody, activity: QUIET }],
    ["and reset was called (here, or on an earlier page), which forgets", { page: { written: [written("identify", "push", "c")] }, stored: { contact: "" }, activity: QUIET }],
    ["Somebody was named before, and is gone without a reset", { stored: nobody }],
    ["before the script, window.tracklet is the element <div>, which has no push", { page: { taken: "the element <div>", written: [written("identify", "push", "c")] }, stored: nobody, activity: QUIET }],
    ["Give the script its nonce, or make a file of it", { page: { written: [written("identify", "push", "c")] }, stored: nobody, activity: { ...QUIET, violations: violation("script-src-elem", "inline") } }],
    ['write tracklet.push(["identify", …]), which waits', { page: { written: [written("identify", "method", "c")] }, stored: nobody, activity: QUIET }],
  ],
  "Stored here": [
    ["An old library has changed how JSON is written", { page: { isJsonOdd: true } }],
    ["sizes was given as a list of 2", { activity: { altered: new Set(["sizes was given as a list of 2"]) } }],
    ["beforeSend has dropped every event", { activity: problem("dropped", "beforeSend") }],
    ["An event is tracked far too often, as by a loop; the rest is dropped: tick.", { activity: problem("throttled", "tick") }],
    ["beforeSend has failed (TypeError), or returned what is no event", { activity: problem("input", "beforeSend: TypeError") }],
    ["or too long: maxAgeMs", { activity: problem("evicted", "maxAgeMs") }],
    ["please report it: TypeError: x.", { activity: problem("error", "TypeError: x") }],
    ["should have made an event: an error or a policy has stopped its script", { page: TRACKS, activity: QUIET }],
    ["The storage is full", { activity: { isUnstored: true } }],
  ],
  Sent: [
    ["answers past the page's own fetch alone (401)", status(405, { ownFetch: "function", service: met(401) })],
    ["or its certificate does not hold", status(0, { service: { reach: "nowhere" } })],
    ["network of your own: browsers ask the visitor first", { page: { origin: "http://shop.example" }, activity: { address: HERE, exchanges: [answer(0)], service: { reach: "inside" } } }],
    ["trackUrl says http, and this page is https", status(0, { options: { ...TAG, trackUrl: "http://track.shop.example" }, service: { reach: "nowhere" } })],
    ["(a POST has come as GET): /w.js. Let it leave", { page: { worker: "/w.js" }, ...said(405, "GET is not allowed here; allowed: POST") }],
    ["no request is made: check trackUrl", { stored: { readyMs: 21_000, eventCount: 1 }, activity: QUIET }],
  ],
  Answered: [
    ["The answer comes from https://shop.example/offline, by a redirect or a service worker", said(200, "", { from: `${SITE}/offline` })],
    [`curl -i -X POST -H 'Origin: ${SITE}'`, status(0, { service: met(0) })],
    ["does not answer: check the service and its log", { stored: { readyMs: 1, eventCount: 1 }, activity: { ...QUIET, service: { reach: "hangs" } } }],
    ["redirects, which is not followed: name the address that it leads to, /b", status(0, { service: { ...met(0), isRedirect: true, plain: { status: 0, isPage: false, leadsTo: "/b" } } })],
    ["redirects, which is not followed", status(302)],
    ['refuses the API token (status 401). The service says: {"error":"the API token is wrong"}. Sent was api_token «token»', said(401, '{"error":"the API token is wrong"}')],
    ["The service says: api_token is missing. Sent was api_token «token» in the query", said(401, "api_token is missing")],
    ['as of a log-in or a firewall in front of the service. A web page says: "Just a moment..."', said(403, "Just a moment...", { answerType: "text/html" })],
    [`No event endpoint is at ${AT} (status 404)`, status(404)],
    ["This site itself answers at https://shop.example/e (status 404): let its proxy pass that path on", { activity: { exchanges: [answer(404)], address: `${SITE}/e` } }],
    ["whose host must be the service's", status(421)],
    ["but one is at /v1: correct data-track-url", status(404, { service: { ...met(404), other: "/v1" } })],
    ["but one is at /v1: correct data-track-url", status(0, { service: { ...met(0), other: "/v1" } })],
    ["asks to send less (status 429). The", said(429, "later")],
    ['refuses the event "signup" (status 422). The service says: params.account_uid is unknown', said(422, "params.account_uid is unknown")],
    ['"Send now" or a test event shows what it said.', said(400, "", { isHeard: false, sent: [] })],
    ["An event was dropped: the service refuses it (status 400)", { activity: { exchanges: [answer(200), answer(400)], ...problem("rejected", "status 400") } }],
    ["status 401", { stored: { pauseMs: 1 }, activity: { exchanges: [answer(200), answer(401)] } }],
  ],
  "Stored at the service": [
    ['it is a web page (HTML), "Welcome to nginx!". Events count as delivered', said(200, "Welcome to nginx!", { answerType: "text/html" })],
    ["(a web page, HTML): let its proxy", { activity: { exchanges: [answer(200, { answerType: "text/html" })], address: `${SITE}/e` } }],
    ["it speaks of an error: {\"ok\":false}", said(200, '{"ok":false}')],
    ['The contact is called "<br /> Warning": that is no uid', { activity: { exchanges: [answer(200, { sent: [event("signup", {}, "<br />\nWarning")] })] } }],
    ['plan of "signup" was sent as "{{ plan }}"', { activity: { exchanges: [answer(200, { sent: [event("signup", { plan: "{{ plan }}" })] })] } }],
    ['An event is called "[object Object]"', { activity: { exchanges: [answer(200, { sent: [event("[object Object]")] })] } }],
  ],
};
for (const [name, cases] of Object.entries(RED))
  describe(`red at "${name}"`, () => it.each(cases)("%s", (text, changes) => expectRed(name, text, changes)));

// biome-ignore format: a table
it.each<[name: string, ...Case]>([
  ["Named", "Events wait for a log-in (1). Before the log-in that is right.", { stored: { ...nobody, events: [WAITS] }, activity: QUIET }],
  ["Named", "What is tracked now is dropped, until somebody logs in", { stored: { contact: "" }, activity: QUIET }],
  ["Allowed", "The visitor has refused", { activity: problem("dropped", "consent") }],
  ["Allowed", "until January 2, 2027", { stored: { mutedUntil: Date.UTC(2027, 0, 2, 12) } }],
  ["Allowed", 'The option consent is "denied"', { page: { tags: [tag({ ...TAG, consent: "denied" })] }, stored: { consent: "granted" } }],
  ["Allowed", "until optIn() or optOut() is called, by the page or its consent tool. Events wait", { page: PENDING, activity: QUIET, stored: nobody }],
  ["Stored here", 'Nothing was tracked on this page yet: pageviews is "off"', { page: { tags: [tag({ ...TAG, pageviews: "off" })] }, activity: QUIET }],
  ["Sent", "The browser is offline", { page: { isOnline: false }, activity: { exchanges: [answer(0)] } }],
  ["Sent", "Sending has failed (on an earlier page). \"Send now\" tries once more.", { stored: { pauseMs: 5_000, eventCount: 1 }, activity: QUIET }],
  ["Sent", "Sending has failed (1 ×).", { stored: { pauseMs: 5_000, failedAt: Date.now(), eventCount: 1 }, activity: QUIET }],
  ["Sent", "and has no answer yet", { activity: { exchanges: [answer(-1, { at: Date.now() - 3_500 })] } }],
  ["Loaded", "The script has not come 9 s after the page began", { page: { global: "absent", tags: [tag()], isLoaded: false }, activity: { ...QUIET, quietMs: 0 } }],
  ["Allowed", "optOut was called before the visitor did anything, at https://shop.example/a.js:4:2", { stored: { consent: "denied" }, activity: { calls: [{ verb: "optOut", args: [], became: "", caller: `${SITE}/a.js:4:2`, isByItself: true }] } }],
  ["Named", 'With identity: "page" events wait in memory', { stored: nobody, activity: { ...QUIET, options: { ...TAG, identity: "page" } } }],
  ["Stored at the service", "With text/plain no answer can be read", { activity: { options: { ...TAG, contentType: "text/plain" } } }],
])("it waits at %j: %s", (name, text, changes) => {
  expect(stepsOf("bad", changes)).toEqual([]);
  const [step] = stepsOf("waits", changes);
  expect([step!.title, step!.causes.join()]).toEqual([name, expect.stringContaining(text)]);
});

// biome-ignore format: a table
it.each<Case>([
  ["what has passed", { activity: { exchanges: [answer(200), answer(401)] } }],
  ["an agreement", { page: PENDING, stored: { consent: "granted" } }],
  ["what a tag lacks that a call gives", { page: { tags: [tag({})] }, activity: { options: TAG } }],
  ["a service without words", said(202, "")],
  ["an account that is called None", { stored: { account: "none-such-records" } }],
  ["another tool's attributes", { page: { tags: [tag({ ...TAG, category: "x", cfasync: "false", rocketSrc: "/x", constructor: "x", token: "theirs" })] } }],
  ["another tool around fetch", { activity: { ownFetch: "function (...args)" } }],
  ["a service worker that lets through", { page: { worker: "/w.js" }, activity: { passedWorker: true, exchanges: [answer(202, { words: "" })] } }],
  ["a log-out on a page that names somebody", { page: { written: [written("identify", "push", "c")] }, stored: { contact: "" } }],
  ["a refusal of before", { page: { written: [written("identify", "push", "c")] }, stored: { ...nobody, consent: "denied" }, activity: QUIET }],
  ["a storage that is full, and who is named in memory", { stored: { ...nobody, isThere: false }, activity: { isUnstored: true } }],
  ["a direct call that has worked", { page: { written: [written("identify", "method", "c")] } }],
  ["the visitor's page before the log-in, with a call within a function", { page: { written: [{ ...written("identify", "push", "c"), isOuter: false }] }, stored: nobody, activity: QUIET }],
  ["a call whose request the browser may not have recorded", { page: { ...TRACKS, isRecordFull: true }, activity: QUIET }],
  ["a page that has just begun", { activity: { ...QUIET, quietMs: 4_999 } }],
  ["a page that still loads", { page: { isLoaded: false }, activity: QUIET }],
  ["a script that may be under way", { page: { global: "absent", tags: [] }, activity: { ...QUIET, quietMs: 0 } }],
  ["a sandboxed frame", { page: { origin: "null" }, stored: { isThere: false }, activity: { isUnstored: true } }],
  ...["localhost:3000", "192.168.0.5", "shop.test"].map((host): Case => [`${host} and a service on this machine`, { page: { origin: `http://${host}` }, activity: { address: HERE } }]),
])("nothing red: %s", (_, changes) => expect(stepsOf("bad", changes)).toEqual([]));

it("options are not called right behind an address that answered wrongly", () => {
  const optionsOf = (changes: Changes) => walk(evidence(changes)).steps.find(({ title }) => title === "Options")!.state;
  expect([optionsOf(status(404)), optionsOf(status(0)), optionsOf(status(200))]).toEqual([
    "unknown",
    "unknown",
    "good",
  ]);
});

it("what stops it is said first, and what stops nothing leaves the rest as it was seen", () => {
  const broken: [string, string][] = [["<button onclick>", "missing )"]];
  const { causes, steps } = walk(evidence({ ...status(401), page: { broken } }));
  expect(causes.map(({ title }) => title)).toEqual(["Answered", "Calls"]);
  expect(steps.map(({ state }) => state)).toEqual([
    ...Array(4).fill("good"),
    "bad",
    ...Array(5).fill("good"),
    "bad",
    "unknown",
  ]);
});

it("all is green where an event was stored, and grey behind a stop", () => {
  expect(new Set(walk(evidence()).steps.map(({ state }) => state))).toEqual(new Set(["good"]));
  expect(walk(evidence(absent())).steps.map(({ state }) => state)).toEqual(["bad", ...Array(11).fill("unknown")]);
});

describe("options", () => {
  it.each([
    ["maxEvents", "1.000", "write a number above 0, in digits alone"],
    ["maxAgeMs", "", 'data-max-age-ms="" is wrong'],
    ["pageviews", "Off", "write auto, hash or off"],
    ["stamp", "yes", "write true or false"],
    ["contentType", "text", "write application/json or text/plain"],
    ["trackUrl", "https://", "is wrong: write https:// and a host"],
    ["trackUrl", "localhost:4100", "is wrong: write https:// and a host"],
    ["trackUrl", "collect", "or a path that begins with /"],
    ["trackUrl", "https://ann:secret@track.shop.example", "without user and password"],
    ["trackUrl", "https://track.shop.example/numbers/?from=1", "? and #"],
    ["maxAgeMs", "30", "write milliseconds"],
    ["identity", "session", "write remembered or page"],
    ["paths", "patient/:name", "write keep, or patterns such as /patient/:name"],
    ["contact", "x", "data-contact is no option: perhaps data-contact-uid is meant."],
    ["beforeSend", "clean", "give a function, in a call of init"],
    ["params", "{plan: 'team'}", "write JSON"],
    ["apiToken", "“token”", "has no blanks or quotation marks"],
    ["apiToken", "", "The tag has no data-api-token."],
    ["apiToken", "to\u200bken", "U+200B"],
    ["apiToken", "Bearer token", "Bearer token"],
    ["apiTokn", "x", "data-api-tokn is no option: perhaps data-api-token is meant."],
    ["trackUrl", "https//track.shop.test", "write https:// and a host"],
    ["eventPath", "https://track.shop.test/e", "data-event-path"],
    ["consent", "opt-in", "pending"],
    ["trackUrl", "https://track.example.com", "is the documents' example"],
    ["apiToken", "<?= $token ?>", 'data-api-token="<?= $token ?>" is what a template leaves'],
  ])("in a tag, %s: %j", (option, value, text) =>
    expectRed("Options", text, { page: { tags: [tag({ ...TAG, [option]: value })] } }),
  );

  it.each([
    [{ ...TAG, maxevents: 5 }, "maxevents, given to init, is no option: perhaps maxEvents, given to init, is meant."],
    [{ ...TAG, beforeSend: "no" }, 'beforeSend: "no", given to init, is wrong: give a function'],
    [{ ...TAG, category: "x" }, "category, given to init, is no option: check how it is written."],
    [{}, "init was given no trackUrl."],
  ])("in a call, %j", (options, text) => {
    expectRed("Options", text, { page: { tags: [] }, activity: { options } });
  });

  it("that are not there are looked for elsewhere", () => {
    const page = {
      global: "idle" as const,
      tags: [tag({})],
      written: [{ ...written("init", "push"), source: "init({ apitoken" }],
    };
    const [step] = stepsOf("bad", { page, activity: QUIET });
    expect(step!.causes.join()).toMatch(/has init\(\{ apitoken. The tracker has no options/);
  });

  it.each<Case>([
    ["Events of another token wait", { activity: problem("input", "init: formerToken") }],
    ["apiToken or name. The first one holds", { activity: problem("input", "init again: apiToken, name") }],
  ])("are told of by the tracker, or by its requests: %s", (text, changes) => expectRed("Options", text, changes));

  // biome-ignore format: a table
  it.each([
    [true, { trackUrl: "/", eventPath: "/i/e", contactUid: "", consent: " Granted", respectGpc: "", pageviews: "hash", identity: "page", paths: "/patient/:name /s/:code", stamp: "false", maxEvents: "10", params: '{"a":1}' }],
    [false, { contactUid: 17, accountUid: null, proof: "x", stamp: true, maxEvents: 10, consent: undefined, params: () => ({}), beforeSend: () => {}, onError: () => {} }],
  ])("are right in all their forms; in a tag: %s", (isTag, given) => {
    const options = { ...TAG, ...given };
    expect(stepsOf("bad", { page: { tags: isTag ? [tag(options)] : [] }, activity: isTag ? {} : { options } })).toEqual([]);
  });
});

it.each([
  ["a\u200bb", "a⟨U+200B⟩b"],
  ["\u00a0x", "⟨U+00A0⟩x"],
  ["p\u0430y", "pа⟨U+0430⟩y"],
  ["Привет, ελλάδα\n", "Привет, ελλάδα\n"],
])("%j is shown as %j", (text, shown) => expect(visible(text)).toBe(shown));
