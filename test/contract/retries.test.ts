/** When a look-up is tried again, and when it ends. `tracklet/send` goes the same way. */
import { getEventListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  ApiError,
  AuthenticationError,
  ConnectionError,
  createReader,
  RateLimitError,
  type ReaderConfig,
  TimeoutError,
} from "../../src/read.js";
import { type Answerer, deadAddress, hangUp, inTurn, json, type Reply, silence, withWire } from "./wire.js";

const attempt = (answer: Answerer, config: Partial<ReaderConfig> = {}) =>
  withWire(answer, async ({ url, requests }) => {
    const reader = createReader({ baseUrl: url, accessToken: "token", ...config });
    const outcome = await reader.accounts.get("1").catch((error: unknown) => error);
    return { outcome, attempts: requests.length };
  });

const found = json({ id: "1" });
/** Sends headers and a part of the body that they announce. */
const breakOff: Answerer = (_, response) => {
  response.writeHead(200, { "content-length": "100" });
  response.write('{"id":', () => response.socket?.destroy());
  return undefined;
};

describe("without waiting", () => {
  // The jitter is full: no wait at all is one of its outcomes.
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
  afterEach(() => void vi.restoreAllMocks());

  it.each<[string, Answerer | Reply]>([
    ...[408, 425, 429, 500, 503].map((status): [string, Reply] => [`${status}`, json({}, status)]),
    ["a connection that is reset", hangUp],
    ["a body that breaks off", breakOff],
  ])("asks again after %s, and gives the answer then", async (_, failure) =>
    expect(await attempt(inTurn(failure, failure, found))).toEqual({ outcome: { id: "1" }, attempts: 3 }),
  );

  it.each([
    [429, RateLimitError],
    [503, ApiError],
  ])("gives up after two more attempts: %i", async (status, kind) => {
    const { outcome, attempts } = await attempt(inTurn(json({ error: "busy" }, status)));
    expect([outcome, attempts]).toEqual([expect.any(kind), 3]);
    expect(outcome).toMatchObject({ status, error: "busy", retryAfterMs: 0 });
  });

  it.each([0, 1, 4])("gives up after as many attempts as it is told: %i more", async (retries) =>
    expect(await attempt(inTurn(hangUp), { retries })).toMatchObject({ attempts: retries + 1 }),
  );

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

  it("leaves no timer behind", async () => {
    const [begin, end] = [vi.spyOn(globalThis, "setTimeout"), vi.spyOn(globalThis, "clearTimeout")];
    await attempt(inTurn(hangUp, json({}, 503), found));
    // The waits, of no length here, are over.
    const long = begin.mock.results.filter((_, call) => begin.mock.calls[call]![1]);
    expect(long.length).toBeGreaterThan(0);
    expect(end.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(long.map(({ value }) => value)));
  });
});

const realSetTimeout = setTimeout;
/** Resolves when timers of all these lengths have begun; they last as long, or not at all when they are `skipped`. */
const timersBegun = (lengths: number[], skipped = false) =>
  new Promise<void>((resolve) => {
    const missing = new Set(lengths);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, delay = 0, ...given: unknown[]) => {
      const isWatched = missing.delete(delay);
      if (missing.size === 0) resolve();
      return realSetTimeout(run, isWatched && skipped ? 0 : delay, ...given);
    }) as typeof setTimeout);
  });

