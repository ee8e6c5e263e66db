import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { findMember } from "../../../../demo/service/json-text.js";
import { address, formatEvent } from "../../../../src/browser/capture/event.js";
import type { Params } from "../../../../src/declared.js";

/** What the service reads of an event, and the members that were left out. */
const written = (params: unknown, own: Params = {}, eventUid = "signup") => {
  const omitted: string[] = [];
  const report = (_: string, detail: string) => omitted.push(detail);
  const text = formatEvent(report, { event_uid: eventUid, params: params as Params }, own);
  const { event_uid, params: got, ...others } = JSON.parse(text);
  return { event_uid, params: got, others, omitted, text };
};

/** Arrays in arrays: 1 is `["x"]`. */
const nested = (levels: number, inner: unknown = "x"): unknown => (levels ? [nested(levels - 1, inner)] : inner);

it("is the interface's body and nothing else", () => {
  expect(written({ display_name: "Sign-up", plan: { seats: 3 } }, { account_uid: "acme" })).toMatchObject({
    event_uid: "signup",
    params: { account_uid: "acme", display_name: "Sign-up", plan: { seats: 3 } },
    others: {},
    omitted: [],
  });
});

it("lets the caller's members win, and leaves out what is undefined", () => {
  expect(written({ account_uid: "theirs" }, { account_uid: "ours" }).params).toEqual({ account_uid: "theirs" });
  expect(written({}, { account_uid: undefined, visit_url: "/" }).params).toEqual({ visit_url: "/" });
});

it("puts the contact first", () => {
  const text = address(
    formatEvent(() => {}, { event_uid: "a", params: { b: 1 } }),
    'x"\\y',
  );
  expect(text).toMatch(/^\{"contact_uid":/);
  expect(JSON.parse(text!)).toEqual({ contact_uid: 'x"\\y', event_uid: "a", params: { b: 1 } });
});

describe("params are what JSON.stringify makes of them", () => {
  it("whatever they are", () =>
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.anything({ maxDepth: 3 })),
        fc.string(),
        (params, name) => {
          // Some of what `anything` makes cannot be written at all.
          let expected: string;
          try {
            expected = JSON.stringify(params);
          } catch {
            return;
          }
          const { event_uid, params: got, omitted } = written(params, {}, name);
          expect(got).toEqual(JSON.parse(expected));
          expect([event_uid, omitted]).toEqual([name, []]);
        },
      ),
      { seed: 1, numRuns: 500 },
    ));
  it("with dates, functions, symbols, NaN and toJSON", () => {
    const params = {
      at: new Date(0),
      run: () => {},
      symbol: Symbol("s"),
      none: undefined,
      number: Number.NaN,
      own: { toJSON: () => "own" },
      list: [undefined, () => {}, new Date(1)],
    };
    expect(written(params)).toMatchObject({ params: JSON.parse(JSON.stringify(params)), omitted: [] });
  });
  it("with a toJSON of their own, beside the tracker's members", () => {
    class Order {
      constructor(readonly card: string) {}
      toJSON() {
        return { total: 5 };
      }
    }
    expect(written(new Order("4111"), { account_uid: "acme" }).params).toEqual({ account_uid: "acme", total: 5 });
  });
  it("with 10,000 members and a megabyte of multi-byte text", () => {
    const params = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, "日".repeat(30)]));
    expect(written(params).params).toEqual(params);
  });
  it("with a member named __proto__", () => {
    const params = JSON.parse('{"__proto__": {"a": 1}, "constructor": 2, "toString": 3}');
    expect(written(params).text).toContain('{"__proto__":{"a":1},"constructor":2,"toString":3}');
  });
});

describe("a member that cannot be written is left out and named", () => {
  const cycle: Params = {};
  cycle.self = { cycle };
  const throwing = {
    get bad(): never {
      throw new Error("no");
    },
    good: 1,
  };
  it.each<[string, () => unknown]>([
    ["a cycle", () => cycle],
    ["a BigInt", () => 5n],
    ["a BigInt within", () => ({ list: [1, 5n] })],
    ["a getter within that throws", () => ({ deep: throwing })],
    ["a toJSON that throws", () => ({ toJSON: () => throwing.bad })],
    ["a proxy that is revoked", revoked],
  ])("%s", (_, make) =>
    expect(written({ before: 1, bad: make(), after: 2 })).toMatchObject({
      params: { before: 1, after: 2 },
      omitted: ["params.bad"],
    }),
  );
  it.each<() => unknown>([() => null, () => 5, () => "", () => true, revoked])(
    "params that are no object: %s",
    (make) => expect(written(make())).toMatchObject({ params: {}, omitted: ["params"] }),
  );
  it("a getter that throws", () =>
    expect(written(throwing)).toMatchObject({ params: { good: 1 }, omitted: ["params.bad"] }));
});

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

describe("nesting", () => {
  it.each<[string, unknown]>([
    ["of 64 levels", nested(63)],
    ["of 64 levels, the last one empty", nested(62, [])],
    ["of 64 levels beside many others", [nested(62), ...Array.from({ length: 100 }, () => ({}))]],
    ["of 64 levels of objects beside others", { a: nested(62), b: {}, c: [{}] }],
    ["that is only written in a text", `${"[".repeat(99)}\n${" ".repeat(99)}`],
    ["in texts beside many others", [`\n${" ".repeat(99)}`, ...Array.from({ length: 100 }, () => [])]],
  ])("%s is kept", (_, deep) => expect(written({ deep })).toMatchObject({ params: { deep }, omitted: [] }));
  it.each<[string, unknown]>([
    ["of 65 levels", nested(64)],
    ["of 65 levels, the last one empty", nested(63, [])],
    ["of 65 levels, the last one an empty object", nested(63, {})],
    ["of 65 levels beside others", [{}, nested(63)]],
    ["of 10,000 levels", nested(5_000)],
  ])("%s is left out", (_, deep) =>
    expect(written({ good: 1, deep })).toMatchObject({ params: { good: 1 }, omitted: ["params.deep"] }),
  );
  it("is cut exactly where the service would refuse it", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 55, max: 70 }),
        fc.jsonValue({ maxDepth: 6 }),
        fc.jsonValue(),
        (levels, inner, beside) => {
          const deep = [nested(levels, inner), beside];
          const { depth } = findMember(JSON.stringify({ params: { deep } }), "params")!;
          expect(written({ deep }).omitted).toEqual(depth > 64 ? ["params.deep"] : []);
        },
      ),
      { seed: 2, numRuns: 500 },
    ));
});

describe("a page's scripts", () => {
  type Polluted = { toJSON?: (() => unknown) | undefined };
  const prototypes: Polluted[] = [Object.prototype, Array.prototype] as Polluted[];
  afterEach(() => {
    for (const prototype of prototypes) delete prototype.toJSON;
  });
  it.each([0, 1])("that put a toJSON on all objects or arrays change nothing", (which) => {
    prototypes[which]!.toJSON = () => "polluted";
    const { text } = written({ list: [1, { a: [2] }], at: new Date(0), own: { toJSON: () => "own" } }, { ours: "x" });
    delete prototypes[which]!.toJSON;
    expect(JSON.parse(text).params).toEqual({
      ours: "x",
      list: [1, { a: [2] }],
      at: "1970-01-01T00:00:00.000Z",
      own: "own",
    });
  });
});
