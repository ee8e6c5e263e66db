import { expect, it, vi } from "vitest";
import { backOffMs, isSuccess, isTransient, retryAfterMs } from "../../../src/shared/retry-policy.js";

it("tells success and what is tried again by the status", () => {
  expect([0, 199, 200, 299, 300].filter(isSuccess)).toEqual([200, 299]);
  const transient = [408, 425, 429, 500, 502, 503, 599];
  expect([0, 200, 301, 400, 401, 404, 413, 422, ...transient].filter(isTransient)).toEqual(transient);
});

it("doubles the upper bound of the back-off from 1 s to 5 min or another ceiling; its lower bound is 0", () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(1);
  const bounds = [0, 1, 2, 8, 9, 60].map((failures) => backOffMs(failures));
  expect(bounds).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
  expect([1, 9].map((failures) => backOffMs(failures, 5_000))).toEqual([2_000, 5_000]);
  random.mockReturnValue(0);
  expect(backOffMs(5)).toBe(0);
});

it("reads Retry-After in seconds", () => {
  const headers = ["2", "0", "-5", "-Infinity", "999999", "soon", "Sat, 21 Nov 2026 12:00:00 GMT", "", null];
  expect(headers.map(retryAfterMs)).toEqual([2_000, 0, 0, 0, 999_999_000, 0, 0, 0, 0]);
});