describe("waiting", () => {
  afterEach(() => void vi.restoreAllMocks());

  const busy = (headers: Record<string, string>) => json({}, 503, headers);
  it.each<[string, Reply[], number[]]>([
    ["as long as Retry-After says", [busy({ "retry-after": "7" })], [7_000]],
    ["longer and longer without it", [busy({}), busy({})], [999, 1_998]],
    [
      "so, too, where it lies in the past",
      [busy({ "retry-after": "-5" }), busy({ "retry-after": "-5" })],
      [999, 1_998],
    ],
  ])("waits %s", async (_, failures, lengths) => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    const begun = timersBegun(lengths, true);
    expect((await attempt(inTurn(...failures, found))).outcome).toEqual({ id: "1" });
    await begun;
  });

  it("does not begin a wait that is longer than what is left of the deadline", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    const asks = json({ error: "busy" }, 503, { "retry-after": "9.5" });
    const { outcome, attempts } = await attempt(inTurn(json({}, 503), asks, found), { timeoutMs: 10_000 });
    expect(attempts).toBe(2);
    expect(outcome).toBeInstanceOf(ApiError);
    expect(outcome).toMatchObject({ status: 503, error: "busy", retryAfterMs: 9_500 });
  });

  it("has one deadline for all attempts", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { outcome, attempts } = await attempt(inTurn(hangUp, silence), { timeoutMs: 1_500, retries: 9 });
    expect(outcome).toBeInstanceOf(TimeoutError);
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^GET .*: not done within 1500 ms$/) });
    expect(attempts).toBe(2);
  });

  it("keeps the deadline although the body stalls, or fetch ignores its signal", async () => {
    const stall: Answerer = (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      return undefined;
    };
    const deaf = ((input, { signal: _, ...init } = {}) => fetch(input, init)) as typeof fetch;
    for (const config of [{ timeoutMs: 300 }, { timeoutMs: 300, fetch: deaf }])
      await expect(attempt(stall, config)).resolves.toMatchObject({ outcome: { name: "TimeoutError" } });
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
      expect(requests).toEqual([]);
    });
  });

  it("ends a request under way, at the service too", async () => {
    let gone!: () => void;
    const closed = new Promise<void>((resolve) => {
      gone = resolve;
    });
    const answer: Answerer = (_, response) => {
      response.on("close", gone);
      return undefined;
    };
    await withWire(answer, async ({ url, received }) => {
      const controller = new AbortController();
      const asked = createReader({ baseUrl: url, accessToken: "token" }).accounts.get("1", controller);
      await received(1);
      controller.abort();
      await expect(asked).rejects.toMatchObject({ name: "AbortError" });
      await closed;
    });
  });

  it("ends a wait before the wait is over", async () => {
    await withWire(inTurn(json({}, 503, { "retry-after": "20" }), found), async ({ url, requests }) => {
      const controller = new AbortController();
      const waiting = timersBegun([20_000]);
      const order: string[] = [];
      const asked = createReader({ baseUrl: url, accessToken: "token" })
        .accounts.get("1", { signal: controller.signal })
        .catch((error: unknown) => {
          order.push("settled");
          return error;
        });
      await waiting;
      const timers = vi.mocked(setTimeout).mock.results.map(({ value }) => value);
      vi.restoreAllMocks();
      const end = vi.spyOn(globalThis, "clearTimeout");
      controller.abort(new Error("enough"));
      order.push("aborted");
      await new Promise(setImmediate);
      order.push("next turn");
      expect(order).toEqual(["aborted", "settled", "next turn"]);
      await expect(asked).resolves.toMatchObject({ message: "enough" });
      expect(requests).toHaveLength(1);
      expect(end.mock.calls.map(([timer]) => timer)).toEqual(expect.arrayContaining(timers));
    });
  });

  it("is left without a listener", async () => {
    const { signal } = new AbortController();
    const listening: number[] = [];
    const answer: Answerer = () => {
      listening.push(getEventListeners(signal, "abort").length);
      return found;
    };
    await withWire(answer, ({ url }) =>
      createReader({ baseUrl: url, accessToken: "token" }).accounts.get("1", { signal }),
    );
    expect(listening).toEqual([1]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

it("leaves its connections open for the next calls", async () => {
  const ports: (number | undefined)[] = [];
  const answer: Answerer = (_, response) => {
    ports.push(response.socket?.remotePort);
    return found;
  };
  await withWire(answer, async ({ url }) => {
    const reader = createReader({ baseUrl: url, accessToken: "token" });
    for (let call = 1; call <= 10; call += 1) await reader.accounts.get("1");
  });
  expect(ports).toHaveLength(10);
  // Node's fetch opens a second one by itself; what is aborted in flight would cost one each time.
  expect(new Set(ports).size).toBeLessThanOrEqual(2);
});
