import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  RateLimitError,
  type SendConfig,
  type ServerEvent,
  sendEvent,
  TimeoutError,
} from "../../src/send.js";
import { type Answerer, hangUp, inTurn, json, silence, withWire } from "../contract/wire.js";

const event: ServerEvent = { contact_uid: "c-1", event_uid: "signup", params: { account_uid: "a-1" } };
const stored = json({ status: "success" });

const send = (answer: Answerer, config: Partial<SendConfig> = {}, what: ServerEvent = event) =>
  withWire(answer, async ({ url, requests }) => {
    const outcome = await sendEvent({ trackUrl: `${url}//`, apiToken: "token", ...config }, what).catch(
      (error) => error,
    );
    return { outcome, requests, bodies: requests.map(({ body }) => JSON.parse(body)) };
  });

// The jitter is full: no wait at all is one of its outcomes.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

describe("arguments", () => {
  const good: SendConfig = { trackUrl: "http://127.0.0.1:9", apiToken: "token" };
  const address = "trackUrl: expected an https:// or http:// address without user, query and fragment";
  const token = "apiToken: expected a text on one line";
  const path = 'eventPath: expected a path that begins with "/", without query and fragment';
  const count = "expected a whole number from 0 to 999999999";
  it.each([
    [{ trackUrl: undefined }, `${address}, found undefined`],
    [{ trackUrl: "/track" }, `${address}, found "/track"`],
    [{ trackUrl: "view-source:http://127.0.0.1:9" }, `${address}, found "view-sou…"`],
    [{ trackUrl: "http://user@127.0.0.1:9" }, `${address}, found "http://u…"`],
    [{ apiToken: "" }, `${token}, found ""`],
    [{ apiToken: undefined }, `${token}, found undefined`],
    [{ apiToken: "a\nb" }, `${token}, found "***"`],
    [{ apiToken: "a\ud800" }, `${token}, found "***"`],
    [{ apiToken: "a:b" }, 'auth: expected "query" for a token with a colon, found "basic"'],
    [{ eventPath: "v1/track/event" }, `${path}, found "v1/track…"`],
    [{ eventPath: "@evil.example/" }, `${path}, found "@evil.ex…"`],
    [{ eventPath: "/e?a=1" }, `${path}, found "/e?a=1"`],
    [{ auth: "bearer" }, 'auth: expected "basic" or "query", found "bearer"'],
    [{ timeoutMs: -1 }, `timeoutMs: ${count}, found -1`],
    [{ retries: Number.NaN }, `retries: ${count}, found NaN`],
  ])("that configure it wrongly are told in words: %o", (wrong, message) =>
    expect(sendEvent({ ...good, ...wrong } as SendConfig, event)).rejects.toEqual(new TypeError(message)),
  );

  it.each([
    [{ event_uid: "e" }, "contact_uid: expected a text that is not empty, found undefined"],
    [{ contact_uid: "", event_uid: "e" }, 'contact_uid: expected a text that is not empty, found ""'],
    [{ contact_uid: "c", event_uid: 5 }, "event_uid: expected a text that is not empty, found 5"],
    [{ contact_uid: "c", event_uid: "e", params: [] }, "params: expected an object, found array"],
    [{ contact_uid: "c", event_uid: "e", params: "a" }, 'params: expected an object, found "a"'],
    [{ contact_uid: "c", event_uid: "e", params: null }, "params: expected an object, found null"],
  ])("that are no event are told in words: %o", (wrong, message) =>
    expect(sendEvent(good, wrong as unknown as ServerEvent)).rejects.toEqual(new TypeError(message)),
  );

  it("that JSON cannot hold are refused before anything is sent", async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    for (const params of [circle, { amount: 5n }]) {
      const { outcome, requests } = await send(inTurn(stored), {}, { ...event, params });
      expect(outcome).toBeInstanceOf(TypeError);
      expect(requests).toEqual([]);
    }
  });
});

