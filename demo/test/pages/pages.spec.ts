import { expect, type Page } from "playwright/test";
import { faultsOf } from "../../../e2e/harness/axe.js";
import { test } from "./fixtures.js";
import { identify, trackOwn } from "./visitor.js";

/* How the demo's pages look. */

const PAGES: Record<string, string> = {
  home: "/",
  classic: "/classic.html",
  pricing: "/classic/pricing.html",
  spa: "/spa.html",
  late: "/late.html?load=button",
  live: "/live.html",
  "not-found": "/none",
};

/** It fits a phone and a desktop, and is readable in light and dark. */
const expectGoodLooks = async (page: Page, name: string) => {
  const grounds = new Set<string>();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: width > 400 ? 800 : 740 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${name} at ${width} px is wider than the window`).toBeLessThanOrEqual(0);
      // Nothing of the navigation is cut, or on a line of its own.
      const links = await page.getByRole("navigation", { name: "Demo pages" }).getByRole("link").all();
      const boxes = await Promise.all(links.map(async (link) => (await link.boundingBox())!));
      expect(new Set(boxes.map(({ y }) => Math.round(y))).size, `lines of the navigation on ${name}`).toBe(1);
      for (const { x, width: own } of boxes) expect(x + own).toBeLessThanOrEqual(width);
      expect(await faultsOf(page, { runOnly: ["color-contrast"] }), `${name} at ${width} px, ${colorScheme}`).toEqual(
        [],
      );
    }
    grounds.add(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
  }
  expect(grounds.size).toBe(2);
};

for (const [name, path] of Object.entries(PAGES))
  test(`The demo's ${name} page fits and can be read`, async ({ page, demo }) => {
    await demo.post(demo.contact(), "a_rather_long_event_uid_that_has_no_place_to_break", { url: "x".repeat(300) });
    await page.goto(demo.site + path);
    await expect(page.locator("html")).toHaveAttribute("data-service", "up");
    if (name === "live") await expect(page.getByRole("row")).not.toHaveCount(1);
    else if (name !== "not-found") await expect(page.locator("#contact")).toBeEnabled();
    await expectGoodLooks(page, name);
  });

test("A page of the demo in use, with events that wait and the inspector open, fits and can be read", async ({
  page,
  demo,
}) => {
  await page.goto(`${demo.site}/classic.html`);
  await expect(page.locator("#contact")).toBeEnabled();
  await identify(page, demo.contact());
  // The page view went, so that it does not wait with the others.
  await expect(page.locator("[data-delivered]")).toHaveText("1");
  await page.route("**/v1/track/event*", (route) => route.abort());
  for (const name of ["search", "add_to_basket", "a_name_that_is_longer_than_names_should_be_on_any_page"])
    await trackOwn(
      page,
      name,
      '{ "title": "A product with a long name, which does not fit into one line of a phone" }',
    );
  await trackOwn(page, "", "{");
  await expect(page.getByRole("alert")).toContainText("Give the event a name");
  await expect(page.locator("[data-waiting]")).toHaveText("3");
  await expectGoodLooks(page, "in-use");
  await page.keyboard.press("Control+Alt+KeyI");
  await expect(page.getByRole("dialog", { name: /^Inspector/ })).toContainText("Waiting: 3");
  await expectGoodLooks(page, "inspected");
});

test("An address of the demo without a page is answered 404, with the way back", async ({ page, demo }) => {
  expect((await page.goto(`${demo.site}/none`))!.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
  await page.getByRole("link", { name: "To the start" }).click();
  await expect(page).toHaveURL(`${demo.site}/`);
});
