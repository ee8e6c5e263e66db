import type { Faults } from "../harness/fault.js";

/*
 * Set-ups of a page, a tag and a service: what is wrong with each, and what the inspector must say of it. They were written before
 * the walk was, from documents, from issues of other trackers, and from mistakes. What needs no browser
 * to be seen: unit/inspector.
 */

export interface SetUp {
  /** What is wrong. */
  wrong: string;
  /** The page. `%S` stands for the service's address, `%T` for the tag as it should be, `%O` for another host of the site. */
  html: string;
  /** The steps at one of which the walk stops, as far as it can be said beforehand. */
  step?: RegExp;
  /** What names the cause; of a sound set-up, what the headline says. */
  says: RegExp;
  /** What the service does. */
  answer?: Faults;
  /** Headers of the page. */
  headers?: Record<string, string>;
  /** Runs in the page before all else. */
  first?: string;
  /** Runs once the panel is open. */
  opened?: string;
  /** Other files of the site. */
  files?: Record<string, string>;
  /** Addresses that an extension of the browser blocks. */
  blocks?: RegExp;
  /** Addresses that take a request, and never answer. */
  sleeps?: RegExp;
  /** Is the panel opened before, and the page loaded again? */
  twice?: true;
}

const C = '(window.tracklet = window.tracklet || []).push(["identify", "clara-9", "acme"]);';
const TRACK = 'tracklet.push(["track", "signup"]);';
const CALLS = `<script>${C}${TRACK}</script>`;
const GOOD = `${CALLS}%T`;
/** The tag with other attributes in place of some. */
const tag = (attributes: string): string => `<script async src="/dist/tracklet.iife.js" ${attributes}></script>`;
const json = (status: number, body: object, headers = {}): Faults => ({ status, body: JSON.stringify(body), headers });
/** Preflights pass, or not; the answer has these headers of its own. */
const cors = (headers: Record<string, string>, preflight: "pass" | "fault" = "pass"): Faults => ({
  status: 200,
  cors: false,
  preflight,
  headers,
});
const OK = '{"status":"success"}';

