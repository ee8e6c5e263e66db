import type { Page } from "playwright/test";
import { expect, test, track } from "../harness/fixtures.js";
import { problems } from "../harness/module.js";

/* Arguments of every kind: what of them is stored, and what is reported. */

/** A call whose arguments are made in the page, because they are no JSON. */
interface Case {
  params: () => unknown;
  /** What the service holds; a text where a plain comparison would not do. */
  stored: unknown;
  /** Members left out, as named to `onError`. */
  omitted?: string[];
}

/** The functions are passed on as text, so they see the page and nothing of this file. */
const trackCases = (page: Page, cases: Record<string, Case>): Promise<void> =>
  page.evaluate(
    (calls) => {
      const { tracklet } = window;
      for (const [uid, text] of calls) tracklet.track(uid!, new Function(`return (${text})()`)());
    },
    Object.entries(cases).map(([uid, { params }]) => [uid, params.toString()]),
  );

/** What `JSON.stringify` can write is stored as it writes it. */
const written: Record<string, Case> = {
  undefined_and_functions: {
    params: () => ({ a: undefined, b: () => 1, c: Symbol("c"), d: [undefined, () => 1, Symbol("d")], e: { f() {} } }),
    stored: { d: [null, null, null], e: {} },
  },
  dates: {
    params: () => ({ at: new Date(0), bad: new Date(Number.NaN), list: [new Date(1)] }),
    stored: { at: "1970-01-01T00:00:00.000Z", bad: null, list: ["1970-01-01T00:00:00.001Z"] },
  },
  numbers: {
    params: () => ({ nan: Number.NaN, infinite: -Infinity, zero: -0, big: 2 ** 53, small: 5e-324 }),
    stored: { nan: null, infinite: null, zero: 0, big: 2 ** 53, small: 5e-324 },
  },
  boxes: {
    params: () => ({ n: Object(1), s: Object("s"), b: Object(false), none: null, map: new Map([[1, 2]]), re: /x/ }),
    stored: { n: 1, s: "s", b: false, none: null, map: {}, re: {} },
  },
  own_to_json: {
    params: () => ({ url: new URL("http://a.test/x"), custom: { toJSON: (key: string) => `at ${key}` } }),
    stored: { url: "http://a.test/x", custom: "at custom" },
  },
  params_to_json: { params: () => ({ secret: 1, toJSON: () => ({ shown: 2 }) }), stored: { shown: 2 } },
  getters: {
    params: () => ({
      get a() {
        return { b: 1 };
      },
    }),
    stored: { a: { b: 1 } },
  },
  not_own: {
    params: () => Object.create({ inherited: 1 }, { hidden: { value: 2 }, own: { value: 3, enumerable: true } }),
    stored: { own: 3 },
  },
  no_prototype: { params: () => Object.assign(Object.create(null), { a: [1] }), stored: { a: [1] } },
  names: {
    params: () => ({ ["__proto__"]: 1, constructor: 2, toString: 3, "": 4, '"\n\u2028': 5 }),
    stored: '{"__proto__":1,"constructor":2,"toString":3,"":4,"\\"\\n\u2028":5}',
  },
  texts: {
    params: () => ({ a: "\ud800", b: "\u0000", c: "😀 ü \u2028", d: "</script>" }),
    stored: { a: "\ud800", b: "\u0000", c: "😀 ü \u2028", d: "</script>" },
  },
  many_keys: {
    params: () => Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key_${index}`, index])),
    stored: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key_${index}`, index])),
  },
  shared: {
    params: () => {
      const twice = { a: 1 };
      return { x: twice, y: [twice, twice] };
    },
    stored: { x: { a: 1 }, y: [{ a: 1 }, { a: 1 }] },
  },
  brackets_in_text: {
    params: () => ({ text: "[{".repeat(200), list: ["\n".repeat(100)] }),
    stored: { text: "[{".repeat(200), list: ["\n".repeat(100)] },
  },
  none: { params: () => undefined, stored: {} },
};

