import { afterEach, expect, it, vi } from "vitest";
import { createLogLimit } from "../../../src/service/http/error-answers.js";
import { startService } from "../support/service.js";

afterEach(() => vi.useRealTimers());

it("tells at once of the first of a key, and of the others together, once in a time", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const told = createLogLimit(60_000);
  expect([told("a"), told("a"), told("b"), told("a")]).toEqual([1, undefined, 1, undefined]);
  vi.advanceTimersByTime(59_999);
  expect(told("a")).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect([told("a"), told("a"), told("b")]).toEqual([4, undefined, 1]);
});

it("refuses quotation marks as quickly as any other 100 kB", async () => {
  const service = await startService();
  const bodies = (text: string) => [
    text,
    `{"contact_uid":7,"event_uid":${JSON.stringify(text)}}`,
    // Each mark might begin a text that does not end.
    `{"contact_uid":"ann","event_uid":${JSON.stringify(text).slice(0, -1)}`,
  ];
  /** Milliseconds until these, and what is asked after them, are answered. */
  const timeOf = async (all: string[]): Promise<number> => {
    const began = performance.now();
    for (const body of all) expect((await service.post(body)).status).toBe(400);
    for (let time = 0; time < 20; time += 1) expect((await service.get("/healthz")).status).toBe(200);
    return performance.now() - began;
  };
  const [others, marks] = ["x", '"'].map((one) => bodies(one.repeat(50_000)));
  // The first time is that of a start.
  await timeOf(others!);
  expect(20 * (await timeOf(others!))).toBeGreaterThan(await timeOf(marks!));
  await service.stop();
});
