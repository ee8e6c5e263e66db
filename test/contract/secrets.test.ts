/** The token is in nothing that somebody may log. */
import { Console } from "node:console";
import { Writable } from "node:stream";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { type ApiError, createReader, type ReaderConfig } from "../../src/read.js";
import { type SendConfig, sendEvent } from "../../src/send.js";
import { deadAddress, inTurn, json, type Reply, withWire } from "./wire.js";

const TOKEN = "tok/se+cret=";
/** As HTTP Basic sends it. */
const CREDENTIALS = btoa(`${TOKEN}:`);

/** Everything of a value that somebody may log. */
const shown = (value: unknown): string => {
  let printed = "";
  const stdout = new Writable({
    write(chunk, _, done) {
      printed += chunk;
      done();
    },
  });
  new Console({ stdout }).log(value);
  const deep = inspect(value, { depth: 20, showHidden: true, getters: true });
  const { message = "", stack = "", cause } = Object(value);
  const below = cause === undefined ? "" : shown(cause);
  return [printed, deep, JSON.stringify(value), String(message), String(stack), String(value), below].join("\n");
};

/** With nothing percent-encoded in it any more, however often it was. */
const decoded = (text: string): string => {
  const once = text.replace(/%([2-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return once === text ? text : decoded(once);
};
const expectNoToken = (value: unknown) => {
  const text = decoded(shown(value));
  for (const secret of [TOKEN, CREDENTIALS]) expect(text).not.toContain(secret);
};

const lowerHex = (text: string): string => text.replace(/%../g, (code) => code.toLowerCase());
/** A secret as services and proxies may write it in their answers. */
const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  lowerHex(encodeURIComponent(secret)),
  encodeURIComponent(encodeURIComponent(secret)),
  encodeURIComponent(lowerHex(encodeURIComponent(secret))),
  encodeURI(secret),
];
const TOKEN_FORMS = formsOf(TOKEN);

/** An answer that holds the token wherever a service or proxy may put it. */
const echo = (status: number, sent: string[]): Reply =>
  json({ error: `no: ${sent.join(" ")}` }, status, {
    location: `https://elsewhere.example/?${sent.join("&")}`,
    "x-echo": sent.join(", "),
  });

const STATUSES = [302, 400, 401, 404, 429, 503];

it("looks for the token where it can be found", () => {
  expect(() => expectNoToken(Object.assign(new Error("a"), { config: { token: TOKEN } }))).toThrow();
  expect(() => expectNoToken(new Error("a", { cause: new Error(TOKEN) }))).toThrow();
  for (const form of [...TOKEN_FORMS, CREDENTIALS]) expect(() => expectNoToken(new Error(form))).toThrow();
});

describe("a reader", () => {
  const config = (baseUrl: string): ReaderConfig => ({ baseUrl, accessToken: TOKEN, retries: 0 });

  it("does not show the token", () => {
    const reader = createReader(config("https://api.example.com"));
    for (const value of [reader, reader.accounts, reader.users.list(), reader.users.list().pages()])
      expectNoToken(value);
  });

  it.each([200, ...STATUSES])("does not show the token in its error: %s", (status) =>
    withWire(inTurn(status === 200 ? { body: TOKEN } : echo(status, TOKEN_FORMS)), async ({ url }) => {
      const error = await createReader(config(url))
        .accounts.get("1")
        .then(
          () => expect.fail("it should have failed"),
          (reason: unknown) => reason,
        );
      expectNoToken(error);
      expectNoToken(Object.fromEntries((error as ApiError).headers));
    }),
  );

  it("does not show the token in what an injected fetch throws", async () => {
    const request = { headers: { authorization: `Bearer ${TOKEN}` } };
    for (const thrown of [
      Object.assign(new Error(`failed: Bearer ${TOKEN}`), { request, code: "E_FAILED" }),
      new Error("failed", { cause: Object.assign(new Error("below"), { request }) }),
      Object.assign(new Error("failed"), { code: TOKEN }),
      request,
      ...TOKEN_FORMS.map((form) => `failed: ${form}`),
      undefined,
      null,
    ]) {
      const reader = createReader({ ...config("https://api.example.com"), fetch: () => Promise.reject(thrown) });
      const error = await reader.accounts.get("1").catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: "ConnectionError" });
      expectNoToken(error);
    }
  });

  it("does not show the token in a time-out", () =>
    withWire(
      () => undefined,
      async ({ url }) => {
        const reader = createReader({ ...config(url), timeoutMs: 50 });
        const error = await reader.accounts.get("1").catch((reason: unknown) => reason);
        expect(error).toMatchObject({ name: "TimeoutError" });
        expectNoToken(error);
      },
    ));

  it.each([`${TOKEN}\n`, `${TOKEN}☃`, `${TOKEN} `])(
    "does not show a token that no header can hold: %j",
    (accessToken) => {
      try {
        createReader({ ...config("https://api.example.com"), accessToken });
        expect.fail("it should have failed");
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        expectNoToken(error);
      }
    },
  );
});

it("does not show a token of other alphabets, neither as a text nor as its bytes", async () => {
  const apiToken = "tést-☃-api-token";
  const bytes = Buffer.from(apiToken, "utf8").toString("latin1");
  const answer = json({ error: `no: ${apiToken}` }, 400, { "x-echo": bytes, "x-again": encodeURIComponent(apiToken) });
  await withWire(inTurn(answer), async ({ url }) => {
    const event = { contact_uid: "c", event_uid: "e" };
    const error = await sendEvent({ trackUrl: url, apiToken, auth: "query" }, event).catch((reason) => reason);
    expect(error).toMatchObject({ error: "no: ***", url: `${url}/v1/track/event?api_token=***` });
    expect(Object.fromEntries(error.headers)).toMatchObject({ "x-echo": "***", "x-again": "***" });
  });
});

describe.each(["basic", "query"] as const)("sendEvent with auth %s", (auth) => {
  const event = { contact_uid: "c", event_uid: "e" };
  const config = (trackUrl: string): SendConfig => ({ trackUrl, apiToken: TOKEN, auth, retries: 0 });

  it.each(STATUSES)("does not show the token in its error: %s", (status) =>
    withWire(inTurn(echo(status, [...TOKEN_FORMS, ...formsOf(CREDENTIALS)])), async ({ url }) => {
      const error = await sendEvent(config(url), event).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expectNoToken(error);
      expectNoToken(Object.fromEntries((error as ApiError).headers));
    }),
  );

  it("does not show the token in what fetch throws", async () => {
    const url = await deadAddress();
    const error = await sendEvent(config(url), event).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "ConnectionError" });
    expectNoToken(error);
    const fetch = (input: unknown, init: unknown) => Promise.reject(new Error(`${input} ${JSON.stringify(init)}`));
    const injected = await sendEvent({ ...config(url), fetch }, event).catch((reason) => reason);
    expect(injected).toMatchObject({ name: "ConnectionError" });
    expectNoToken(injected);
  });
});
