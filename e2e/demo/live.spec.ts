import { copyFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "playwright/test";
import { drawn } from "./drawn.js";
import { test } from "./fixtures.js";

/* The live page: each event as it arrives in the database. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/**
 * Is the picture in the README to be made anew? Its events then come over most of a minute, else all at once. With
 * `-g picture` the page shows nothing of the other tests.
 */
const NEW_PICTURE = process.env.UPDATE_SCREENSHOT === "1";
/** The README's picture is in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 80_000;

test("the chart follows the colour scheme while it is open", async ({ live, demo }) => {
  await demo.post(demo.contact(), "registration");
  const colour = () =>
    live.evaluate<string>(`import("/vendor/chart.js/chart.js").then(({ Chart }) => {
      const { data, options } = Chart.getChart(document.querySelector("canvas"));
      return [data.datasets.find(({ label }) => label === "registration")?.backgroundColor, options.scales.y.ticks.color].join();
    })`);
  await expect.poll(() => drawn(live, "registration")).toBeGreaterThan(0);
  const light = (await colour()).split(",");
  await live.emulateMedia({ colorScheme: "dark" });
  await expect
    .poll(async () => (await colour()).split(",").map((part, index) => part === light[index]))
    .toEqual([false, false]);
});

test("a burst is counted to the last event, and the table stays short", async ({ live, demo }) => {
  const contacts = Array.from({ length: 4 }, demo.contact);
  await live.locator("[value=minutes]").check();
  // Of all names: those beyond the eighth share one series.
  const expected = (await drawn(live)) + 400;
  await Promise.all(Array.from({ length: 400 }, (_, index) => demo.post(contacts[index % 4]!, "burst", { index })));
  await expect.poll(() => drawn(live)).toBe(expected);
  expect(await live.locator("[data-rows] tr").count()).toBeLessThanOrEqual(50);

  await live.getByRole("button", { name: "Pause" }).click();
  await expect(live.getByRole("status")).toHaveText("Paused");
  await demo.post(contacts[0]!, "while_paused");
  const resume = live.getByRole("button", { name: /Resume \(\d+ new\)/ });
  await expect(resume).toBeVisible();
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(0);
  await resume.click();
  await expect(live.getByRole("status")).toHaveText("Live");
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(1);
});

test("the time axis shows round times, and fewer of them on a phone", async ({ live }) => {
  const times = () =>
    live.evaluate<string[]>(`import("/vendor/chart.js/chart.js").then(({ Chart }) =>
      Chart.getChart(document.querySelector("canvas")).scales.x.ticks.map(({ label }) => label).filter(Boolean))`);
  await expect.poll(times).toHaveLength(6);
  for (const time of await times()) expect(time).toMatch(/^\d\d:\d\d:\d0$/);
  await live.locator("[value=minutes]").check();
  for (const time of await times()) expect(time).toMatch(/^\d\d:\d0$/);
  await live.setViewportSize({ width: 375, height: 740 });
  await expect.poll(times).toHaveLength(3);
});

test("it says that it is connecting until the service has answered", async ({ page, demo }) => {
  await page.route("**/demo/events/stream", (route) => route.abort());
  await page.goto(`${demo.site}/live.html`);
  await expect(page.getByRole("status")).toHaveText("Connecting");
  await expect(page.getByText("The service does not answer yet.")).toBeVisible();
  await expect(page.getByText("Nothing has arrived yet.")).toBeHidden();
  await page.unroute("**/demo/events/stream");
  await expect(page.getByRole("status")).toHaveText("Live");
  await expect(page.getByText("The service does not answer yet.")).toBeHidden();
});

test("what arrives first while the live page is paused is not denied", async ({ page, demo }) => {
  // As with an empty database: only the stream tells of events.
  await page.route("**/demo/events?*", (route) =>
    route.fulfill({ json: { events: [] }, headers: { "access-control-allow-origin": "*" } }),
  );
  await page.goto(`${demo.site}/live.html`);
  await expect(page.getByRole("status")).toHaveText("Live");
  const empty = page.getByText("Nothing has arrived yet.");
  await expect(empty).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await demo.post(demo.contact(), "first_of_all");
  await expect(page.getByRole("button", { name: "Resume (1 new)" })).toBeVisible();
  await expect(empty).toBeHidden();
});

test("the live page has its picture taken", async ({ live, demo }) => {
  const samples: [name: string, params: object][] = [
    ["pageview", { visit_url: `${demo.site}/classic/features.html` }],
    ["registration", { display_name: "Registration: Team plan" }],
    ["pageview", { visit_url: `${demo.site}/spa/pricing` }],
    ["video_played", { title: "Product tour", seconds: 42 }],
    ["plan_chosen", { plan: "team" }],
  ];
  const visitors = Array.from({ length: 8 }, demo.contact);
  for (let step = 0; step < 60; step++) {
    // Hills and valleys, the same each time.
    const many = Math.round(4 + 2.5 * Math.sin(step / 6) + 1.5 * Math.sin(step * 2.4));
    for (let index = 0; index < many; index++) {
      const [name, params] = samples[(step * index + index) % samples.length]!;
      await demo.post(visitors[(step + index) % visitors.length]!, name, params);
    }
    if (NEW_PICTURE) await live.waitForTimeout(900);
  }
  // Not its own series: where other tests have used many names, those beyond the eighth share one.
  await expect(live.getByRole("row").filter({ hasText: "video_played" }).first()).toBeVisible();
  await expect.poll(() => drawn(live)).toBeGreaterThan(0);
  await live.setViewportSize({ width: 1000, height: 860 });
  await live.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  const picture = join(ROOT, "e2e/.results/live.png");
  await live.screenshot({ path: picture, animations: "disabled" });
  expect((await stat(picture)).size).toBeLessThan(PICTURE_BYTES);
  if (NEW_PICTURE) await copyFile(picture, join(ROOT, "demo/site/live.png"));
});
