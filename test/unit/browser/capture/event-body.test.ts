/** The body of an event: what `JSON.stringify` makes of its params, whatever they are. */
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { attempt } from "../../../../src/shared/attempt.js";
import type { Params } from "../../../../src/types/declared.js";
import { fresh } from "../fresh.js";

const reports: string[] = [];
const event = await fresh(
  { onError: ({ detail }) => reports.push(detail) },
  () => import("../../../../src/browser/capture/event-body.js"),
);

/** What the service reads of an event, and what was reported. */
const written = (params: unknown) => {
  reports.splice(0);
  const text = event.format({ event_uid: "signup", params: event.plainParams("track", params) });
  return { params: JSON.parse(text).params, reports: [...reports], text };
};

beforeEach(() => void vi.spyOn(console, "warn").mockImplementation(() => {}));

it("is the interface's body and nothing else, the contact first", () => {
  const given = { extra: 1, params: { b: { c: 3 } }, event_uid: "a", contact_uid: 'x"\\y' };
  expect(event.format(given)).toBe('{"contact_uid":"x\\"\\\\y","event_uid":"a","params":{"b":{"c":3}}}');
  expect(event.format({ contact_uid: "", event_uid: "a" } as never)).toBe('{"event_uid":"a","params":{}}');
});

describe("params are what JSON.stringify makes of them", () => {
  const special = {
    at: new Date(0),
    run: () => {},
    symbol: Symbol("s"),
    none: undefined,
    number: Number.NaN,
    own: { toJSON: () => "own" },
    list: [undefined, () => {}, new Date(1)],
  };
  it("whatever they are", () =>
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.anything({ maxDepth: 3 })), (params) => {
        // Some of what `anything` makes cannot be written at all.
        const expected = attempt(() => JSON.stringify(params));
        if (expected) expect(written(params)).toMatchObject({ params: JSON.parse(expected), reports: [] });
      }),
      { seed: 1, numRuns: 500, examples: [[special], [{ card: "4111", toJSON: () => ({ total: 5 }) }]] },
    ));
  it("with a member named __proto__, and with a megabyte of multi-byte text", () => {
    const json = '{"__proto__":{"a":1},"constructor":2,"toString":3}';
    expect(written(JSON.parse(json)).text).toContain(`"params":${json}`);
    const large = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, "日".repeat(30)]));
    expect(written(large).params).toEqual(large);
  });
});

describe("what cannot be written is left out and named", () => {
  const cycle: Params = {};
  cycle.self = { cycle };
  const throwing = {
    get bad(): never {
      throw new Error("no");
    },
    good: 1,
  };
  const revoked = (): unknown => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  };
  let deep: unknown = "x";
  for (let level = 0; level < 100_000; level++) deep = [deep];
  it.each<[string, () => unknown]>([
    ["a BigInt", () => 5n],
    ["a getter within that throws", () => ({ deep: throwing })],
    ["a toJSON that throws", () => ({ toJSON: () => throwing.bad })],
    ["a proxy that is revoked", revoked],
    ["nesting that exhausts the stack", () => deep],
  ])("%s in a member", (_, make) =>
    expect(written({ before: 1, bad: make(), after: 2 })).toMatchObject({
      params: { before: 1, after: 2 },
      reports: ["track: params.bad"],
    }),
  );
  it("a BigInt or a cycle within a member takes itself out, and nothing beside it", () => {
    const twice = { n: 1 };
    const given = { list: [1, 5n, twice, twice], cycle, deep: { at: new Date(0), own: { n: 2n } }, after: 2 };
    expect(written(given)).toMatchObject({
      params: {
        list: [1, null, twice, twice],
        cycle: { self: {} },
        deep: { at: new Date(0).toJSON(), own: {} },
        after: 2,
      },
      reports: ["track: params.1", "track: params.cycle", "track: params.n"],
    });
  });
  it("a getter that throws", () =>
    expect(written(throwing)).toMatchObject({ params: { good: 1 }, reports: ["track: params.bad"] }));
  it("params whose JSON is no object", () => {
    for (const params of [5, "", "text", true, [1], () => {}, Symbol("s"), new Date(0)])
      expect(written(params)).toMatchObject({ params: {}, reports: ["track: params"] });
    for (const params of [undefined, null]) expect(written(params)).toMatchObject({ params: {}, reports: [] });
    expect(written(revoked()).params).toEqual({});
  });
});
