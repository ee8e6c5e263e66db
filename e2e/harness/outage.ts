import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright/test";
import { waitFor } from "../../test/support/wait.js";
import type { Scope } from "./tab.js";

/** First delay of the back-off, doubled with each failure (the longest that full jitter can draw). Milliseconds. */
const FIRST_MS = 1_000;
/** Failures in a row after which the back-off has reached its ceiling: 1 s × 2⁹ is longer. */
const FAILURES = 9;
/** How long such an outage takes on the page's clock: 1 s + 2 s + … + 256 s. */
const LENGTH_MS = FIRST_MS * (2 ** FAILURES - 1);
/** A tab waits at most so much longer than the back-off says, in milliseconds. */
const SPREAD_MS = 1_000;
/** Keeps the page's clock behind the real one, so that a later page without this clock finds no times that lie ahead. */
const BEHIND_MS = 30_000;

/** So much of an outage goes by: how long it is, is what a test is about. */
export const lasting = (ms: number): Promise<void> => sleep(ms);

/** Does the stored state of the page's site say that the service fails? */
export const isBackedOff = (page: Scope): Promise<boolean> =>
  page.evaluate(() => Object.keys(localStorage).some((key) => key.endsWith(":backoff")));

/**
 * Waits until the page has learned that the service fails. What is in flight when a page is left before it knows is taken
 * for delivered, unless the next page's first request fails as well.
 */
export const waitForBackOff = (page: Scope): Promise<boolean> =>
  waitFor(() => isBackedOff(page), { what: "the page to know that the service fails" });

/** Counts the requests of the page that have failed for want of a connection. */
export const countFailures = (page: Page): (() => number) => {
  let count = 0;
  page.on("requestfailed", (request) => {
    if (request.method() === "POST") count++;
  });
  return () => count;
};

/** Lets full jitter always draw its longest delay. To be called before the page is loaded. */
export const drawLongest = (pages: Pick<Page, "addInitScript">) =>
  pages.addInitScript(() => {
    // Not quite a constant: tabs draw their names from the same source.
    const random = Math.random.bind(Math);
    Math.random = () => 1 - random() / 1e6;
  });

/** The same, and puts the page's clock in the hands of the test. */
export const slowClock = async (page: Page): Promise<void> => {
  await drawLongest(page);
  await page.clock.install({ time: Date.now() - LENGTH_MS - BEHIND_MS });
};

/** How many attempts in a row have failed, and the longest that the page waits after the last of them, in milliseconds. */
const readBackOff = (page: Page): Promise<{ failures: number; delay: number }> =>
  page.evaluate(() => {
    const key = Object.keys(localStorage).find((name) => name.endsWith(":backoff"))!;
    const [, delay, failures] = localStorage[key].split(",").map(Number);
    return { failures, delay };
  });

/**
 * Lets the page live through an outage of {@link LENGTH_MS} within moments: its clock jumps from attempt to attempt, and
 * each fails as it really does. One attempt must have failed before; at the end the page waits for five minutes.
 *
 * @returns how many attempts there were beside the first
 */
export const outliveBackOff = async (page: Page): Promise<number> => {
  for (let now = await readBackOff(page); now.failures <= FAILURES; now = await readBackOff(page)) {
    const { failures, delay } = now;
    await page.clock.runFor(delay + SPREAD_MS);
    await waitFor(async () => (await readBackOff(page)).failures > failures, { what: "the next attempt to fail" });
  }
  return FAILURES;
};

/**
 * Loads a page whose clock stands still but for `spanMs`: what has happened when this is over has waited for no more. To be
 * called on a page of its own.
 */
export const visitFor = async (page: Page, url: string, spanMs: number): Promise<void> => {
  await page.clock.install({ time: Date.now() });
  await page.goto(url);
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 500);
  await page.clock.runFor(spanMs);
};
