/** What is wrong with an argument, in words. That each call checks its own: test/contract. */
import { describe, expect, it } from "vitest";
import { check, checkAddress, checkWhole } from "../../../src/server/validate.js";

it.each([
  ["up", '"up"'],
  ["", '""'],
  ["8 letter", '"8 letter"'],
  ["two words\nand more", '"two word…"'],
  [Number.NaN, "NaN"],
  [5n, "5n"],
  [true, "true"],
  [null, "null"],
  [undefined, "undefined"],
  [Symbol("a"), "Symbol(a)"],
  [["a"], "array"],
  [Object.create(null), "object"],
  [() => {}, "function"],
])("check says what it found instead: %o, and lets pass what is right", (value, found) => {
  expect(() => check(false, "name: expected a colour", value)).toThrow(
    new TypeError(`name: expected a colour, found ${found}`),
  );
  expect(() => check(true, "name: expected a colour", value)).not.toThrow();
});

const isRefused = (check: () => void): boolean => {
  try {
    check();
    return false;
  } catch {
    return true;
  }
};

it("checkWhole keeps to its bounds", () => {
  const refused = (values: unknown[], bounds = {}) =>
    values.filter((value) => isRefused(() => checkWhole("count", value as number, bounds)));
  expect(refused([0, 1, 999_999_999])).toEqual([]);
  const wrong = [-1, 0.5, 1e9, 1e21, Number.NaN, Number.POSITIVE_INFINITY, null, "1", true, [1]];
  expect(refused(wrong)).toEqual(wrong);
  expect(refused([0, 1, 100, 101], { min: 1, max: 100 })).toEqual([0, 101]);
});

describe("checkAddress", () => {
  it.each(["http://a", "https://api.example.com:8443/proxy/", "http://[::1]:4100"])("accepts %s", (value) =>
    expect(isRefused(() => checkAddress("trackUrl", value))).toBe(false),
  );
  it.each([
    ["ftp://a", '"ftp://a"'],
    ["//a", '"//a"'],
    ["http://", '"http://"'],
    ["https://user:password@api.example.com", '"https://…"'],
    ["https://api.example.com/?a=1", '"https://…"'],
    ["https://api.example.com/#a", '"https://…"'],
    ["https://api.example.com\\@evil.example", '"https://…"'],
    ["https://api.example.com/ a", '"https://…"'],
    [["https://api.example.com"], "array"],
  ])("refuses %j, and shows nothing that may be a secret", (value, found) =>
    expect(() => checkAddress("trackUrl", value as string)).toThrow(
      `trackUrl: expected an https:// or http:// address without user, query and fragment, found ${found}`,
    ),
  );
});
