/** `tracklet/send` against answers written by hand from the service's interface. How attempts are repeated and end: `retries`. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type SendConfig, type ServerEvent, sendEvent } from "../../src/send.js";
import { type Answerer, begin, hangUp, inTurn, json, withWire } from "./wire.js";

const event: ServerEvent = { contact_uid: "c-1", event_uid: "signup", params: { account_uid: "a-1" } };
const stored = json({ status: "success" });

const send = (answer: Answerer, config: Partial<SendConfig> = {}, what: ServerEvent = event) =>
  withWire(answer, async ({ url, requests }) => {
    const outcome = await sendEvent({ trackUrl: `${url}//`, apiToken: "api-token", ...config }, what).catch(
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
    [{ trackUrl: "view-source:http://127.0.0.1:9" }, `${address}, found "view-sou…"`],
    [{ apiToken: "" }, `${token}, found ""`],
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
    [{ contact_uid: "c", event_uid: "e", params: null }, "params: expected an object, found null"],
  ])("that are no event are told in words: %o", (wrong, message) =>
    expect(sendEvent(good, wrong as unknown as ServerEvent)).rejects.toEqual(new TypeError(message)),
  );

  const circle: Record<string, unknown> = {};
  circle.circle = circle;
  it.each<[what: Partial<ServerEvent>, found: string]>([
    [{ params: circle }, "params.circle: expected what JSON can hold, found object"],
    [{ params: { amount: 5n } }, "params.amount: expected what JSON can hold, found 5n"],
    [{ contact_uid: 1.5 }, "contact_uid: expected a text that is not empty, found 1.5"],
  ])("that cannot be sent are named before anything is sent: %#", async (what, message) => {
    const { outcome, requests } = await send(inTurn(stored), {}, { ...event, ...what });
    expect([outcome, requests]).toEqual([new TypeError(message), []]);
  });

  it("that are missing are named", async () => {
    await expect(sendEvent(undefined as never, event)).rejects.toEqual(
      new TypeError("config: expected an object, found undefined"),
    );
    await expect(sendEvent(good, null as never)).rejects.toEqual(
      new TypeError("event: expected an object, found null"),
    );
  });
});

describe("POST /v1/track/event", () => {
  const TARGET = "/v1/track/event";
  // HTTP Basic: the token as user name, in UTF-8, and an empty password: base64("api-token:").
  const basic = (base64: string) => expect.objectContaining({ authorization: `Basic ${base64}` });
  const BODY = '{"contact_uid":"c-1","event_uid":"signup","params":{"account_uid":"a-1"}}';
  it.each<[string, Partial<SendConfig>, ServerEvent, object]>([
    ["a generic event, and nothing beside its members", {}, { ...event, more: 5 } as ServerEvent, { body: BODY }],
    [
      "a page view",
      {},
      { contact_uid: "c", event_uid: "pageview", params: { visit_url: "https://app.example.com/" } },
      { body: '{"contact_uid":"c","event_uid":"pageview","params":{"visit_url":"https://app.example.com/"}}' },
    ],
    [
      "empty params where there are none",
      {},
      { contact_uid: "c", event_uid: "e" },
      { body: '{"contact_uid":"c","event_uid":"e","params":{}}' },
    ],
    [
      "a contact's number as text",
      {},
      { contact_uid: 42, event_uid: "e" },
      { body: '{"contact_uid":"42","event_uid":"e","params":{}}' },
    ],
    ["the path of a proxy that renames it", { eventPath: "/e/1" }, event, { target: "/e/1" }],
    ["a token of symbols", { apiToken: "☃🎉" }, event, { headers: basic("4piD8J+OiTo=") }],
    [
      "the token in the query instead",
      { auth: "query", apiToken: "a:b&c ☃" },
      event,
      {
        target: `${TARGET}?api_token=a%3Ab%26c%20%E2%98%83`,
        headers: expect.not.objectContaining({ authorization: expect.anything() }),
      },
    ],
  ])("has %s", async (_, config, what, request) => {
    const { outcome, requests } = await send(inTurn(stored), config, what);
    const usual = { method: "POST", target: TARGET, headers: basic("YXBpLXRva2VuOg=="), body: BODY };
    expect([outcome, requests]).toEqual([undefined, [{ ...usual, ...request }]]);
    expect(requests[0]!.headers["content-type"]).toBe("application/json");
  });
});

describe("stamps", () => {
  it("are the same on every attempt, and another for every event", async () => {
    const before = Date.now();
    const { bodies } = await send(inTurn(hangUp, json({}, 503), stored), { stamp: true });
    expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
    const { event_id, occurred_at, ...params } = bodies[0].params;
    expect(params).toEqual(event.params);
    expect(event_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([occurred_at >= before, occurred_at <= Date.now()]).toEqual([true, true]);
    expect((await send(inTurn(stored), { stamp: true })).bodies[0].params.event_id).not.toBe(event_id);
  });
  it("of the caller are kept", async () => {
    const params = { event_id: "mine", occurred_at: 5 };
    const { bodies } = await send(inTurn(stored), { stamp: true }, { ...event, params });
    expect(bodies[0].params).toEqual(params);
  });
});

describe("an answer", () => {
  const TOO_LONG = "a".repeat(2 * 1_048_576);
  it.each<[string, Answerer]>([
    ["JSON", inTurn(stored)],
    ["no JSON", inTurn({ body: "<html>" })],
    ["nothing", inTurn({ status: 204 })],
    ["201", inTurn(json({}, 201))],
    ["a body that is too long", inTurn({ body: TOO_LONG })],
    ["a body that breaks off", begin((response) => response.socket?.destroy())],
    ["a body that never ends", begin(() => {})],
  ])("of 2xx is enough: %s", async (_, answer) =>
    expect(await send(answer, { timeoutMs: 300 })).toMatchObject({ outcome: undefined, requests: { length: 1 } }),
  );
  it("of another status is refused, be its body too long", async () =>
    expect((await send(inTurn({ status: 500, body: TOO_LONG }), { retries: 0 })).outcome).toMatchObject({
      name: "ApiError",
      status: 500,
      error: "body: longer than 1 MiB",
    }));
});
