import { afterEach, describe, expect, it, vi } from "vitest";
import { backOffMs, isSuccess, isTransient, retryAfterMs } from "../../../src/shared/retry-policy.js";

it("isSuccess is true from 200 to 299", () => expect([0, 199, 200, 299, 300].filter(isSuccess)).toEqual([200, 299]));

describe("isTransient", () => {
  it.each([408, 425, 429, 500, 502, 503, 599])("tries %i again", (status) => expect(isTransient(status)).toBe(true));
  it.each([0, 200, 301, 400, 401, 404, 413, 422])("leaves %i alone", (status) =>
    expect(isTransient(status)).toBe(false),
  );
});

describe("backOffMs", () => {
  afterEach(() => vi.restoreAllMocks());
  it("doubles its upper bound from 1 s to 5 min", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const bounds = [0, 1, 2, 8, 9, 60].map((attempt) => backOffMs(attempt));
    expect(bounds).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  });
  it("has another ceiling where one is given", () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    expect([1, 9].map((attempt) => backOffMs(attempt, 5_000))).toEqual([2_000, 5_000]);
  });
  it("has full jitter: the lower bound is 0", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    expect(backOffMs(5)).toBe(0);
  });
});

describe("retryAfterMs", () => {
  it.each([
    ["2", 2_000],
    ["0", 0],
    ["-5", 0],
    ["-Infinity", 0],
    ["999999", 3_600_000],
    ["soon", 0],
    ["Sat, 21 Nov 2026 12:00:00 GMT", 0],
    ["", 0],
    [null, 0],
  ])("reads %j as %i ms", (header, expected) => expect(retryAfterMs(header)).toBe(expected));
});
