import { afterEach, expect, it, vi } from "vitest";
import { createTold } from "../../../src/service/ingest/refusals.js";

afterEach(() => vi.useRealTimers());

it("tells at once of the first of a key, and of the others together, once in a time", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const told = createTold(60_000);
  expect([told("a"), told("a"), told("b"), told("a")]).toEqual([1, undefined, 1, undefined]);
  vi.advanceTimersByTime(59_999);
  expect(told("a")).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect([told("a"), told("a"), told("b")]).toEqual([4, undefined, 1]);
});
