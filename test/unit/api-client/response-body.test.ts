import { expect, it } from "vitest";
import { readBody } from "../../../src/api-client/request.js";

/** A body of so many parts of 64 KiB, and what became of it. */
const parts = (count: number, atCancel = async (): Promise<void> => {}) => {
  const seen = { pulled: 0, cancelled: 0 };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (seen.pulled === count) return controller.close();
      seen.pulled += 1;
      controller.enqueue(new Uint8Array(65_536).fill(0x61));
    },
    cancel() {
      seen.cancelled += 1;
      return atCancel();
    },
  });
  return { seen, response: new Response(body) };
};

it("takes no more of a longer body than it must, and cancels it", async () => {
  const { response, seen } = parts(1_000);
  await expect(readBody(response, 1)).resolves.toBeUndefined();
  expect(seen.pulled).toBeLessThan(20);
  expect(seen.cancelled).toBe(1);
});

it("does not wait for the cancellation, nor mind its failure", async () => {
  for (const atCancel of [() => new Promise<void>(() => {}), () => Promise.reject(new Error("cancelled"))])
    await expect(readBody(parts(1_000, atCancel).response, 1)).resolves.toBeUndefined();
});

it.each([
  ["puts characters together that come in two parts", "☃", [0xe2], [0x98, 0x83]],
  ["marks one that is cut off", "\ufffd", [0xe2], [0x98]],
])("%s", async (_, text, ...cuts) => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const cut of cuts) controller.enqueue(Uint8Array.from(cut));
      controller.close();
    },
  });
  await expect(readBody(new Response(body), 1)).resolves.toBe(text);
});
