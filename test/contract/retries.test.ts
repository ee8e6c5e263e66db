/** When a look-up is tried again, and when it ends. `tracklet/send` goes the same way. */
import { getEventListeners, once } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  AuthenticationError,
  type CallOptions,
  ConnectionError,
  createReader,
  RateLimitError,
  type ReaderConfig,
  TimeoutError,
} from "../../src/read.js";
import { sendEvent } from "../../src/send.js";
import { type Answerer, begin, deadAddress, hangUp, inTurn, json, type Reply, withWire } from "./wire.js";

const attempt = (answer: Answerer, config: Partial<ReaderConfig> = {}) =>
  withWire(answer, async ({ url, requests }) => {
    const reader = createReader({ baseUrl: url, accessToken: "token", ...config });
    const outcome = await reader.accounts.get("1").catch((error: unknown) => error);
    return { outcome, attempts: requests.length };
  });

const found = json({ id: "1" });

describe("without waiting", () => {
  // The jitter is full: no wait at all is one of its outcomes.
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));

  it.each<[string, Answerer | Reply]>([
    ...[408, 425, 429, 500, 503].map((status): [string, Reply] => [`${status}`, json({}, status)]),
    ["a connection that is reset", hangUp],
    ["a body that breaks off", begin((response) => response.socket?.destroy())],
  ])("asks again after %s, and gives the answer then", async (_, failure) =>
    expect(await attempt(inTurn(failure, failure, found))).toEqual({ outcome: { id: "1" }, attempts: 3 }),
  );

  it.each([
    [429, undefined, RateLimitError, 3],
    [503, undefined, ApiError, 3],
    [503, 0, ApiError, 1],
    [503, 4, ApiError, 5],
  ])("gives up on %i, with retries: %s", async (status, retries, kind, tries) => {
    const { outcome, attempts } = await attempt(inTurn(json({ error: "busy" }, status)), { retries });
    expect([outcome, attempts]).toEqual([expect.any(kind), tries]);
    expect(outcome).toMatchObject({ status, error: "busy", retryAfterMs: 0 });
  });

  it.each([301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 406, 410, 422])("asks once after %i", async (status) => {
    const { outcome, attempts } = await attempt(inTurn(json({ error: "no" }, status, { location: "/v2/accounts/2" })));
    expect([outcome, attempts]).toEqual([expect.any(ApiError), 1]);
    expect(outcome).toMatchObject({ status });
    expect(outcome instanceof AuthenticationError).toBe(status === 401 || status === 403);
  });

  it("tells why there was no connection", async () => {
    const baseUrl = await deadAddress();
    const reader = createReader({ baseUrl, accessToken: "token" });
    const error = await reader.accounts.get("1").catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ message: `GET ${baseUrl}/v2/accounts/1: no answer` });
    expect(String((error as Error & { cause: unknown }).cause)).toBe("Error: ECONNREFUSED");
  });
});

describe("on a clock of the test's", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    vi.spyOn(Math, "random").mockReturnValue(0.999);
  });
  // Whatever has come of a call, nothing of it is left.
  afterEach(() => expect(vi.getTimerCount()).toBe(0));

  const found = () => Response.json({ id: "1" });
  const busy = (retryAfter = "") =>
    Response.json({ error: "busy" }, { status: 503, headers: { "retry-after": retryAfter } });
  const never = new Promise<Response>(() => {});
  /** Asks a service that answers so, one after the other. */
  const ask = (answers: (Response | Promise<Response>)[], timeoutMs?: number, options?: CallOptions) => {
    const fetch = vi.fn(async () => answers.shift()!);
    const reader = createReader({ baseUrl: "https://api.example.com", accessToken: "token", timeoutMs, fetch });
    return { fetch, outcome: reader.accounts.get("1", options).catch((error: unknown) => error) };
  };

  it.each([
    ["as long as Retry-After says", ["7"], [7_000]],
    ["longer and longer without it", ["", ""], [999, 1_998]],
    ["so, too, where it lies in the past, or is no number", ["-5", "soon"], [999, 1_998]],
  ])("waits %s", async (_, asked, waits) => {
    const { fetch, outcome } = ask([...asked.map(busy), found()]);
    for (const [at, wait] of waits.entries()) {
      await vi.advanceTimersByTimeAsync(wait - 1);
      expect(fetch).toHaveBeenCalledTimes(at + 1);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(await outcome).toEqual({ id: "1" });
  });

  it("does not begin a wait that is longer than what is left of the deadline", async () => {
    const { fetch, outcome } = ask([busy(), busy("9.5"), found()], 10_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(await outcome).toBeInstanceOf(ApiError);
    expect(await outcome).toMatchObject({ status: 503, error: "busy", retryAfterMs: 9_500 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["fetch ignores its signal", never],
    ["the body stalls", new Response(new ReadableStream())],
  ])("has one deadline for all attempts, although %s", async (_, last) => {
    const { fetch, outcome } = ask([busy(), last], 1_500);
    await vi.advanceTimersByTimeAsync(1_500);
    expect(await outcome).toBeInstanceOf(TimeoutError);
    expect(`${await outcome}`).toMatch(/: GET .*: not done within 1500 ms$/);
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  it("ends by its signal before a wait is over", async () => {
    const controller = new AbortController();
    const { fetch, outcome } = ask([busy("20"), found()], undefined, controller);
    await vi.advanceTimersByTimeAsync(1);
    controller.abort("enough");
    expect([await outcome, fetch.mock.calls.length]).toEqual(["enough", 1]);
  });

  it("leaves its signal without a listener", async () => {
    const { signal } = new AbortController();
    const { outcome } = ask([found()], undefined, { signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await outcome;
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a signal", () => {
  it("that is aborted already keeps the request from being made", async () => {
    const reason = new Error("enough");
    await withWire(inTurn(found), async ({ url, requests }) => {
      const reader = createReader({ baseUrl: url, accessToken: "token" });
      const signal = AbortSignal.abort(reason);
      await expect(reader.accounts.get("1", { signal })).rejects.toBe(reason);
      await expect(reader.accounts.findByUid("1", { signal })).rejects.toBe(reason);
      await expect(reader.users.list({ signal })).rejects.toBe(reason);
      const event = { contact_uid: "c", event_uid: "e" };
      await expect(sendEvent({ trackUrl: url, apiToken: "token" }, event, { signal })).rejects.toBe(reason);
      expect(requests).toEqual([]);
    });
  });

  it("ends a request under way, at the service too", async () => {
    const controller = new AbortController();
    let closed: Promise<unknown> | undefined;
    const answer: Answerer = (_, response) => {
      closed = once(response, "close");
      controller.abort();
      return undefined;
    };
    await withWire(answer, async ({ url }) => {
      const asked = createReader({ baseUrl: url, accessToken: "token" }).accounts.get("1", controller);
      await expect(asked).rejects.toMatchObject({ name: "AbortError" });
      await closed;
    });
  });
});

it("leaves its connections open for the next calls", async () => {
  const sockets = new Set<unknown>();
  const answer: Answerer = (_, response) => {
    sockets.add(response.socket);
    return found;
  };
  await withWire(answer, async ({ url }) => {
    const reader = createReader({ baseUrl: url, accessToken: "token" });
    for (let call = 1; call <= 10; call += 1) await reader.accounts.get("1");
  });
  // Node's fetch opens a second one by itself; what is aborted in flight would cost one each time.
  expect(sockets.size).toBeLessThanOrEqual(2);
});
