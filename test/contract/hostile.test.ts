/** What a service, a proxy or an injected `fetch` that has gone wrong must not do to a Node process. */
import { describe, expect, it } from "vitest";
import { createReader } from "../../src/read.js";
import { type SendConfig, sendEvent } from "../../src/send.js";
import { withWire } from "./wire.js";

type Reach = Pick<SendConfig, "fetch">;
const EVENT = { contact_uid: "c", event_uid: "e" };
const readerAt = (baseUrl: string, reach?: Reach) =>
  createReader({ baseUrl, accessToken: "token", retries: 0, ...reach });
const look = (url: string, reach?: Reach) => readerAt(url, reach).accounts.get("1");
const list = async (url: string, reach?: Reach) => readerAt(url, reach).users.list();
const send = (trackUrl: string, reach?: Reach) =>
  sendEvent({ trackUrl, apiToken: "token", retries: 0, ...reach }, EVENT);

// That no more is read than the bound: unit/server/response-body.
it.each<[string, typeof look | typeof send, status: number, mib: number, outcome: unknown]>([
  ["ends a look-up", look, 200, 17, { name: "ApiError", status: 200, error: "body: longer than 16 MiB" }],
  ["ends an event that is refused", send, 500, 2, { name: "ApiError", status: 500, error: "body: longer than 1 MiB" }],
  ["does not hinder an event that is accepted", send, 200, 2, undefined],
])("a body that is too long %s", (_, call, status, mib, outcome) =>
  withWire(
    () => ({ status, body: "a".repeat(mib * 1_048_576) }),
    async ({ url }) => {
      const ended = await call(url).catch((error: unknown) => error);
      if (outcome) expect(ended).toMatchObject(outcome);
      else expect(ended).toBeUndefined();
    },
  ),
);

describe("whatever an injected fetch throws, every call rejects", () => {
  const fail = (): never => {
    throw new Error("a getter");
  };
  const causeThrows = Object.defineProperty({}, "cause", { get: fail });
  const codeThrows = new Error("failed", { cause: Object.defineProperty({}, "code", { get: fail }) });
  it.each<[string, unknown, string]>([
    ["a symbol", Symbol("failed"), "Symbol(failed)"],
    ["an object without a prototype", Object.create(null), "unknown"],
    ["a cause that throws", causeThrows, "unknown"],
    ["a code that throws", codeThrows, "unknown"],
    ["a text that throws", { toString: fail }, "unknown"],
    ["nothing", undefined, "undefined"],
  ])("%s", async (_, reason, message) => {
    const thrower = (): never => {
      throw reason;
    };
    for (const fetch of [() => Promise.reject(reason), thrower])
      for (const call of [look, list, send])
        await expect(call("http://127.0.0.1:9", { fetch })).rejects.toMatchObject({
          name: "ConnectionError",
          cause: { message },
        });
  });
});
