/** The token is in nothing that somebody may log, whatever a service, a proxy or an injected `fetch` does. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type ApiError, createReader, type ReaderConfig } from "../../src/read.js";
import { type SendConfig, sendEvent } from "../../src/send.js";
import { deadAddress, inTurn, json, silence, withWire } from "./wire.js";

const TOKEN = "tok/se+cret=";
/** As HTTP Basic sends it. */
const CREDENTIALS = btoa(`${TOKEN}:`);

/** Everything of a value that somebody may log. */
const shown = (value: unknown): string => {
  const deep = inspect(value, { depth: 20, showHidden: true, getters: true });
  const { message = "", stack = "", cause, headers } = Object(value);
  const below = [cause, headers && Object.fromEntries(headers)].map((one) => (one === undefined ? "" : shown(one)));
  return [deep, JSON.stringify(value), `${message}`, `${stack}`, String(value), ...below].join("\n");
};

/** As an answer may repeat it. How else it may be encoded: unit/api-client/redact-tokens. */
const formsOf = (secret: string): string[] => [secret, encodeURIComponent(secret)];
const TOKEN_FORMS = formsOf(TOKEN);
const FORMS = [...TOKEN_FORMS, ...formsOf(CREDENTIALS)];

const expectNoToken = (value: unknown) => {
  const text = shown(value);
  for (const form of FORMS) expect(text).not.toContain(form);
};

it("is looked for where it can be found", () => {
  expect(() => expectNoToken(Object.assign(new Error("a"), { config: { token: TOKEN } }))).toThrow();
  expect(() => expectNoToken(new Error("a", { cause: new Error(TOKEN) }))).toThrow();
});

type Reach = Pick<ReaderConfig, "fetch" | "timeoutMs">;
const EVENT = { contact_uid: "c", event_uid: "e" };
const send = (auth: SendConfig["auth"]) => (trackUrl: string, reach: Reach) =>
  sendEvent({ trackUrl, apiToken: TOKEN, retries: 0, ...reach, ...(auth && { auth }) }, EVENT);

describe.each<[string, string[], (url: string, reach: Reach) => Promise<unknown>]>([
  [
    "a reader",
    TOKEN_FORMS,
    (baseUrl, reach) => createReader({ baseUrl, accessToken: TOKEN, retries: 0, ...reach }).accounts.get("1"),
  ],
  ["sendEvent by HTTP Basic", FORMS, send("basic")],
  ["sendEvent by the query", FORMS, send("query")],
])("%s does not show it", (_, forms, call) => {
  const failure = (url: string, reach: Reach = {}): Promise<ApiError> =>
    call(url, reach).then(
      () => expect.fail("it should have failed"),
      (reason) => reason,
    );

  it.each([302, 400, 401, 404, 429, 503])("in its error, wherever the answer has it: %s", (status) => {
    const headers = { location: `https://elsewhere.example/?${forms.join("&")}`, "x-echo": forms.join(", ") };
    return withWire(inTurn(json({ error: `no: ${forms.join(" ")}` }, status, headers)), async ({ url }) =>
      expectNoToken(await failure(url)),
    );
  });
  it("in a time-out, nor where nobody listens", async () => {
    const timedOut = await withWire(silence, ({ url }) => failure(url, { timeoutMs: 50 }));
    const alone = await failure(await deadAddress());
    expect([timedOut.name, alone.name]).toEqual(["TimeoutError", "ConnectionError"]);
    for (const error of [timedOut, alone]) expectNoToken(error);
  });
  const request = { headers: { authorization: `Bearer ${TOKEN}` } };
  const fail = (): never => {
    throw new Error("a getter");
  };
  const getter = { get: fail };
  it.each<[what: string, thrown: unknown, told: string]>([
    ["an error with the request", Object.assign(new Error(`failed: ${TOKEN}`), { request }), "Error: failed: ***"],
    ["such a cause", new Error("failed", { cause: Object.assign(new Error("below"), { request }) }), "Error: failed"],
    ["such a code", new Error("failed", { cause: { code: TOKEN } }), "***"],
    ["the request", request, "[object Object]"],
    ["a text", forms.join(" "), forms.map(() => "***").join(" ")],
    ["an object without a prototype", Object.create(null), "unknown"],
    ["a cause that throws", Object.defineProperty({}, "cause", getter), "unknown"],
    ["a code that throws", new Error("failed", { cause: Object.defineProperty({}, "code", getter) }), "unknown"],
    ["a text that throws", { toString: fail }, "unknown"],
  ])("in what an injected fetch throws: %s", async (_, thrown, message) => {
    const thrower = (): never => {
      throw thrown;
    };
    for (const fetch of [() => Promise.reject(thrown), thrower]) {
      const error = await failure("https://api.example.com", { fetch });
      expect(error).toMatchObject({ name: "ConnectionError", cause: { message } });
      expectNoToken(error);
    }
  });
});

it("is not shown by a reader, nor in an answer that is no record", () =>
  withWire(inTurn({ body: TOKEN }), async ({ url }) => {
    const { accounts, users, ...rest } = createReader({ baseUrl: url, accessToken: TOKEN });
    for (const value of [rest, accounts, users.list, users.list().pages()]) expectNoToken(value);
    expectNoToken(await accounts.get("1").catch((reason: unknown) => reason));
  }));

it("is not shown in other alphabets, neither as a text nor as its bytes", async () => {
  const apiToken = "tést-☃-api-token";
  const bytes = Buffer.from(apiToken, "utf8").toString("latin1");
  const answer = json({ error: `no: ${apiToken}` }, 400, { "x-echo": bytes, "x-again": encodeURIComponent(apiToken) });
  await withWire(inTurn(answer), async ({ url }) => {
    const error = await sendEvent({ trackUrl: url, apiToken, auth: "query" }, EVENT).catch((reason) => reason);
    expect(error).toMatchObject({ error: "no: ***", url: `${url}/v1/track/event?api_token=***` });
    expect(Object.fromEntries(error.headers)).toMatchObject({ "x-echo": "***", "x-again": "***" });
  });
});
