import { describe, expect, it } from "vitest";
import { BASE_ADDRESS, check, isObject } from "../src/check.js";

describe("isObject", () => {
  it.each([[{}], [{ a: 1 }], [Object.create(null)]])("is true for %o", (value) => expect(isObject(value)).toBe(true));
  it.each([[null], [undefined], [[]], ["text"], [1], [true]])("is false for %o", (value) =>
    expect(isObject(value)).toBe(false),
  );
});

describe("check", () => {
  const rules = { limit: /^(u|[1-9]\d?$|100$)/, name: /^"[^"]/ };
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
  ])("names %s when it is wrong: %o", (name, values) =>
    expect(() => check(values, rules)).toThrow(new TypeError(`invalid ${name}`)),
  );
  it("does not quote the value", () => {
    expect(() => check({ token: "se\ncret" }, { token: /^"[a-z]+"$/ })).toThrow(/^(?!.*cret)/);
  });
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
