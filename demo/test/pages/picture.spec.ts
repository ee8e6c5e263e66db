import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "playwright/test";
import { startDemo } from "./start-demo.js";

/*
 * The pictures of the README, of docs/start.md and of docs/service/numbers.md: what npm start shows.
 * UPDATE_SCREENSHOT=1 npm run e2e -- demo/test/pages/picture makes them anew.
 */

/** Are they to be made anew? */
const NEW_PICTURES = process.env.UPDATE_SCREENSHOT === "1";
/** They are in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 90_000;
const fileOf = (name: string) => fileURLToPath(new URL(`../../site/${name}.png`, import.meta.url));

/** What each shows of the figures: the page, by the links that lead there. */
const FIGURES: Record<string, { height: number; links: string[] }> = {
  numbers: { height: 720, links: [] },
  accounts: { height: 520, links: ["Accounts"] },
  account: { height: 740, links: ["Accounts", "Cobalt Instruments"] },
  contact: { height: 700, links: ["Accounts", "Cobalt Instruments", "Dmitri Vargas"] },
};

test.use({ colorScheme: "light", locale: "en-GB", timezoneId: "UTC" });

test("The pictures of the demo's and the service's pages in the repository are small", async ({ page }) => {
  if (NEW_PICTURES) {
    const demo = await startDemo();
    const settled = () => expect(page.locator(".numbers-view")).toHaveAttribute("aria-busy", "false");
    await page.setViewportSize({ width: 1120, height: 1000 });
    await page.goto(demo.site);
    await expect(page.getByRole("button", { name: "Identify" })).toBeEnabled();
    await page.locator("[data-guide]").screenshot({ path: fileOf("site") });
    await page.goto(`${demo.service}/#span=30d`);
    await page.locator("footer").screenshot({ path: fileOf("bookmark") });
    await page.getByLabel("Access token").fill("demo-access-token");
    await page.getByRole("button", { name: "Show the numbers" }).click();
    await settled();
    for (const [name, { height, links }] of Object.entries(FIGURES)) {
      await page.goto("about:blank");
      await page.setViewportSize({ width: 1120, height });
      await page.goto(`${demo.service}/#span=30d`);
      for (const link of links) {
        await settled();
        await page.getByRole("link", { name: link, exact: true }).first().click();
        if (link === "Accounts") await page.getByRole("radio", { name: "30 days" }).check();
      }
      await settled();
      await page.screenshot({ path: fileOf(name), animations: "disabled" });
    }
    await demo.stop();
  }
  for (const name of ["site", "bookmark", ...Object.keys(FIGURES)])
    expect((await stat(fileOf(name))).size).toBeLessThan(PICTURE_BYTES);
});
