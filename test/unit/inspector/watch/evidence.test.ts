// @vitest-environment happy-dom
/** What the inspector learns of a page: from its markup, by asking for addresses, and from the tracker. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listen } from "../../../../src/inspector/watch/listen.js";
import { withMemory } from "../../../../src/inspector/watch/memory.js";
import { watchSilence } from "../../../../src/inspector/watch/silence.js";
import { takeSnapshot } from "../../../../src/inspector/watch/snapshot.js";
import { readStored } from "../../../../src/inspector/watch/stored.js";
import { scopeOf } from "../../../../src/shared/scope.js";
import { closed, meet, type Network, nowhere, there } from "../network.js";
import { TAG } from "../say.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("a request has no answer", () => {
  const AT = "https://track.shop.example/v1/track/event";
  /** A service that says nothing for so long that the panel gives up. */
  const hangs: Network = ({ signal }) => void Object.assign(signal!, { aborted: true });
  const explain = async (network: Network, isOpen = false, at = AT) => {
    vi.spyOn(AbortSignal, "timeout").mockImplementation(() => ({ aborted: false }) as AbortSignal);
    meet(network);
    const tell = vi.fn();
    watchSilence(tell).explain(at, isOpen);
    await vi.runAllTimersAsync();
    return tell.mock.calls;
  };

  it.each<[string, Network]>([
    ["cors", there],
    ["cors", closed],
    ["redirect", () => ({ type: "opaqueredirect" }) as Response],
    ["plain", ({ mode }, address) => (address.startsWith("http:") ? closed({ mode }, address) : undefined)],
    ["unreachable", nowhere],
    ["hang", hangs],
  ])("because of: %s (%#)", async (reason, network) => expect(await explain(network)).toEqual([[reason, AT]]));

  it.each([
    ["asked", "https://shop.example", { "loopback-network": "prompt" }],
    ["refused", "https://shop.example", { "local-network-access": "denied" }],
    ["asked", "https://shop.example", {}],
    ["cors", "https://shop.example", { "loopback-network": "granted" }],
    ["cors", "http://localhost:8080", { "loopback-network": "denied" }],
  ])("from this computer, because of: %s, at %s with %j", async (reason, page, states: Record<string, string>) => {
    const query = async ({ name }: { name: string }) => {
      if (!states[name]) throw new TypeError("no such permission");
      return { state: states[name] };
    };
    vi.stubGlobal("navigator", { onLine: true, permissions: { query } });
    vi.stubGlobal("location", new URL(page));
    const here = "http://127.0.0.1:4100/v1/track/event";
    expect(await explain(there, false, here)).toEqual([[reason, here]]);
    // Whoever asks would have the browser ask the visitor.
    expect(vi.mocked(fetch).mock.calls.length > 0).toBe(reason === "cors");
  });

  it("yet, while it is under way: then only a service that hangs is a reason", async () => {
    expect(await explain(nowhere, true)).toEqual([]);
    expect(await explain(hangs, true)).toEqual([["hang", AT]]);
  });
});

const verb = () => {};
const TRACKER = { push: vi.fn(), init: verb, track: verb, flush: async () => ({ queued: 2 }) };

