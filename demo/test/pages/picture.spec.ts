import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "playwright/test";
import { ACCESS_TOKEN } from "../../../test/service/support/running-service.js";
import { seed } from "../../records/fill.js";
import { makeEvents } from "../../records/made-events.js";
import { startWith } from "./filled-service.js";

/*
 * The pictures of the README and of docs/service/numbers.md: the service's pages with the events that npm start makes.
 * UPDATE_SCREENSHOT=1 npm run e2e -- demo/test/pages/picture makes them anew.
 */

/** Are they to be made anew? */
const NEW_PICTURES = process.env.UPDATE_SCREENSHOT === "1";
/** They are in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 90_000;
const fileOf = (name: string) => fileURLToPath(new URL(`../../site/${name}.png`, import.meta.url));

/** What each shows: the page, by the links that lead there. */
const PICTURES: Record<string, { height: number; links: string[] }> = {
  numbers: { height: 1000, links: [] },
  accounts: { height: 640, links: ["Accounts"] },
  account: { height: 900, links: ["Accounts", "Cobalt Instruments"] },
  contact: { height: 800, links: ["Accounts", "Cobalt Instruments", "Dmitri Vargas"] },
};

test.use({ colorScheme: "light", locale: "en-GB", timezoneId: "UTC", viewport: { width: 1120, height: 1000 } });

test("The pictures of the service's pages in the repository are small", async ({ page }) => {
  if (NEW_PICTURES) {
    const service = await startWith(makeEvents(Date.now()), seed);
    await page.goto(`${service.url}/#span=30d`);
    await page.getByLabel("Access token").fill(ACCESS_TOKEN);
    await page.getByRole("button", { name: "Show the numbers" }).click();
    const settled = () => expect(page.locator(".numbers-view")).toHaveAttribute("aria-busy", "false");
    await settled();
    for (const [name, { height, links }] of Object.entries(PICTURES)) {
      await page.goto("about:blank");
      await page.setViewportSize({ width: 1120, height });
      await page.goto(`${service.url}/#span=30d`);
      for (const link of links) {
        await settled();
        await page.getByRole("link", { name: link, exact: true }).first().click();
        if (link === "Accounts") await page.getByRole("radio", { name: "30 days" }).check();
      }
      await settled();
      await page.screenshot({ path: fileOf(name), animations: "disabled" });
    }
    await service.stop();
  }
  for (const name of Object.keys(PICTURES)) expect((await stat(fileOf(name))).size).toBeLessThan(PICTURE_BYTES);
});