describe("a request", () => {
  it("holds the three members and nothing else", async () => {
    const more = { ...event, created: 5 } as ServerEvent;
    const { outcome, bodies, requests } = await send(inTurn(stored), {}, more);
    expect(outcome).toBeUndefined();
    expect(requests).toMatchObject([{ method: "POST", target: "/v1/track/event" }]);
    expect(bodies).toEqual([event]);
  });

  it("holds empty params when there are none", async () => {
    const { bodies } = await send(inTurn(stored), {}, { contact_uid: "c", event_uid: "e" });
    expect(bodies).toEqual([{ contact_uid: "c", event_uid: "e", params: {} }]);
  });

  it("goes to the path of a proxy that renames it", async () => {
    const { requests } = await send(inTurn(stored), { eventPath: "/e/1" });
    expect(requests[0]!.target).toBe("/e/1");
  });

  it.each([
    ["token", "dG9rZW46"],
    ["tést", "dMOpc3Q6"],
    ["☃🎉", "4piD8J+OiTo="],
  ])("has the token %s as user name, in UTF-8", async (apiToken, base64) => {
    const { requests } = await send(inTurn(stored), { apiToken });
    expect(requests[0]!.headers.authorization).toBe(`Basic ${base64}`);
    expect(Buffer.from(base64, "base64").toString("utf8")).toBe(`${apiToken}:`);
  });

  it("has the token in the query instead", async () => {
    const { requests } = await send(inTurn(stored), { auth: "query", apiToken: "a:b&c ☃" });
    expect(requests[0]!.target).toBe("/v1/track/event?api_token=a%3Ab%26c%20%E2%98%83");
    expect(requests[0]!.headers).not.toHaveProperty("authorization");
  });
});

describe("stamps", () => {
  it("are left out unless they are asked for", async () => {
    const { bodies } = await send(inTurn(hangUp, stored));
    expect(bodies).toEqual([event, event]);
  });

  it("are the same on every attempt, and another for every event", async () => {
    const before = Date.now();
    const { bodies } = await send(inTurn(hangUp, json({}, 503), stored), { stamp: true });
    expect(bodies).toHaveLength(3);
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    const { event_id, occurred_at, ...params } = bodies[0].params;
    expect(params).toEqual(event.params);
    expect(event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(occurred_at).toBeGreaterThanOrEqual(before);
    expect(occurred_at).toBeLessThanOrEqual(Date.now());
    const another = await send(inTurn(stored), { stamp: true });
    expect(another.bodies[0].params.event_id).not.toBe(event_id);
  });

  it("of the caller are kept", async () => {
    const params = { event_id: "mine", occurred_at: 5 };
    const { bodies } = await send(inTurn(stored), { stamp: true }, { ...event, params });
    expect(bodies[0].params).toEqual(params);
  });
});

describe("an answer", () => {
  it.each([
    ["JSON", stored],
    ["no JSON", { body: "<html>" }],
    ["nothing", { status: 204 }],
    ["201", json({}, 201)],
  ])("of 2xx is enough: %s", async (_, reply) => {
    const { outcome, requests } = await send(inTurn(reply));
    expect(outcome).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  const partly =
    (end: (response: Parameters<Answerer>[1]) => void): Answerer =>
    (_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"status":', () => end(response));
      return undefined;
    };

  it("of 2xx is enough when its body breaks off: no second request", async () => {
    const { outcome, requests } = await send(partly((response) => response.socket?.destroy()));
    expect(outcome).toBeUndefined();
    expect(requests).toHaveLength(1);
  });

  it("of 2xx is enough when its body never ends", async () => {
    await expect(
      send(
        partly(() => {}),
        { timeoutMs: 300 },
      ),
    ).resolves.toMatchObject({ outcome: undefined });
  });

  it.each([
    [401, AuthenticationError],
    [403, AuthenticationError],
    [400, ApiError],
    [413, ApiError],
    [302, ApiError],
    [307, ApiError],
  ])("of %i is final", async (status, kind) => {
    const { outcome, requests } = await send(inTurn(json({ error: "no" }, status, { location: "/elsewhere" }), stored));
    expect(outcome).toBeInstanceOf(kind);
    expect(outcome).toMatchObject({ status, method: "POST", error: "no" });
    expect(requests).toHaveLength(1);
  });

  it.each([408, 425, 429, 500, 503])("of %i is asked for again", async (status) => {
    const { outcome, bodies } = await send(inTurn(json({}, status), stored));
    expect(outcome).toBeUndefined();
    expect(bodies).toEqual([event, event]);
  });

  it("that never comes ends the call", async () => {
    await expect(send(inTurn(json({ error: "slow down" }, 429)))).resolves.toMatchObject({
      outcome: expect.any(RateLimitError),
      requests: { length: 3 },
    });
    await expect(send(hangUp, { retries: 1 })).resolves.toMatchObject({
      outcome: expect.any(ConnectionError),
      requests: { length: 2 },
    });
    await expect(send(silence, { timeoutMs: 300 })).resolves.toMatchObject({ outcome: expect.any(TimeoutError) });
  });
});

it("ends at once when its signal aborts", () =>
  withWire(silence, async ({ url, received }) => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const sent = sendEvent({ trackUrl: url, apiToken: "token" }, event, { signal: controller.signal });
    await received(1);
    controller.abort(reason);
    await expect(sent).rejects.toBe(reason);
  }));
