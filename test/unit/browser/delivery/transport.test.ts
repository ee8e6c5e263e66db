import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Config } from "../../../../src/types.js";
import { fresh } from "../fresh.js";

const URL_OF_EVENTS = "https://track.example/v1/track/event?api_token=token";
let asked: { url: string; init: RequestInit }[];

const answerWith = (respond: (init: RequestInit) => Response | Promise<Response>): void =>
  void vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return respond(init);
  });
const load = (config: Partial<Config> = {}) =>
  fresh(config, () => import("../../../../src/browser/delivery/transport.js"));
const post = async (outlives = true, config: Partial<Config> = {}) =>
  (await load(config)).post('{"event_uid":"a"}', outlives);

beforeEach(() => {
  asked = [];
  vi.stubGlobal("location", new URL("https://site.example/"));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("sends what the interface says, without cookies, following no redirect", async () => {
  answerWith(() => new Response("{}"));
  await post();
  const [{ url, init }] = asked as [(typeof asked)[0]];
  expect(url).toBe(URL_OF_EVENTS);
  expect(init).toMatchObject({
    method: "POST",
    body: '{"event_uid":"a"}',
    headers: { "Content-Type": "application/json" },
    keepalive: true,
    credentials: "omit",
    redirect: "manual",
    referrerPolicy: "origin",
  });
  expect(init.mode ?? "cors").toBe("cors");
  await post(false);
  expect(asked[1]!.init.keepalive).toBe(false);
});

describe("an answer", () => {
  it("is its status", async () => {
    for (const status of [200, 201, 204, 400, 401, 404, 413, 422, 429, 500, 503]) {
      answerWith(() => new Response(status === 204 ? null : "{}", { status }));
      expect(await post()).toEqual([status, 0]);
    }
  });
  it("has its body read, so that its share of the budget is free again", async () => {
    const response = new Response("x".repeat(10_000), { status: 503 });
    answerWith(() => response);
    await post();
    expect(response.bodyUsed).toBe(true);
  });
  it("tells how long to wait", async () => {
    answerWith(() => new Response("", { status: 503, headers: { "Retry-After": "7" } }));
    expect(await post()).toEqual([503, 7_000]);
  });
  it("that is a redirect is neither followed nor a success", async () => {
    // Browsers give the redirect that they were told not to follow the status 0.
    answerWith(() => Response.error());
    expect((await post())[0]).toBe(302);
  });
  it("whose body breaks off counts by its status", async () => {
    const broken = () =>
      new ReadableStream({ start: (controller) => controller.error(new TypeError("network error")) });
    answerWith(() => new Response(broken()));
    expect((await post())[0]).toBe(200);
  });
});

describe("as text/plain", () => {
  const postPlain = () => post(true, { contentType: "text/plain" });
  it("needs no CORS of the service", async () => {
    answerWith(() => new Response("{}"));
    await postPlain();
    const { init } = asked[0]!;
    expect(init).toMatchObject({ mode: "no-cors", headers: { "Content-Type": "text/plain" }, credentials: "omit" });
    // In this mode browsers refuse any other.
    expect(init.redirect ?? "follow").toBe("follow");
  });
  it("an answer that cannot be read is delivery, one that can be read its status, and a rejection none", async () => {
    // Browsers give it the status 0, as they do to an error.
    answerWith(() => Response.error());
    expect(await postPlain()).toEqual([200, 0]);
    answerWith(() => new Response("", { status: 503 }));
    expect(await postPlain()).toEqual([503, 0]);
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await postPlain()).toEqual([0, 0]);
  });
});

describe("no answer", () => {
  it("is the status 0, also where the page has replaced fetch by what throws", async () => {
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await post()).toEqual([0, 0]);
    vi.stubGlobal("fetch", () => {
      throw new Error("hostile");
    });
    expect(await post()).toEqual([0, 0]);
  });
  it("within 15 s ends the request", async () => {
    const controller = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(controller.signal);
    answerWith(
      ({ signal }) => new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
    );
    const transport = await load();
    const outcome = transport.post("{}", true);
    controller.abort(new DOMException("too late", "TimeoutError"));
    expect(await outcome).toEqual([0, 0]);
    expect(timeout).toHaveBeenCalledWith(15_000);
  });
});

describe("where keepalive does not exist", () => {
  let beacons: { url: string; blob: Blob }[];
  beforeEach(() => {
    beacons = [];
    vi.stubGlobal("Request", class {});
    answerWith(() => new Response("{}"));
  });
  const stubBeacon = (sendBeacon: () => boolean): void =>
    void vi.stubGlobal("navigator", {
      sendBeacon: (url: string, blob: Blob) => {
        beacons.push({ url, blob });
        return sendBeacon();
      },
    });
  it.each(["application/json", "text/plain"] as const)(
    "a beacon takes what must outlive the page, as %s",
    async (type) => {
      stubBeacon(() => true);
      const { post, BEACON } = await load({ contentType: type });
      expect(await post('{"a":1}', true)).toEqual([BEACON, 0]);
      expect([asked, beacons[0]!.url]).toEqual([[], URL_OF_EVENTS]);
      expect([beacons[0]!.blob.type, await beacons[0]!.blob.text()]).toEqual([type, '{"a":1}']);
    },
  );
  it("a beacon that refuses or throws has sent nothing", async () => {
    stubBeacon(() => false);
    expect((await post())[0]).toBe(0);
    stubBeacon(() => {
      throw new TypeError("no");
    });
    expect((await post())[0]).toBe(0);
  });
  it("other requests are plain ones", async () => {
    stubBeacon(() => true);
    expect((await post(false))[0]).toBe(200);
    expect([asked.length, beacons.length]).toEqual([1, 0]);
  });
});
