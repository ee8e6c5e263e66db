import type { Page } from "playwright/test";
import { expect, type TestFixtures, test } from "../harness/fixtures.js";
import { findings, inspect, panel } from "../harness/inspector.js";
import { loaded, run } from "../harness/install.js";
import { BROKEN, SENSES, type SetUp, SOUND } from "./set-ups.js";

/* The walk from the tag to the table, on pages where something is wrong, and on sound ones. */

const steps = (page: Page, ...states: string[]) =>
  panel(page)
    .locator(states.map((state) => `[aria-label=Steps] .${state}`).join())
    .locator("b");

type Place = Pick<TestFixtures, "site" | "gateway"> & { page: Page };

const setUp = async ({ page, site, gateway }: Place, given: SetUp): Promise<void> => {
  const { html, headers = {}, files = {}, first, opened, blocks, sleeps, answer, twice } = given;
  const fill = (text: string) =>
    text.replaceAll("%T", site.tag()).replaceAll("%S", gateway.url).replaceAll("%O", site.at("localhost"));
  site.page(
    "/shop",
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head>${fill(html)}`,
    {
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])),
    },
  );
  for (const [path, text] of Object.entries(files))
    site.page(path, fill(text), text.startsWith("<") ? { type: "text/html" } : {});
  site.page("/none", "<h1>Shop: not found</h1>", { status: 404 });
  if (first) await page.addInitScript(first);
  if (blocks) await page.route(blocks, (route) => route.abort("blockedbyclient"));
  if (sleeps) await page.route(sleeps, () => {});
  if (answer) await gateway.fail(answer);
  await page.goto(`${site.url}/shop`, { waitUntil: sleeps ? "commit" : "load" });
  if (twice) {
    await page.waitForFunction(async () => {
      const { controller } = navigator.serviceWorker;
      return controller || (await navigator.serviceWorker.getRegistrations()).length === 0;
    });
    await inspect(page);
    await expect(steps(page, "good").filter({ hasText: "Named" })).toHaveCount(1);
    await page.goto(`${site.url}/shop?again`);
  }
  await inspect(page);
  if (opened) {
    await loaded(page);
    await run(page, opened);
  }
};

for (const given of [...BROKEN, ...SENSES])
  test(`The inspector names it: ${given.wrong}`, async ({ page, site, gateway, guard }) => {
    // Of pages that are broken some throw errors.
    guard.allow();
    await setUp({ page, site, gateway }, given);
    await expect(findings(page)).toContainText(given.says);
    await expect(steps(page, "bad", "waits").filter({ hasText: given.step! })).not.toHaveCount(0);
  });

for (const given of SOUND)
  test(`The inspector raises no alarm: ${given.wrong}`, async ({ page, site, gateway }) => {
    await setUp({ page, site, gateway }, given);
    // What was sent before the panel was there, it has not seen.
    if (given.says.test("Working")) {
      await expect(findings(page)).toContainText(/an event was accepted before|Working/);
      await panel(page).getByRole("button", { name: "Send a test event" }).click();
    }
    await expect(findings(page)).toContainText(given.says);
    await expect(steps(page, "bad")).toHaveCount(0);
  });