// biome-ignore format: a table
export const BROKEN: SetUp[] = [
  { wrong: "calls stand inside the tag with src", html: `<script async src="/dist/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S">${C}${TRACK}</script>`, step: /In the page/, says: /inside|within/i },
  { wrong: "the tag is not closed, and swallows the next one", html: `<script async src="/dist/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"><script>${C}${TRACK}</script>`, step: /Calls|Ran|Loaded|In the page/, says: /<\/script>|closed|swallow/ },
  { wrong: "attributes set without their hyphens by a script", html: `${CALLS}<script>const s = document.createElement("script"); s.src = "/dist/tracklet.iife.js"; s.setAttribute("dataApiToken", "demo-api-token"); s.setAttribute("dataTrackUrl", "%S"); document.head.append(s)</script>`, step: /Options/, says: /dataapitoken/i },
  { wrong: "the address of the script is wrong", html: `${CALLS}<script async src="/dist/traklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"></script>`, step: /Loaded/, says: /404/ },
  { wrong: "the site's fallback page in place of the script", html: `${CALLS}<script async src="/js/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"></script>`, files: { "/js/tracklet.iife.js": "<!doctype html><title>Shop</title>" }, step: /Loaded/, says: /html|web page/i },
  { wrong: "the documents' integrity", html: `${CALLS}<script async src="/dist/tracklet.iife.js" integrity="sha384-…" crossorigin data-api-token="demo-api-token" data-track-url="%S"></script>`, step: /Loaded|Ran/, says: /sha384-….*example/s },
  { wrong: "the tag came by innerHTML", html: `${CALLS}<div id="slot"></div><script>document.getElementById("slot").innerHTML = '<script async src="/dist/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"><\\/script>'</script>`, step: /Loaded|Ran|In the page/, says: /innerHTML/ },
  { wrong: "the tracker is in a frame, and not in this page", html: `<iframe src="/framed"></iframe>`, files: { "/framed": GOOD }, step: /In the page/, says: /frame/ },
  { wrong: "trusted types stop what inserts the tag", html: `${CALLS}<script>setTimeout(() => { const s = document.createElement("script"); s.src = "/dist/tracklet.iife.js"; document.head.append(s) })</script>`, headers: { "content-security-policy": "require-trusted-types-for 'script'" }, step: /In the page|Loaded/, says: /trusted.types/i },
  { wrong: "an extension blocks the script", html: GOOD, blocks: /tracklet\.iife/, step: /Loaded/, says: /extension|blocker/ },
  { wrong: "the page empties the storage at each load", html: `<script>if (sessionStorage.n) localStorage.clear(); else (window.tracklet = []).push(["identify", "clara-9"]); sessionStorage.n = 1; window.tracklet ??= []; ${TRACK}</script>%T`, twice: true, step: /Named/, says: /emptied/ },
  { wrong: "the browser's signal is obeyed", html: CALLS + tag('data-api-token="demo-api-token" data-track-url="%S" data-respect-gpc'), first: 'Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { get: () => true })', step: /Allowed/, says: /Global Privacy Control/ },
  { wrong: "a policy in a meta element forbids the requests", html: `<meta http-equiv="Content-Security-Policy" content="connect-src 'self'">${GOOD}`, step: /Sent/, says: /meta/ },
  { wrong: "an extension blocks the requests", html: GOOD, blocks: /v1\/track\/event/, step: /Sent/, says: /extension|blocker/ },
  { wrong: "a service worker answers", html: GOOD, first: 'navigator.serviceWorker?.register("/worker.js")', files: { "/worker.js": 'addEventListener("install", () => skipWaiting()); addEventListener("activate", (e) => e.waitUntil(clients.claim())); addEventListener("fetch", (e) => { if (e.request.method === "POST") e.respondWith(new Response("<h1>Shop</h1>", { headers: { "content-type": "text/html" } })) })' }, twice: true, step: /Sent|Stored at the service/, says: /service worker/i },
  { wrong: "the page's own fetch adds a header that the service does not allow", html: `<script>const own = fetch; window.fetch = (url, o = {}) => own(url, { ...o, headers: { ...o.headers, "X-Requested-With": "shop" } })</script>${GOOD}`, step: /Sent|Preflight/, says: /fetch/ },
  { wrong: "the page's fetch is a mock", html: `<script>window.fetch = async () => new Response("{}")</script>${GOOD}`, step: /Sent|Stored at the service/, says: /fetch/ },
  { wrong: "OPTIONS is answered with 405", html: GOOD, answer: ({ method }) => (method === "OPTIONS" ? { status: 405, preflight: "fault", cors: false } : "pass"), step: /Preflight/, says: /OPTIONS/ },
  { wrong: "OPTIONS does not allow Content-Type", html: GOOD, answer: ({ method, headers }) => (method === "OPTIONS" ? { status: 204, preflight: "fault", cors: false, headers: { "access-control-allow-origin": headers.origin! } } : "pass"), step: /Preflight/, says: /Content-Type/ },
  { wrong: "no header of CORS at all", html: GOOD, answer: cors({}, "fault"), step: /Preflight|Answered/, says: /Access-Control-Allow-Origin/ },
  { wrong: "CORS for another origin", html: GOOD, answer: cors({ "access-control-allow-origin": "https://www.shop.test" }), step: /Answered/, says: /Access-Control-Allow-Origin.*another/s },
];

