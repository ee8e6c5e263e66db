import { stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, type Locator, type Page } from "playwright/test";
import { drawn } from "./drawn.js";
import { test } from "./fixtures.js";

/* The live page: each event as it arrives in the database. */

/** Is the picture in the README to be made anew? With `-g picture` the page shows nothing of the other tests. */
const NEW_PICTURE = process.env.UPDATE_SCREENSHOT === "1";
/** The README's picture is in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 90_000;
const PICTURE = fileURLToPath(new URL("../../site/live.png", import.meta.url));

const state = (page: Page) => page.getByRole("main").getByRole("status");

test("The chart of the live page follows the colour scheme while it is open", async ({ live, demo }) => {
  await demo.post(demo.contact(), "registration");
  const colour = () =>
    live.evaluate<string>(`import("/vendor/chart.js/chart.js").then(({ Chart }) => {
      const { data, options } = Chart.getChart(document.querySelector("canvas"));
      return [data.datasets.find(({ label }) => label === "registration")?.backgroundColor, options.scales.arrived.ticks.color].join();
    })`);
  await expect.poll(() => drawn(live, "registration")).toBeGreaterThan(0);
  const light = (await colour()).split(",");
  await live.emulateMedia({ colorScheme: "dark" });
  await expect
    .poll(async () => (await colour()).split(",").map((part, index) => part === light[index]))
    .toEqual([false, false]);
});

test("A burst is counted on the live page to the last event, and the table stays short", async ({ live, demo }) => {
  const contacts = Array.from({ length: 4 }, demo.contact);
  await live.locator("[value=minutes]").check();
  // Of all names: those beyond the eighth share one series.
  const expected = (await drawn(live)) + 400;
  await Promise.all(Array.from({ length: 400 }, (_, index) => demo.post(contacts[index % 4]!, "burst", { index })));
  await expect.poll(() => drawn(live)).toBe(expected);
  expect(await live.locator("[data-rows] tr").count()).toBeLessThanOrEqual(50);

  await live.getByRole("button", { name: "Pause" }).click();
  await expect(state(live)).toHaveText("Paused");
  await demo.post(contacts[0]!, "while_paused");
  const resume = live.getByRole("button", { name: /Resume \(\d+ new\)/ });
  await expect(resume).toBeVisible();
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(0);
  await resume.click();
  await expect(state(live)).toHaveText("Live");
  await expect(live.getByRole("row").filter({ hasText: "while_paused" })).toHaveCount(1);
});

test("The live page says that it is connecting until the service has answered, and does not deny what comes while it is paused", async ({
  page,
  demo,
}) => {
  await page.route("**/demo/events?*", (route) => route.abort());
  await page.goto(`${demo.site}/live.html`);
  const [silent, empty] = ["The service does not answer yet.", "Nothing has arrived yet."].map((text) =>
    page.getByText(text),
  ) as [Locator, Locator];
  await expect(state(page)).toHaveText("Connecting");
  await expect(silent).toBeVisible();
  await expect(empty).toBeHidden();
  await page.unroute("**/demo/events?*");
  // As with an empty database: what the other tests have sent is not there.
  const began = Date.now();
  await page.route("**/demo/events?*", async (route) => {
    const answer = await route.fetch();
    const { events } = (await answer.json()) as { events: { received_at: number }[] };
    await route.fulfill({ response: answer, json: { events: events.filter((one) => one.received_at > began) } });
  });
  await expect(state(page)).toHaveText("Live");
  await expect(silent).toBeHidden();
  await expect(empty).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await demo.post(demo.contact(), "first_of_all");
  await expect(page.getByRole("button", { name: "Resume (1 new)" })).toBeVisible();
  await expect(empty).toBeHidden();
});

test("The live page's picture in the repository is small", async ({ page, live, demo }) => {
  if (NEW_PICTURE) {
    const samples: [name: string, params: object][] = [
      ["pageview", { visit_url: `${demo.site}/classic/features.html` }],
      ["registration", { display_name: "Registration: Team plan" }],
      ["video_played", { title: "Product tour", seconds: 42 }],
      ["plan_chosen", { plan: "team" }],
    ];
    const visitors = Array.from({ length: 8 }, demo.contact);
    await page.goto(`${demo.site}/classic.html`);
    for (let step = 0; step < 55; step++) {
      // The service is away for some of the time.
      if (step === 18) await page.getByRole("button", { name: "Stop the service" }).click();
      if (step === 30) await page.getByRole("button", { name: "Start the service" }).click();
      // Hills and valleys, the same each time.
      const many = Math.round(3 + 1.5 * Math.sin(step / 6) + 1.5 * Math.sin(step * 2.4));
      for (let index = 0; index < many; index++) {
        const { uid, accounts } = visitors[(step + index) % visitors.length]!;
        const calls = [
          ["identify", uid, accounts[0]!.uid],
          ["track", ...samples[(step * index + index) % samples.length]!],
        ];
        await page.evaluate((given) => window.tracklet.push(...(given as never[])), calls);
      }
      await page.waitForTimeout(900);
    }
    await expect(page.locator("[data-waiting]")).toHaveText("0");
    await live.bringToFront();
    await live.setViewportSize({ width: 900, height: 790 });
    await live.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await live.waitForTimeout(1_500);
    await live.screenshot({ path: PICTURE, animations: "disabled" });
  }
  expect((await stat(PICTURE)).size).toBeLessThan(PICTURE_BYTES);
});
