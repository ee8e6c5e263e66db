/** What the inspector learns of a page: from its markup, from calls and requests, and from the tracker. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { lookAtService } from "../../../../src/inspector/ask/own-requests.js";
import { createActivity, noteNamed } from "../../../../src/inspector/watch/activity.js";
import { listen } from "../../../../src/inspector/watch/listen.js";
import { readPage } from "../../../../src/inspector/watch/page-state.js";
import { UNKNOWN } from "../../../../src/inspector/watch/scripts.js";
import { readStored } from "../../../../src/inspector/watch/stored.js";
import { TAG } from "../say.js";

afterEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

const KNOWN = { listener: "none", options: undefined, stood: undefined, framed: undefined };
const verb = () => {};
const TRACKER = { push: vi.fn(), init: verb, track: verb, flush: verb };
const call = (verb: string, args: unknown[], facts: object = {}) => ({
  verb,
  args,
  by: "push",
  isOuter: true,
  ...facts,
});

// biome-ignore format: a table
it.each<[what: string, html: string, globals: object, found: object]>([
  ["a call as a method", '<script>shop.identify("x", 5, user.id)</script>', {}, { global: "absent", written: [call("identify", ["x"], { by: "method", source: 'shop.identify("x", 5, user.id)' })] }],
  ["calls by push, some within a function or a condition", '<script>(window.shop = window.shop || []).push(["identify", { id: 5 }], ["reset"]); function f() { shop.push(["track", `a`]) } on(() => shop.push(["optIn"])); if (a) shop.push(["optOut"])</script>', {}, { written: [call("identify", [{}], { source: '["identify", { id: 5 }]' }), call("reset", []), ...["track", "optIn", "optOut"].map((verb) => call(verb, expect.anything(), { isOuter: false }))] }],
  ["values that only a script works out", "<script>shop.push(['track', name]); shop.push(['identify', 'user-' + 5]); shop.track(12 + 5); shop.identify(null)</script>", {}, { written: [call("track", [UNKNOWN]), call("identify", [UNKNOWN]), call("track", [UNKNOWN], { by: "method" }), call("identify", [null], { by: "method" })] }],
  ["a call of init", '<script>window.shop = []; shop.push(["init", { "apitoken": 5 }])</script>', {}, { written: [call("init", [UNKNOWN])] }],
  ["calls that leave a tracker alone", '<script>window.shop = window.shop || []; myshop.identify("x")</script><script type="text/x">shop = []</script>', {}, { written: [], shadows: false }],
  ["a name of the page's own", '<script>const shop = {}</script>', {}, { shadows: true }],
  ["calls of another name", "", { shop: TRACKER, tracklet: [["reset"], ["reset"]] }, { unread: ["window.tracklet (2)"] }],
  ["calls that wait", "", { shop: [["reset"]] }, { global: "waiting", calls: [["reset"]], unread: [] }],
  ["an element of that name", '<p id="shop">', {}, { taken: 'the element <p id="shop">' }],
  ["an object of the page", "", { shop: { cart: 1 } }, { taken: 'an object, {"cart":1}, of the page' }],
  ["a tag whose attributes are misspelt", '<script type="text/plain" src="/tracklet.iife.js" data-name="shop" data-token="x" dataapitoken="y">shop.a</script>', { shop: TRACKER }, { global: "idle", tags: [{ options: { name: "shop", token: "x", dataapitoken: "y" }, inside: "shop.a" }] }],
  ["a tag where none runs", '<template><script data-track-url="/"></script></template><!-- <script src="tracklet"> --><pre>&lt;script data-track-url="/"></pre>', {}, { hidden: [expect.stringContaining("<template>"), expect.stringContaining("a comment"), expect.stringContaining("as text in a <pre>")] }],
  ["calls that wait as another tool keeps them", "", { shop: Object.assign(() => {}, { q: [["reset"]] }) }, { taken: "a function, of the page", unread: ["window.shop.q (1)"] }],
  ["calls of a function", '<script>shop("track", "a"); function shop(a) {}</script>', {}, { written: [call("track", ["a"], { by: "function", source: 'shop("track", "a")' })] }],
])("the page shows %s", (_, html, globals, found) => {
  document.head.innerHTML = html;
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  expect(readPage("shop", KNOWN)).toMatchObject(found);
});

it("another tracker that sends the views to where this one does is seen by its tag", () => {
  const tag = (name: string, more = "") =>
    `<script type="x" data-name="${name}" data-api-token="token" data-track-url="${TAG.trackUrl}" ${more}></script>`;
  document.head.innerHTML = tag("shop") + tag("twin") + tag("quiet", 'data-pageviews="off"') + tag("none");
  for (const name of ["shop", "twin", "quiet"]) vi.stubGlobal(name, TRACKER);
  expect(readPage("shop", { ...KNOWN, options: TAG }).twins).toEqual(["twin"]);
  expect(readPage("shop", { ...KNOWN, options: { ...TAG, apiToken: "other" } }).twins).toEqual([]);
});

const BODY = '{"contact_uid":"clara","event_uid":"pageview","params":{"visit_url":"https://shop.example/"}}';
it.each<[what: string, code: string, detail: unknown, known: object]>([
  ["a problem", "input", "a", { told: new Map([["input", new Set(["a"])]]) }],
  ["its options", "options", TAG, { options: TAG }],
  ["an event", "queued", BODY, { isUnstored: false, queued: 1 }],
  ["an event that waits for consent", "pending", BODY, { isUnstored: false, queued: 1 }],
  ["an event that a refusal drops", "dropped", "consent", { told: new Map([["dropped", new Set(["consent"])]]) }],
])("the tracker tells %s", (_, code, detail, known) => {
  vi.stubGlobal("shop", { ...TRACKER });
  const { activity, listener, end } = listen("shop");
  expect(TRACKER.push).toHaveBeenLastCalledWith(["debug", listener]);
  listener(code, detail);
  expect(activity).toMatchObject(known);
  end();
});

it("a page that is busy has not been quiet", () => {
  vi.stubGlobal("shop", { ...TRACKER });
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const { activity, listener, noteLook, end } = listen("shop");
  for (const at of [500, 9_000]) {
    now.mockReturnValue(at);
    noteLook();
  }
  expect(activity.quietMs).toBe(1_500);
  listener("queued", BODY);
  expect(activity.quietMs).toBe(0);
  end();
});

it("calls pass through, each with what became of it, until the panel is closed", () => {
  const own = { ...TRACKER, push: vi.fn(), track: vi.fn(() => listener("queued", BODY)) };
  const hub: Record<string, (...args: unknown[]) => unknown> = { ...own } as never;
  vi.stubGlobal("shop", hub);
  const { activity, listener, end } = listen("shop");
  hub.track!("signup", { a: 1 });
  hub.push!(["identify", 5], "reset");
  expect(activity.calls.toReversed()).toMatchObject([
    { verb: "track", args: ["signup", { a: 1 }], became: "queued" },
    { verb: "identify", args: [5], became: "" },
    { verb: "push", args: ["reset"], became: "" },
  ]);
  expect(own.push).toHaveBeenLastCalledWith("reset");
  end();
  expect(hub.track).toBe(own.track);
});

it("what is sent otherwise than it was given, and a view that is counted twice, are noted", () => {
  const body = (uid: string, params: object) => JSON.stringify({ contact_uid: "c", event_uid: uid, params });
  const view = (url: string) => listener("queued", body("pageview", { visit_url: `https://shop.example${url}` }));
  const hub: Record<string, (...args: unknown[]) => unknown> = {
    ...TRACKER,
    track: () => listener("queued", body("signup", { sizes: "[1, 2]", plan: "team", when: "2026", extra: 5 })),
    pageview: () => view("/a?spa=REDACTED"),
  };
  vi.stubGlobal("shop", hub);
  const { activity, listener, end } = listen("shop");
  hub.track!("signup", { sizes: [1, 2], plan: "team", when: new Date(), gone: undefined });
  expect([...activity.altered]).toEqual(['sizes of "signup" was given as a list of 2, and is sent as "[1, 2]"']);
  for (const url of ["/a", "/a", "/b"]) view(url);
  expect([...activity.doubled]).toEqual([]);
  view("/a");
  hub.pageview!();
  expect([...activity.doubled]).toEqual(["https://shop.example/a"]);
  end();
});

it("errors of the page are heard, and what was in the tracker's place before it came", () => {
  const stub = Object.assign(() => {}, { queue: [["reset"]] });
  vi.stubGlobal("shop", stub);
  const { activity, listener, noteLook, end } = listen("shop");
  dispatchEvent(new ErrorEvent("error", { message: "shop is not defined", filename: "https://a/b.js", lineno: 7 }));
  dispatchEvent(Object.assign(new Event("unhandledrejection"), { reason: "no" }));
  expect(activity.errors).toEqual(["no", "shop is not defined (https://a/b.js:7)"]);
  vi.stubGlobal("shop", { ...TRACKER });
  noteLook();
  const known = { ...KNOWN, listener, options: TAG, stood: activity.stood };
  expect(readPage("shop", known)).toMatchObject({ global: "running", unread: ["window.shop.queue (1)"] });
  end();
});

it("scripts that do not parse are named, modules and sound ones are not", () => {
  document.head.innerHTML = `<script>shop.push(["track", "a"]</script><script type="module">await shop.x</script>
    <script>// shop
      if (1) { shop.push(["reset"]) }</script><script>other(</script>`;
  const { broken } = readPage("shop", KNOWN);
  expect(broken).toEqual([['shop.push(["track", "a"]', expect.stringContaining("missing )")]]);
});

describe("a request", () => {
  const send = () => window.fetch("https://t.shop/e?api_token=a%20b", { method: "POST", body: BODY });
  const sent = { sent: [{ event: "pageview", visitUrl: "https://shop.example/" }] };

  // biome-ignore format: a table
  it.each([
    ["JSON", new Response('{"error":"api_token is missing"}', { status: 401 }), { status: 401, words: '{"error":"api_token is missing"}' }],
    ["a web page", new Response("<title>Just a moment</title>", { status: 403 }), { status: 403, words: "Just a moment" }],
    ["a redirect", { type: "opaqueredirect", status: 0, headers: new Headers(), clone: () => new Response() }, { status: 302 }],
    ["nothing", undefined, { status: 0 }],
  ])("is passed on, and %s told word for word", async (_, answer, told) => {
    const own = vi.fn(async () => {
      if (!answer) throw new TypeError("Failed to fetch");
      return answer as Response;
    });
    vi.stubGlobal("fetch", own);
    const { activity, listener, end } = listen("shop");
    // Another tracker's.
    listener("options", { apiToken: "a b" });
    await window.fetch("https://t.shop/e?api_token=c").catch(() => {});
    const open = send();
    expect(activity.exchanges).toMatchObject([{ ...sent, status: -1 }]);
    if (answer) expect(await open).toBe(answer);
    else await expect(open).rejects.toThrow();
    expect(activity.exchanges).toMatchObject([{ ...sent, ...told }]);
    end();
    expect(window.fetch).toBe(own);
  });
});

it("who was named before is known once the storage was emptied, and not after a log-out", () => {
  const named = { ...readStored("shop"), contact: "clara", hasIdentity: true };
  const noted = (stored: Partial<typeof named>) => {
    // As after a reload.
    const activity = createActivity();
    noteNamed("shop", activity, { ...named, ...stored });
    return [activity.isEmptied, activity.formerContact];
  };
  expect(noted({})).toEqual([false, "clara"]);
  for (let time = 1; time <= 2; time++) expect(noted({ contact: "", hasIdentity: false })).toEqual([true, "clara"]);
  expect(noted({ contact: "" })).toEqual([false, ""]);
});

it("a service on this computer is not asked by a page of the internet, since the browser would ask the visitor", async () => {
  vi.stubGlobal("location", new URL("https://shop.example"));
  vi.stubGlobal("fetch", vi.fn());
  expect(await lookAtService("http://127.0.0.1:4100/v1/track/event")).toEqual({ reach: "inside" });
  expect(fetch).not.toHaveBeenCalled();
});

it("a storage that is full is found at the start, and with each event", () => {
  vi.stubGlobal("shop", { ...TRACKER });
  const room = { isFull: true };
  const get = (real: Storage, key: string | symbol) => {
    if (key === "setItem" && room.isFull) throw new DOMException("full", "QuotaExceededError");
    const member = Reflect.get(real, key);
    return typeof member === "function" ? member.bind(real) : member;
  };
  vi.stubGlobal("localStorage", new Proxy(localStorage, { get }));
  const { activity, listener, end } = listen("shop");
  expect(activity.isUnstored).toBe(true);
  for (const isFull of [false, true]) {
    room.isFull = isFull;
    listener("queued", BODY);
    expect(activity.isUnstored).toBe(isFull);
  }
  end();
});
