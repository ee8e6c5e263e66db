import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "playwright/test";
import { ACCESS_TOKEN } from "../../../test/service/support/running-service.js";
import { type PastEvent, startFilled } from "./filled-service.js";

/*
 * The README's picture: the numbers page.
 * UPDATE_SCREENSHOT=1 npm run e2e -- demo/test/pages/picture makes it anew.
 */

/** Is it to be made anew? */
const NEW_PICTURE = process.env.UPDATE_SCREENSHOT === "1";
/** It is in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 90_000;
const PICTURE = fileURLToPath(new URL("../../site/numbers.png", import.meta.url));

const NAMES = ["pageview", "pageview", "pageview", "document_opened", "pageview", "plan_chosen", "report_exported"];
const PATHS = ["/", "/pricing", "/", "/features", "/docs", "/pricing", "/blog"];
const REFERRERS = ["search.example", "news.example", "search.example"];

/** Weeks with quiet ends, the same each time. */
const sample = (): PastEvent[] =>
  Array.from({ length: 31 }, (_, day) => day + 0.001).flatMap((day) => {
    const isWeekend = [0, 6].includes(new Date(Date.now() - day * 86_400_000).getUTCDay());
    const many = Math.round((isWeekend ? 70 : 140) + 25 * Math.sin(day * 2.1) - day);
    return Array.from({ length: many }, (_, at): PastEvent => {
      const turn = Math.round(day * 31) + at * 7 + (at % 5);
      const name = NAMES[(at + (at % 3)) % NAMES.length]!;
      const isView = name === "pageview";
      const referrer = at % 4 === 0 && { referrer: `https://${REFERRERS[at % 3]}/` };
      return {
        days: day + at / many / 3,
        contact: `contact-${turn % 190}`,
        account: `account-${(turn % 190) % 23}`,
        name,
        ...(isView && { params: { visit_url: `https://shop.example${PATHS[turn % PATHS.length]}`, ...referrer } }),
      };
    });
  });

test.use({ colorScheme: "light", locale: "en-GB", timezoneId: "UTC", viewport: { width: 1120, height: 1000 } });

test("The numbers page's picture in the repository is small", async ({ page }) => {
  if (NEW_PICTURE) {
    const service = await startFilled(sample());
    await page.goto(service.url);
    await page.getByLabel("Access token").fill(ACCESS_TOKEN);
    await page.getByRole("button", { name: "Show the numbers" }).click();
    await page.getByRole("radio", { name: "30 days" }).check();
    await expect(page.locator("[data-card=events] tbody tr")).toHaveCount(30);
    await expect(page.locator(".numbers-view")).toHaveAttribute("aria-busy", "false");
    await page.screenshot({ path: PICTURE, animations: "disabled" });
    await service.stop();
  }
  expect((await stat(PICTURE)).size).toBeLessThan(PICTURE_BYTES);
});
