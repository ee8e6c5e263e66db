import { expect, type Locator, type Page } from "playwright/test";
import { drawn, hasColour } from "./drawn.js";
import { test } from "./fixtures.js";

/* The live page: each event as it arrives in the database. */

const state = (page: Page) => page.getByRole("main").getByRole("status");

test("The chart of the live page follows the colour scheme while it is open", async ({ live, demo }) => {
  await demo.post(demo.contact(), "registration");
  const chart = live.getByRole("img", { name: "Events that arrived" });
  await expect.poll(() => drawn(live, "registration")).toBeGreaterThan(0);
  const grounds = new Set<string>();
  for (const colorScheme of ["light", "dark"] as const) {
    await live.emulateMedia({ colorScheme });
    grounds.add(await live.evaluate(() => getComputedStyle(document.body).getPropertyValue("--series-1")));
    for (const property of ["--series-1", "--muted"]) await expect.poll(() => hasColour(chart, property)).toBe(true);
  }
  expect(grounds.size).toBe(2);
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
  // As with an empty database: what the other tests have sent is not there.
  const began = Date.now();
  let isAway = true;
  await page.route(`${demo.site}/events?*`, async (route) => {
    if (isAway) return route.abort();
    const answer = await route.fetch();
    const { data } = (await answer.json()) as { data: { received_at: number }[] };
    await route.fulfill({ response: answer, json: { data: data.filter((one) => one.received_at > began) } });
  });
  await page.goto(`${demo.site}/live.html`);
  const [silent, empty] = ["The service does not answer yet.", "Nothing has arrived yet."].map((text) =>
    page.getByText(text),
  ) as [Locator, Locator];
  await expect(state(page)).toHaveText("Connecting");
  await expect(silent).toBeVisible();
  await expect(empty).toBeHidden();
  isAway = false;
  await expect(state(page)).toHaveText("Live");
  await expect(silent).toBeHidden();
  await expect(empty).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await demo.post(demo.contact(), "first_of_all");
  await expect(page.getByRole("button", { name: "Resume (1 new)" })).toBeVisible();
  await expect(empty).toBeHidden();
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
