/** How one body is sent, and what its answer is. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../../../src/types.js";
import { fresh } from "../fresh.js";

const URL_OF_EVENTS = "https://track.example/v1/track/event?api_token=token";
const BODY = '{"event_uid":"a"}';
const PLAIN: Partial<Config> = { contentType: "text/plain" };
const fetch = vi.fn<(url: string, init: RequestInit) => unknown>();

/** @param outlives whether it must outlive its page */
const post = async (config: Partial<Config> = {}, outlives = true, body = BODY) =>
  (await fresh(config, () => import("../../../../src/browser/delivery/requests.js"))).post(body, outlives);
const lastInit = (): RequestInit => fetch.mock.lastCall![1];

beforeEach(() => {
  fetch.mockReset().mockImplementation(async () => new Response("{}"));
  vi.stubGlobal("fetch", fetch);
  vi.stubGlobal("location", new URL("https://site.example/"));
});

it("sends what the interface says, without cookies, following no redirect, and for 15 s at most", async () => {
  const timeout = vi.spyOn(AbortSignal, "timeout");
  await post();
  expect(fetch.mock.calls[0]).toEqual([URL_OF_EVENTS, expect.anything()]);
  expect(lastInit()).toMatchObject({
    method: "POST",
    body: BODY,
    headers: { "Content-Type": "application/json" },
    keepalive: true,
    credentials: "omit",
    redirect: "manual",
    referrerPolicy: "origin",
  });
  expect(timeout).toHaveBeenCalledWith(15_000);
  expect(lastInit().signal).toBe(timeout.mock.results[0]!.value);
  expect(lastInit().mode ?? "cors").toBe("cors");
  await post({}, false);
  expect(lastInit().keepalive).toBe(false);
});

it("needs no CORS of the service as text/plain, in which mode browsers refuse any other redirect", async () => {
  await post(PLAIN);
  expect(lastInit()).toMatchObject({
    mode: "no-cors",
    headers: { "Content-Type": "text/plain" },
    credentials: "omit",
  });
  expect(lastInit().redirect ?? "follow").toBe("follow");
});

const broken = () => new ReadableStream({ start: (controller) => controller.error(new TypeError("network error")) });
const fail = (): never => {
  throw new Error("hostile");
};
it.each<[string, () => unknown, [status: number, retryAfterMs: number], Partial<Config>?]>([
  ["whose body breaks off counts by its status", () => new Response(broken()), [200, 0]],
  ["that cannot be read is delivery as text/plain", () => Response.error(), [200, 0], PLAIN],
  ["that can be read is its status as text/plain", () => new Response("", { status: 503 }), [503, 0], PLAIN],
  ["that does not come is 0 as text/plain, too", () => Promise.reject(new TypeError("Failed to fetch")), [0, 0], PLAIN],
  ["is 0 where the page has replaced fetch by what throws", fail, [0, 0]],
])("an answer %s", async (_, respond, outcome, config) => {
  fetch.mockImplementation(respond);
  expect((await post(config)).slice(0, 2)).toEqual(outcome);
});

it("goes to the address of the plural with several events, and hears how many the service takes", async () => {
  fetch.mockImplementation(() => new Response("{}", { headers: { "Tracklet-Batch": "1000" } }));
  expect((await post()).slice(0, 3)).toEqual([200, 0, 1_000]);
  expect(fetch.mock.lastCall![0]).toBe(URL_OF_EVENTS);
  await post({}, true, `[${BODY},${BODY}]`);
  expect(fetch.mock.lastCall![0]).toBe(URL_OF_EVENTS.replace("/event?", "/events?"));
});

it("takes an answer of another address for none: a service worker's offline page", async () => {
  const from = (url: string) =>
    fetch.mockResolvedValue(Object.defineProperty(new Response("{}"), "url", { value: url }));
  for (const [url, status] of [
    [URL_OF_EVENTS, 200],
    ["", 200],
    [URL_OF_EVENTS.replace("https", "http"), 200],
    ["https://track.example/offline.html", 0],
    ["https://site.example/offline.html", 0],
  ] as const) {
    from(url);
    expect([url, (await post())[0]]).toEqual([url, status]);
  }
});

describe("where keepalive does not exist", () => {
  const sendBeacon = vi.fn<(url: string, blob: Blob) => boolean>();
  beforeEach(() => {
    sendBeacon.mockReset().mockReturnValue(true);
    vi.stubGlobal("Request", class {});
    vi.stubGlobal("navigator", { sendBeacon });
  });
  it.each(["application/json", "text/plain"] as const)(
    "a beacon takes what must outlive the page, as %s",
    async (type) => {
      expect(await post({ contentType: type })).toEqual([1, 0]);
      const [url, blob] = sendBeacon.mock.lastCall!;
      expect([fetch.mock.calls, url, blob.type, await blob.text()]).toEqual([[], URL_OF_EVENTS, type, BODY]);
    },
  );
  it.each([() => false, fail])("a beacon that refuses or throws has sent nothing: %s", async (refuse) => {
    sendBeacon.mockImplementation(refuse);
    expect(await post()).toEqual([0, 0]);
  });
});
