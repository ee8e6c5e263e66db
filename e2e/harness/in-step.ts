import type { Page } from "playwright/test";

/**
 * Waits until `later` sees what `earlier` has stored. Tabs of one site may live in processes of their own, which hear of each
 * other's writes a moment later, in the order of the writes (HTML §12.2.3: no lock may be relied on).
 */
export const bringInStep = async (earlier: Page, later: Page): Promise<void> => {
  const mark = `${Math.random()}`;
  await earlier.evaluate((value) => localStorage.setItem("in step", value), mark);
  await later.waitForFunction((value) => localStorage.getItem("in step") === value, mark);
};
