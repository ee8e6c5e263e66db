import { describe, expect, it } from "vitest";
import { BASE_ADDRESS, COUNT, check } from "../../../src/server/validate.js";

describe("check", () => {
  const rules = { limit: /^(undefined|[1-9]\d?$|100$)/, name: /^"[^"]/ };
  it("accepts what fits, and looks at nothing without a rule", () =>
    expect(() => check({ limit: 100, name: "a", other: () => {} }, rules)).not.toThrow());
  it("accepts an absent member where the rule allows it", () =>
    expect(() => check({ limit: undefined, name: "a" }, rules)).not.toThrow());
  it.each([
    ["limit", { limit: "5", name: "a" }],
    ["limit", { limit: Number.NaN, name: "a" }],
    ["limit", { limit: null, name: "a" }],
    ["limit", { limit: 1e21, name: "a" }],
    ["name", { name: "" }],
    ["name", {}],
    ["name", { name: ["a"] }],
  ] as const)("names %s when it is wrong, and shows its rule: %o", (name, values) =>
    expect(() => check(values, rules)).toThrow(new TypeError(`${name}: expected ${rules[name]}`)),
  );
  it("does not quote the value", () => {
    expect(() => check({ token: "se\ncret" }, { token: /^"[a-z]+"$/ })).toThrow(/^(?!.*cret)/);
  });
});

describe("COUNT", () => {
  const fits = (value: unknown) => COUNT.test(JSON.stringify(value));
  it.each([0, 1, 999_999_999, undefined])("is %j", (value) => expect(fits(value)).toBe(true));
  it.each([-1, 0.5, 1e9, 1e21, Number.NaN, Number.POSITIVE_INFINITY, null, "1", true, [1]])("is not %j", (value) =>
    expect(fits(value)).toBe(false),
  );
});

describe("BASE_ADDRESS", () => {
  const fits = (value: unknown) => BASE_ADDRESS.test(JSON.stringify(value));
  it.each(["http://a", "https://api.example.com", "https://api.example.com:8443/proxy/", "http://[::1]:4100"])(
    "is %s",
    (value) => expect(fits(value)).toBe(true),
  );
  it.each([
    ["ftp://a"],
    ["//a"],
    ["/proxy"],
    ["http://"],
    [""],
    ["https://user:password@api.example.com"],
    ["https://api.example.com/?a=1"],
    ["https://api.example.com/#a"],
    ["https://api.example.com\\@evil.example"],
    ["https://api.example.com/ a"],
    [undefined],
    [null],
    [5],
    [["https://api.example.com"]],
  ])("is not %j", (value) => expect(fits(value)).toBe(false));
});
