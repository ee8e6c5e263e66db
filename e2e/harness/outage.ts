import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "../../test/support/wait.js";
import type { Scope } from "./tab.js";

/** So much of an outage goes by: how long it is, is what a test is about. */
export const lasting = (ms: number): Promise<void> => sleep(ms);

/**
 * Waits until the page has learned that the service fails. What is in flight when a page is left before it knows is taken
 * for delivered, unless the next page's first request fails as well.
 */
export const waitForBackOff = (page: Scope): Promise<boolean> =>
  waitFor(() => page.evaluate(() => Object.keys(localStorage).some((key) => key.endsWith(":backoff"))), {
    what: "the page to know that the service fails",
  });
