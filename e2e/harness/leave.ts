import type { Page } from "playwright/test";

/**
 * Tracks events and leaves the page in the same task, as a script does that navigates in a click handler. The bundle
 * must have loaded.
 *
 * @param leave the statement that leaves, such as `location.reload()`
 */
export const trackAndLeave = async (page: Page, eventUids: readonly string[], leave: string): Promise<void> => {
  const calls = eventUids.map((uid) => `tracklet.push(["track", ${JSON.stringify(uid)}]);`);
  await page.evaluate(`${calls.join("")} ${leave}; undefined`).catch((error: unknown) => {
    // The page may be gone before it can answer.
    if (!/closed|destroyed|navigat/i.test(String(error))) throw error;
  });
};