/* One for each thing that the panel must sense, whatever its cause. */
// biome-ignore format: a table
export const SENSES: SetUp[] = [
  { wrong: "what leads elsewhere is no finding: the causes, each with what shows it", html: GOOD, answer: { status: 301, headers: { location: "http://127.0.0.1:1/" }, cors: false, preflight: "fault" }, step: /Sent|Answered/, says: /\(1\).*\(2\) it redirects/s },
  { wrong: "a script that its host does not give to other sites: the causes, too", html: `${CALLS}<script async src="%S/t.js" data-api-token="demo-api-token" data-track-url="%S"></script>`, answer: cors({ "cross-origin-resource-policy": "same-origin" }, "fault"), step: /Loaded/, says: /\(1\) no such host.*\(2\) its host forbids.*\(3\) an extension/s },
  { wrong: "the address leads to a path where nothing takes events", html: CALLS + tag('data-api-token="demo-api-token" data-track-url="%S/collect"'), step: /Answered/, says: /one is at .*\/v1\/track\/event/ },
  { wrong: "the service takes a request, and says nothing", html: GOOD, answer: { connection: "hang", preflight: "fault" } as never, step: /Sent|Answered/, says: /does not answer|no answer yet/ },
  { wrong: "the script's host sleeps", html: GOOD, sleeps: /tracklet\.iife/, step: /Loaded/, says: /not (come|answered) \d+ s after the page began/ },
  { wrong: "a misquoted onclick beside a wrong token", html: `${CALLS}${tag('data-api-token="wrong" data-track-url="%S"')}<button onclick="tracklet.track("buy")">Buy</button>`, step: /Answered/, says: /stops at “Answered”. Not right either: “Calls”.*refuses the API token.*<button onclick.*does not parse/s },
  { wrong: "a script does not parse, with its line", html: `<script>\n\ntracklet.push(["identify", "clara-9"];</script>%T`, step: /Calls/, says: /does not parse.*in line 3/s },
  { wrong: "a service worker makes a GET of each POST", html: GOOD, first: 'navigator.serviceWorker?.register("/worker.js")', files: { "/worker.js": 'addEventListener("install", () => skipWaiting()); addEventListener("activate", (e) => e.waitUntil(clients.claim())); addEventListener("fetch", (e) => e.respondWith(fetch(e.request.url)))' }, answer: ({ method }) => (method === "GET" ? json(405, { error: "GET is not allowed here; allowed: POST" }) as { status: number } : "pass"), twice: true, step: /Sent/, says: /a POST has come as GET.*worker\.js/s },
  { wrong: "the page's policy on embedding stops the script of another host", html: `${CALLS}<script async src="%O/dist/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"></script>`, headers: { "cross-origin-embedder-policy": "require-corp" }, step: /Loaded/, says: /Cross-Origin-Embedder-Policy/ },
  { wrong: "a sandboxed frame has the tag", html: '<iframe src="/framed" sandbox="allow-scripts"></iframe>', files: { "/framed": GOOD }, step: /In the page/, says: /in a frame of this page .*\/framed/ },
  { wrong: "a script refuses at every load", html: `<script>${C}</script>%T`, opened: "tracklet.optOut()", step: /Allowed/, says: /optOut was called (before the visitor|by the page)/ },
];

// biome-ignore format: a table
export const SOUND: SetUp[] = [
  { wrong: "as in the README", html: GOOD, says: /Working/ },
  { wrong: "init by a call of a tag manager", html: `<script>window.dataLayer = []; window.google_tag_manager = { "GTM-AB12CD": {} }; (window.tracklet = window.tracklet || []).push(["init", { apiToken: "demo-api-token", trackUrl: "%S" }]);${C}${TRACK}</script>${tag("")}`, says: /Working/ },
  { wrong: "a strict policy with a nonce", html: `<script nonce="a">${C}${TRACK}</script><script async nonce="a" src="/dist/tracklet.iife.js" data-api-token="demo-api-token" data-track-url="%S"></script>`, headers: { "content-security-policy": "default-src 'none'; script-src 'nonce-a' 'strict-dynamic'; connect-src %S; require-trusted-types-for 'script'" }, says: /Working/ },
  { wrong: "the script twice, with one token", html: `${GOOD}%T`, says: /Working/ },
  { wrong: "a slow service", html: GOOD, answer: { status: 200, body: OK, delayMs: 1_500 }, says: /Working/ },
  { wrong: "a frame's tracker beside the page's", html: `<iframe src="/framed"></iframe>${GOOD}`, files: { "/framed": GOOD }, says: /Working/ },
  { wrong: "a stub that pushes its arguments", html: `<script>window.tracklet = []; function call() { tracklet.push(arguments) } call("identify", "clara-9"); call("track", "signup")</script>%T`, says: /Working/ },
  { wrong: "a service worker that answers nothing by itself", html: GOOD, first: 'navigator.serviceWorker?.register("/worker.js")', files: { "/worker.js": 'addEventListener("install", () => skipWaiting()); addEventListener("activate", (e) => e.waitUntil(clients.claim())); addEventListener("fetch", (e) => e.respondWith(fetch(e.request)))' }, twice: true, says: /Working/ },
];
