/** `tracklet/send` against answers written by hand from the service's interface. How attempts are repeated and end: `retries`. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type DatedEvent, type SendConfig, type ServerEvent, sendEvent, sendEvents } from "../../src/send.js";
import { waitFor } from "../support/wait.js";
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
});

describe("POST /v1/track/event", () => {
  const TARGET = "/v1/track/event";
  // HTTP Basic: the token as user name, in UTF-8, and an empty password: base64("api-token:").
  const basic = (base64: string) => expect.objectContaining({ authorization: `Basic ${base64}` });
  const BODY = '{"contact_uid":"c-1","event_uid":"signup","params":{"account_uid":"a-1"}}';
  it.each<[string, Partial<SendConfig>, ServerEvent, object]>([
    ["a generic event, and nothing beside its members", {}, { ...event, more: 5 } as ServerEvent, { body: BODY }],
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
    ["a body that is too long", inTurn({ body: TOO_LONG })],
    ["a body that breaks off", begin((response) => response.socket?.destroy())],
  ])("of 2xx is enough: %s", async (_, answer) =>
    expect(await send(answer)).toMatchObject({ outcome: undefined, requests: { length: 1 } }),
  );
  it("of 2xx is enough: a body that never ends", () => {
    const fetch = async () => new Response(new ReadableStream());
    return expect(send(inTurn(stored), { fetch, timeoutMs: 50 })).resolves.toMatchObject({ outcome: undefined });
  });
  it("of another status is refused, be its body too long", async () =>
    expect((await send(inTurn({ status: 500, body: TOO_LONG }), { retries: 0 })).outcome).toMatchObject({
      name: "ApiError",
      status: 500,
      error: "body: longer than 1 MiB",
    }));
});

describe("sendEvents", () => {
  const sendAll = (answer: Answerer, events: DatedEvent[], config: Partial<SendConfig> = {}) =>
    withWire(answer, async ({ url, requests }) => {
      const to = { trackUrl: url, apiToken: "api-token", ...config };
      const outcome = await sendEvents(to, events).catch((error) => error);
      return { outcome, requests, bodies: requests.map(({ body }) => JSON.parse(body) as ServerEvent[]) };
    });
  const named = (event_uid: string): ServerEvent => ({ contact_uid: "c", event_uid });
  /** A verdict for each event of a request. */
  const judge =
    (verdict: (event: ServerEvent) => object): Answerer =>
    ({ body }) =>
      json((JSON.parse(body) as ServerEvent[]).map((one, index) => ({ index, ...verdict(one) })));
  const allStored = judge(() => ({ status: "stored" }));

  it("sends what fits into a request, in order, and none where there are no events", async () => {
    const events = Array.from({ length: 2_500 }, (_, number) => named(`${number}`));
    const { outcome, requests, bodies } = await sendAll(allStored, events);
    expect(bodies.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(bodies.flat().map(({ event_uid }) => event_uid)).toEqual(events.map(({ event_uid }) => event_uid));
    expect(outcome).toEqual(events.map(() => ({ status: "stored" })));
    expect(requests[0]).toMatchObject({ target: "/v1/track/events", method: "POST" });
    // Three bytes a letter.
    const large = Array.from({ length: 5 }, () => named("☃".repeat(130_000)));
    expect((await sendAll(allStored, large)).requests.map(({ body }) => Buffer.byteLength(body) <= 1_000_000)).toEqual([
      true,
      true,
      true,
    ]);
    expect(await sendAll(allStored, [])).toMatchObject({ outcome: [], requests: [] });
  });

  it("says what became of each, and sends again what could not be stored", async () => {
    const verdicts: Record<string, object> = {
      a: { status: "stored" },
      b: { status: "refused", why: "it is wrong" },
      c: { status: "again", why: "not now" },
      d: { status: "repeated" },
    };
    const { outcome, bodies } = await sendAll(
      inTurn(
        judge(({ event_uid }) => verdicts[event_uid]!),
        judge(({ event_uid }) => verdicts[event_uid]!),
        allStored,
      ),
      ["a", "b", "c", "d"].map(named),
      { stamp: true },
    );
    expect(outcome).toEqual([{ status: "stored" }, verdicts.b, { status: "stored" }, { status: "repeated" }]);
    // The same stamps.
    expect(bodies.slice(1)).toEqual([[bodies[0]![2]], [bodies[0]![2]]]);
    const stubborn = await sendAll(
      judge(() => verdicts.c!),
      [named("c")],
      { retries: 1 },
    );
    expect([stubborn.outcome, stubborn.requests.length]).toEqual([[verdicts.c], 2]);
  });

  it("repeats a request as a single event, and halves one that is too large for a proxy", async () => {
    const events = ["a", "b", "c"].map(named);
    const cut = begin((response) => response.socket?.destroy());
    expect(await sendAll(inTurn(hangUp, cut, allStored), events)).toMatchObject({ requests: { length: 3 } });
    expect((await sendAll(inTurn(json({}, 503), json({}, 429), allStored), events)).outcome).toHaveLength(3);
    const small: Answerer = (request, response) =>
      request.body.length > 120 || request.body.includes('"b"')
        ? json({ error: "too large" }, 413)
        : allStored(request, response);
    expect((await sendAll(small, events)).outcome).toEqual([
      { status: "stored" },
      { status: "refused", why: "too large" },
      { status: "stored" },
    ]);
  });

  it.each<[string, Answerer, object]>([
    ["a wrong token", inTurn(json({ error: "no" }, 401)), { name: "AuthenticationError", status: 401 }],
    [
      "a service that takes single events alone",
      inTurn(json({}, 404)),
      { message: expect.stringMatching(/own service/) },
    ],
    ["a service that is away", inTurn(json({}, 503)), { name: "ApiError", status: 503 }],
    ["too few verdicts", inTurn(json([])), { error: "body: expected a verdict an event, found array" }],
  ])("rejects where no event was judged: %s", async (_, answer, error) =>
    expect((await sendAll(answer, [named("a")])).outcome).toMatchObject(error),
  );

  it("says again of what a later request did not bring", async () => {
    const events = Array.from({ length: 1_001 }, (_, number) => named(`${number}`));
    const { outcome } = await sendAll(inTurn(allStored, json({ error: "gone" }, 401)), events);
    expect(outcome.slice(999)).toEqual([
      { status: "stored" },
      { status: "again", why: expect.stringMatching(/401 gone/), error: expect.objectContaining({ status: 401 }) },
    ]);
  });

  it("gives an event of the past its time, and no time of today", async () => {
    const { bodies } = await sendAll(allStored, [{ ...named("old"), received_at: 5 }, named("new")], { stamp: true });
    expect(bodies[0]).toEqual([
      { ...named("old"), received_at: 5, params: { event_id: expect.any(String) } },
      { ...named("new"), params: { event_id: expect.any(String), occurred_at: expect.any(Number) } },
    ]);
  });

  it("names the event that is wrong before anything is sent", async () => {
    for (const [wrong, text] of [
      [{ contact_uid: "", event_uid: "e" }, 'events[1]: contact_uid: expected a text that is not empty, found ""'],
      [null, "events[1]: event: expected an object, found null"],
      [{ ...named("e"), received_at: 1.5 }, "events[1]: received_at: expected a whole number from 0 to"],
    ] as const) {
      const { outcome, requests } = await sendAll(allStored, [named("a"), wrong as DatedEvent]);
      expect([outcome, requests]).toEqual([expect.any(TypeError), []]);
      expect(outcome.message).toContain(text);
    }
    expect((await sendAll(allStored, {} as never)).outcome).toEqual(
      new TypeError("events: expected an array, found object"),
    );
  });

  it("ends at a signal, also while it waits", async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    await withWire(
      judge(() => ({ status: "again" })),
      async ({ url, requests }) => {
        const controller = new AbortController();
        const sending = sendEvents({ trackUrl: url, apiToken: "t" }, [named("a")], { signal: controller.signal });
        await waitFor(() => requests.length, { what: "the request" });
        controller.abort(new Error("enough"));
        expect(await sending).toEqual([{ status: "again", why: "Error: enough", error: new Error("enough") }]);
        expect(requests).toHaveLength(1);
      },
    );
  });
});
