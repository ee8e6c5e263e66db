import { expect, type Page } from "playwright/test";

/* The inspector's panel, as its tests open and read it. */

export const panel = (page: Page) => page.getByRole("dialog", { name: /^Inspector/ });
export const findings = (page: Page) => panel(page).getByRole("status");

/** Loads it as by hand, without an element. */
export const inspect = async (page: Page): Promise<Page> => {
  await page.evaluate(() => void import("/dist/tracklet.inspector.js" as string));
  await expect(panel(page)).toBeVisible();
  return page;
};
