import { expect, type Page } from "playwright/test";
import type { HtmlOptions, Site } from "./site.js";

/* The inspector's panel, as its tests open and read it. */

export const panel = (page: Page) => page.getByRole("dialog", { name: /^Inspector/ });
export const findings = (page: Page) => panel(page).getByRole("status");

/** What it finds where all is well. */
export const WORKING = /^Working: the last event was stored \d+ (s|min) ago \(200\)\.$/;

/** Loads it as by hand, without an element. */
export const inspect = async (page: Page): Promise<void> => {
  await page.evaluate(() => void import("/dist/tracklet.inspector.js" as string));
  await expect(panel(page)).toBeVisible();
};

export const visit = async (page: Page, site: Site, options: HtmlOptions = {}): Promise<void> => {
  site.page("/shop", site.html(options));
  await page.goto(`${site.url}/shop`);
};

/** Configures the tracker by a call. */
export const init = (page: Page, options: object): Promise<void> =>
  page.evaluate((given) => window.tracklet.init(given), options);