/** Of what it cannot write, the member of `params` is left out and named; the rest goes. */
const omitting: Record<string, Case> = {
  cycle: {
    params: () => {
      const self: Record<string, unknown> = { good: 1 };
      self.self = self;
      self.deep = { list: [self] };
      return self;
    },
    stored: { good: 1 },
    omitted: ["self", "deep"],
  },
  big_int: {
    params: () => ({ n: BigInt(1), list: [BigInt(2)], good: 1 }),
    stored: { good: 1 },
    omitted: ["n", "list"],
  },
  throwing_getter: {
    params: () => ({
      get bad(): never {
        throw new Error("a getter of the page");
      },
      nested: {
        get bad(): never {
          throw new Error("a getter of the page");
        },
      },
      good: 1,
    }),
    stored: { good: 1 },
    omitted: ["bad", "nested"],
  },
  throwing_to_json: {
    params: () => ({
      bad: {
        toJSON() {
          throw new Error("a method of the page");
        },
      },
      good: 1,
    }),
    stored: { good: 1 },
    omitted: ["bad"],
  },
  throwing_proxy: {
    params: () => ({
      bad: new Proxy(
        {},
        {
          ownKeys() {
            throw new Error("a trap of the page");
          },
        },
      ),
      good: 1,
    }),
    stored: { good: 1 },
    omitted: ["bad"],
  },
};

test.describe("arguments", () => {
  test.beforeEach(async ({ page, site, app }) => {
    app();
    await page.goto(site.url);
  });

  for (const [title, cases] of [
    ["params that JSON.stringify can write are stored as it writes them", written],
    ["members of params that JSON.stringify cannot write are left out and named", omitting],
  ] as const)
    test(title, async ({ page, expectRows }) => {
      await trackCases(page, cases);
      const rows = await expectRows(Object.keys(cases));
      for (const { event_uid, params } of rows) {
        const { stored } = cases[event_uid]!;
        if (typeof stored === "string") expect.soft(JSON.stringify(params), event_uid).toBe(stored);
        else expect.soft(params, event_uid).toStrictEqual(stored);
      }
      const named = Object.values(cases).flatMap(({ omitted = [] }) => omitted);
      const told = await problems(page);
      expect(told).toEqual(
        named.map((member) => ({ code: "input", detail: expect.stringMatching(`params\\.${member}$`) })),
      );
    });

  test("params that are no object at all: the event goes without them", async ({ page, expectRows }) => {
    const cases: Record<string, Case> = {
      null: { params: () => null, stored: {} },
      number: { params: () => 5, stored: {} },
      function: { params: () => () => 1, stored: {} },
      throwing: {
        params: () =>
          new Proxy(
            {},
            {
              ownKeys() {
                throw new Error("a trap of the page");
              },
            },
          ),
        stored: {},
      },
      revoked: {
        params: () => {
          const { proxy, revoke } = Proxy.revocable({}, {});
          revoke();
          return proxy;
        },
        stored: {},
      },
    };
    for (const [uid, one] of Object.entries(cases)) await trackCases(page, { [uid]: one });
    for (const { params, event_uid } of await expectRows(Object.keys(cases)))
      expect(params, event_uid).toStrictEqual({});
  });

  test("a name that is neither text nor whole number is reported, and nothing is sent", async ({
    page,
    expectRows,
  }) => {
    await page.evaluate(() => {
      const { tracklet } = window;
      const hostile = {
        toString() {
          throw new Error("a method of the page");
        },
      };
      tracklet.track();
      for (const uid of ["", 1.5, null, hostile, Symbol("uid"), ["list"]]) tracklet.track(uid);
    });
    await track(page, "good");
    await expectRows(["good"]);
    const told = await problems(page);
    expect(told).toEqual(told.map(() => ({ code: "input", detail: "track: eventUid" })));
    expect(told).toHaveLength(7);
  });
});
