import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createTransport } from "../../../../src/browser/delivery/transport.js";

const URL = "https://track.example/v1/track/event?api_token=token";
const transportTo = (url: string, type?: string) => createTransport(url, type, () => {});
let asked: { url: string; init: RequestInit }[];

const answerWith = (respond: (init: RequestInit) => Response | Promise<Response>): void =>
  void vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    return respond(init);
  });

beforeEach(() => {
  asked = [];
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("sends what the interface says, without cookies, following no redirect", async () => {
  answerWith(() => new Response("{}"));
  await transportTo(URL).post('{"event_uid":"a"}', true);
  const [{ url, init }] = asked as [(typeof asked)[0]];
  expect(url).toBe(URL);
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
});

it("outlives the page only if told so", async () => {
  answerWith(() => new Response("{}"));
  await transportTo(URL).post("{}", false);
  expect(asked[0]!.init.keepalive).toBe(false);
});

describe("an answer", () => {
  it.each([200, 201, 204, 400, 401, 404, 413, 422, 429, 500, 503])("of %i is its status", async (status) => {
    answerWith(() => new Response(status === 204 ? null : "{}", { status }));
    expect(await transportTo(URL).post("{}", true)).toEqual([status, 0]);
  });
  it("has its body read, so that its share of the budget is free again", async () => {
    const response = new Response("x".repeat(10_000), { status: 503 });
    answerWith(() => response);
    await transportTo(URL).post("{}", true);
    expect(response.bodyUsed).toBe(true);
  });
  it("tells how long to wait", async () => {
    answerWith(() => new Response("", { status: 503, headers: { "Retry-After": "7" } }));
    expect(await transportTo(URL).post("{}", true)).toEqual([503, 7_000]);
  });
  it("that is a redirect is neither followed nor a success", async () => {
    // Browsers give the redirect that they were told not to follow the status 0.
    answerWith(() => Response.error());
    const [status] = await transportTo(URL).post("{}", true);
    expect(status).toBeGreaterThanOrEqual(300);
    expect(status).toBeLessThan(400);
  });
  it("whose body breaks off counts by its status", async () => {
    const broken = () =>
      new ReadableStream({ start: (controller) => controller.error(new TypeError("network error")) });
    answerWith(() => new Response(broken()));
    expect((await transportTo(URL).post("{}", true))[0]).toBe(200);
  });
});

describe("as text/plain", () => {
  const post = () => transportTo(URL, "text/plain").post("{}", true);
  it("needs no CORS of the service", async () => {
    answerWith(() => new Response("{}"));
    await post();
    const { init } = asked[0]!;
    expect(init).toMatchObject({ mode: "no-cors", headers: { "Content-Type": "text/plain" }, credentials: "omit" });
    // In this mode browsers refuse any other.
    expect(init.redirect ?? "follow").toBe("follow");
  });
  it("an answer that cannot be read is delivery", async () => {
    // Browsers give it the status 0, as they do to an error.
    answerWith(() => Response.error());
    expect(await post()).toEqual([200, 0]);
  });
  it("an answer that can be read is its status", async () => {
    answerWith(() => new Response("", { status: 503 }));
    expect(await post()).toEqual([503, 0]);
  });
  it("a rejection is none", async () => {
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await post()).toEqual([0, 0]);
  });
});

it("tells whoever listens of each answer, or that there was none", async () => {
  const lines: unknown[] = [];
  const { post } = createTransport(URL, undefined, (...line) => lines.push(line));
  answerWith(() => new Response("", { status: 503 }));
  await post("{1}", true);
  answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
  await post("{2}", true);
  expect(lines).toEqual([
    [503, "{1}"],
    [0, "{2}"],
  ]);
});

describe("no answer", () => {
  it("is the status 0", async () => {
    answerWith(() => Promise.reject(new TypeError("Failed to fetch")));
    expect(await transportTo(URL).post("{}", true)).toEqual([0, 0]);
  });
  it("nor a throw comes from a fetch that the page has replaced", async () => {
    vi.stubGlobal("fetch", () => {
      throw new Error("hostile");
    });
    expect(await transportTo(URL).post("{}", true)).toEqual([0, 0]);
  });
  it("within 15 s ends the request", async () => {
    const controller = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(controller.signal);
    answerWith(
      ({ signal }) => new Promise((_, reject) => signal!.addEventListener("abort", () => reject(signal!.reason))),
    );
    const outcome = transportTo(URL).post("{}", true);
    controller.abort(new DOMException("too late", "TimeoutError"));
    expect(await outcome).toEqual([0, 0]);
    expect(timeout).toHaveBeenCalledWith(15_000);
  });
});

describe("where keepalive does not exist", () => {
  let beacons: { url: string; blob: Blob }[];
  const withoutKeepalive = (sendBeacon: (url: string, blob: Blob) => boolean, type?: string) => {
    beacons = [];
    vi.stubGlobal("Request", class {});
    vi.stubGlobal("navigator", {
      sendBeacon: (url: string, blob: Blob) => {
        beacons.push({ url, blob });
        return sendBeacon(url, blob);
      },
    });
    answerWith(() => new Response("{}"));
    return transportTo(URL, type);
  };
  it("a beacon takes what must outlive the page, and that it was taken is the verdict", async () => {
    const transport = withoutKeepalive(() => true);
    expect((await transport.post('{"a":1}', true))[0]).toBe(200);
    expect(asked).toEqual([]);
    expect(beacons[0]).toMatchObject({ url: URL });
    expect([beacons[0]!.blob.type, await beacons[0]!.blob.text()]).toEqual(["application/json", '{"a":1}']);
  });
  it("a beacon has the type that was asked for", async () => {
    await withoutKeepalive(() => true, "text/plain").post("{}", true);
    expect(beacons[0]!.blob.type).toBe("text/plain");
  });
  it.each([
    ["refuses", () => false],
    [
      "throws",
      () => {
        throw new TypeError("no");
      },
    ],
  ])("a beacon that %s has sent nothing", async (_, sendBeacon) => {
    expect((await withoutKeepalive(sendBeacon as () => boolean).post("{}", true))[0]).toBe(0);
  });
  it("other requests are plain ones", async () => {
    expect((await withoutKeepalive(() => true).post("{}", false))[0]).toBe(200);
    expect([asked.length, beacons.length]).toEqual([1, 0]);
  });
});
