import { describe, expect, it } from "vitest";
import { check, checkAddress, checkWhole, isObject, isText } from "../../../src/server/validate.js";

describe("check", () => {
  it("lets pass what is right", () => expect(() => check(true, "name: expected a text", 5)).not.toThrow());

  it.each([
    ["up", '"up"'],
    ["5", '"5"'],
    ["", '""'],
    [5, "5"],
    [Number.NaN, "NaN"],
    [5n, "5"],
    [true, "true"],
    [null, "null"],
    [undefined, "undefined"],
    [Symbol("a"), "Symbol(a)"],
    [["a"], "array"],
    [{ a: 1 }, "object"],
    [Object.create(null), "object"],
    [() => {}, "function"],
  ])("says what it found instead: %o", (value, found) =>
    expect(() => check(false, "name: expected a colour", value)).toThrow(
      new TypeError(`name: expected a colour, found ${found}`),
    ),
  );

  it("shows no more of a text than its first eight characters", () => {
    expect(() => check(false, "name: expected a word", "two words\nand more")).toThrow(/found "two word…"$/);
    expect(() => check(false, "name: expected a word", "8 letter")).toThrow(/found "8 letter"$/);
  });
});

it("isText takes nothing for a text that is none", () => {
  expect(isText("undefined", /^[a-z]+$/)).toBe(true);
  for (const value of [undefined, null, 5, ["a"], {}]) expect(isText(value, /./)).toBe(false);
  expect(isText("A", /^[a-z]+$/)).toBe(false);
});

it("isObject takes no list and no null for one", () => {
  for (const value of [{}, Object.create(null)]) expect(isObject(value)).toBe(true);
  for (const value of [null, undefined, [], "object", 5, () => {}]) expect(isObject(value)).toBe(false);
});

describe("checkWhole", () => {
  const isRefused = (value: unknown, bounds = {}): boolean => {
    try {
      checkWhole("count", value as number, bounds);
      return false;
    } catch {
      return true;
    }
  };
  it.each([0, 1, 999_999_999])("accepts %j", (value) => expect(isRefused(value)).toBe(false));
  it.each([-1, 0.5, 1e9, 1e21, Number.NaN, Number.POSITIVE_INFINITY, null, "1", true, [1]])("refuses %j", (value) =>
    expect(isRefused(value)).toBe(true),
  );
  it("keeps to other bounds", () => {
    const bounds = { min: 1, max: 100 };
    expect([0, 1, 100, 101].map((value) => isRefused(value, bounds))).toEqual([true, false, false, true]);
    expect(() => checkWhole("limit", 0, bounds)).toThrow("limit: expected a whole number from 1 to 100, found 0");
  });
});

describe("checkAddress", () => {
  const words = "trackUrl: expected an https:// or http:// address without user, query and fragment";
  it.each(["http://a", "https://api.example.com", "https://api.example.com:8443/proxy/", "http://[::1]:4100"])(
    "accepts %s",
    (value) => expect(() => checkAddress("trackUrl", value)).not.toThrow(),
  );
  it.each([
    ["ftp://a", '"ftp://a"'],
    ["//a", '"//a"'],
    ["/proxy", '"/proxy"'],
    ["http://", '"http://"'],
    ["", '""'],
    ["https://user:password@api.example.com", '"https://…"'],
    ["https://api.example.com/?a=1", '"https://…"'],
    ["https://api.example.com/#a", '"https://…"'],
    ["https://api.example.com\\@evil.example", '"https://…"'],
    ["https://api.example.com/ a", '"https://…"'],
    [undefined, "undefined"],
    [null, "null"],
    [["https://api.example.com"], "array"],
  ])("refuses %j, and shows nothing that may be a secret", (value, found) =>
    expect(() => checkAddress("trackUrl", value as string)).toThrow(new TypeError(`${words}, found ${found}`)),
  );
});
