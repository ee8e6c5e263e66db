import { setTimeout as sleep } from "node:timers/promises";

interface WaitOptions {
  /** What is waited for, named when it does not come. */
  what?: string;
  /** Generous: it ends a hopeless wait and is never the thing under test. Milliseconds, default 60,000. */
  timeoutMs?: number;
  /** Milliseconds between two looks, default 20. */
  everyMs?: number;
}

/**
 * Looks again and again until `condition` gives something truthy, and resolves to it.
 *
 * @throws Error naming `what`, when the limit has passed; an error thrown by the condition is passed on at once.
 */
export const waitFor = async <T>(
  condition: () => T | Promise<T>,
  { what = "the condition", timeoutMs = 60_000, everyMs = 20 }: WaitOptions = {},
): Promise<NonNullable<T>> => {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(everyMs);
  }
};