it.each<[what: string, html: string, globals: object, found: object]>([
  [
    "a call as a method",
    '<script>shop.identify("x")</script>',
    {},
    { inline: { calls: true, identifiesDirectly: true, replaces: false }, global: "absent" },
  ],
  [
    "an array in the tracker's place, and the options of a call",
    '<script>window.shop = []; shop.push(["init", { "apitoken": "a:b", trackURL: `https://x` }])</script>',
    {},
    { inline: { identifiesDirectly: false, replaces: true, options: ["apitoken", "trackURL"] } },
  ],
  [
    "calls that leave a tracker alone",
    '<script>window.shop = window.shop || []; myshop.identify("x")</script><script type="text/x">shop = []</script>',
    {},
    { inline: { calls: true, identifiesDirectly: false, replaces: false, options: [] } },
  ],
  ["calls of another name", "", { shop: TRACKER, tracklet: [["reset"], ["reset"]] }, { strayCalls: 2 }],
  ["calls that wait", "", { shop: [["reset"]] }, { global: "waiting", calls: [["reset"]], strayCalls: 0 }],
  [
    "elements that name no event for an add-on that runs",
    '<script src="/tracklet.clicks.iife.js" type="x" data-outbound="true"></script><p data-track><p data-track="x">',
    { trackletClicks: verb },
    { addOns: [{ options: { outbound: "true" }, isRunning: true }], unnamed: 1 },
  ],
  ["elements of another tool", "<p data-track>", {}, { addOns: [], unnamed: 0 }],
  [
    "a tag whose attributes are all misspelt",
    '<script type="text/plain" src="/tracklet.iife.js" data-name="shop" data-token="x"></script>',
    { shop: TRACKER },
    { global: "idle", tag: { name: "shop", token: "x" } },
  ],
])("the page shows %s", (_, html, globals, found) => {
  document.head.innerHTML = html;
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  expect(takeSnapshot("shop", vi.fn(), false)).toMatchObject(found);
});

const BODY = '{"contact_uid":"clara","event_uid":"pageview","params":{"visit_url":"https://shop.example/"}}';
const PENDING = { ...TAG, consent: "pending" };
it.each<[what: string, code: string, detail: unknown, known: object]>([
  ["a problem", "input", "a", { problems: new Map([["input", new Set(["a"])]]) }],
  ["its options, and how many events wait for consent", "options", PENDING, { options: PENDING, inMemory: 2 }],
  ["an event that the storage did not take", "queued", BODY, { isUnstored: true, inMemory: 1, contact: "clara" }],
  ["an event that waits for consent", "pending", BODY, { isUnstored: false, inMemory: 1, queued: 1, viewCount: 1 }],
  ["an event that a refusal drops", "dropped", "consent", { isDenied: true }],
  ["an event that a hook drops", "dropped", "beforeSend", { dropped: new Map([["beforeSend", 1]]) }],
])("the tracker tells %s", async (_, code, detail, known) => {
  vi.stubGlobal("shop", TRACKER);
  const { activity, listener, end } = listen("shop", "", () => {});
  expect(TRACKER.push).toHaveBeenLastCalledWith(["debug", listener]);
  listener(code, detail);
  await vi.waitFor(() => expect(activity).toMatchObject(known));
  end();
});

it("a page that is busy has not been quiet", () => {
  vi.stubGlobal("shop", TRACKER);
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const { activity, listener, noteLook, end } = listen("shop", "", () => {});
  for (const at of [500, 9_000]) {
    now.mockReturnValue(at);
    noteLook();
  }
  expect(activity.quietMs).toBe(1_500);
  listener("queued", BODY);
  expect(activity.quietMs).toBe(0);
  end();
});

it("a storage that is full is found at the start, and what waits in memory is counted until it is sent", async () => {
  vi.stubGlobal("shop", { ...TRACKER, flush: async () => ({ queued: 1 }) });
  const room = { isFull: true };
  const get = (real: Storage, key: string | symbol) => {
    if (key === "setItem" && room.isFull) throw new DOMException("full", "QuotaExceededError");
    const member = Reflect.get(real, key);
    return typeof member === "function" ? member.bind(real) : member;
  };
  vi.stubGlobal("localStorage", new Proxy(localStorage, { get }));
  const { activity, listener, end } = listen("shop", "", () => {});
  expect(activity.isUnstored).toBe(true);
  listener("options", TAG);
  await vi.waitFor(() => expect(activity.inMemory).toBe(1));
  listener("queued", BODY);
  expect(activity.inMemory).toBe(2);
  expect(withMemory(readStored("shop", TAG), activity).contact).toBe("clara");
  listener(503, BODY);
  expect(activity.inMemory).toBe(2);
  listener(200, BODY);
  expect(activity.inMemory).toBe(1);
  room.isFull = false;
  localStorage.setItem(`shop:${scopeOf(TAG.apiToken)}:event3:tab:1000001:0`, `0,0,${BODY}`);
  listener("queued", BODY);
  expect(activity).toMatchObject({ isUnstored: false, inMemory: 0 });
  localStorage.clear();
  end();
});
