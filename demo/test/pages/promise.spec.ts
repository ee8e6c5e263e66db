import { expect, type Page } from "playwright/test";
import { drawn } from "./drawn.js";
import { test } from "./fixtures.js";
import { identify, own, pageviews, trackOwn } from "./visitor.js";

/* The core promise, as a visitor of the demo sees it: events wait while the service is away, and arrive once when it is back. */

const bar = (page: Page) => page.getByRole("region", { name: "Delivery" });
const number = (page: Page, name: "waiting" | "next") => bar(page).locator(`[data-${name}]`);
const state = (page: Page) => bar(page).getByRole("status");

const LANES = ["happened", "arrived"] as const;

/** The step that the guide marks as the next one; all of the guide is in the first screen of a phone and of a desk. */
const expectStep = async (page: Page, name: string | undefined) => {
  const next = page.locator("[data-step][aria-current=step]");
  if (name) await expect(next).toHaveAttribute("data-step", name);
  else await expect(next).toHaveCount(0);
  for (const [width, height] of [
    [375, 812],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.evaluate(() => scrollTo(0, 0));
    const { y, height: own } = (await page.locator("[data-guide]").boundingBox())!;
    expect(y + own, `the guide at ${width} px, step ${name}`).toBeLessThanOrEqual(height);
  }
};

test("In the guide's six steps a visitor stops the service, sees clicks wait, and arrive", { tag: "@core" }, async ({
  page,
  live,
  demo,
}) => {
  const guide = page.locator("[data-guide]");
  const press = (name: string) => guide.getByRole("button", { name }).click();
  const contact = demo.contact();
  await page.bringToFront();
  await page.goto(demo.site);
  await expect(state(page)).toHaveText("up");
  await expectStep(page, "identify");
  await expect(number(page, "next")).toHaveText("when you identify");
  await page.reload();
  await identify(page, contact);
  // The home page is tracked as well, twice by now.
  await expect.poll(async () => pageviews(await demo.rows(contact))).toEqual(["/", "/"]);
  await expect(number(page, "next")).toHaveText("none: nothing waits");

  await expectStep(page, "stop");
  await press("Stop");
  await expect(state(page)).toHaveText("stopped");
  await expect(page.locator(".live-link .dot")).toHaveCSS("background-color", "rgb(179, 38, 30)");
  await expectStep(page, "click");
  for (let click = 0; click < 3; click++) await press("Click");
  await expect(number(page, "waiting")).toHaveText("3");
  await expect(number(page, "next")).toHaveText(/^in \d+ s$/);
  await expectStep(page, "reload");
  await press("Reload");
  await expectStep(page, "start");
  await expect(guide.getByRole("cell", { name: "waits" })).toHaveCount(3);
  await expect(number(page, "waiting")).toHaveText("4");
  expect(await fetch(`${demo.service}/readyz`).catch(() => "refused")).toBe("refused");
  // The live page knows of the same events, and of the outage.
  await expect(number(live, "waiting")).toHaveText("4");
  await expect(state(live)).toHaveText("stopped");
  await live.locator("[value=minutes]").check();
  // Of all names: those beyond the eighth share one series.
  const before = { happened: await drawn(live, undefined, "happened"), arrived: await drawn(live) };

  await press("Start");
  await expect(state(page)).toHaveText("up");
  await expect(page.locator(".live-link .dot")).toHaveCSS("background-color", "rgb(20, 116, 63)");
  await expect(guide.getByRole("status")).toHaveText("Done: all three have arrived, once each.", { timeout: 180_000 });
  await expectStep(page, undefined);
  await expect(number(page, "waiting")).toHaveText("0");
  // The live page may have sent some of them: what the service has stored counts.
  const rows = await demo.rows(contact);
  expect(own(rows)).toEqual(["guide_click", "guide_click", "guide_click"]);
  expect(pageviews(rows)).toHaveLength(3);

  await live.bringToFront();
  const late = live.getByRole("row").filter({ hasText: "guide_click" });
  await expect(late).toHaveCount(3);
  for (const row of await late.all())
    await expect(row).toHaveText(/^\d\d:\d\d:\d\d\s*\d\d:\d\d:\d\d\s*after \d+ (second|minute)/);
  for (const lane of LANES) await expect.poll(() => drawn(live, undefined, lane)).toBe(before[lane] + 4);
  await expect(live.getByRole("figure")).toContainText(/The service was away for \d+ (s|min)\./);
  await page.bringToFront();
  await press("Once more");
  await expectStep(page, "stop");
});

test("A visitor of the demo refuses, and nothing is kept or sent; agrees, and it goes on", async ({ page, demo }) => {
  const contact = demo.contact();
  const consent = page.getByRole("group", { name: "May this site track you?" });
  await page.goto(`${demo.site}/classic.html`);
  await expect(number(page, "waiting")).toHaveText("1");
  await consent.getByRole("button", { name: "Refuse" }).click();
  await expect(consent.getByRole("status")).toHaveText(/^You have refused/);
  await expect(number(page, "waiting")).toHaveText("0");
  await identify(page, contact);
  await trackOwn(page, "while_refused");
  await expect(number(page, "next")).toHaveText("none: you refuse");
  await consent.getByRole("button", { name: "Agree" }).click();
  await expect(consent.getByRole("status")).toHaveText(/^You have agreed/);
  await identify(page, contact);
  await trackOwn(page, "after_agreeing");
  await expect.poll(async () => own(await demo.rows(contact))).toEqual(["after_agreeing"]);
});

test("No page but the demo's own may stop the service", async ({ demo }) => {
  for (const origin of [undefined, "null", "http://127.0.0.1:1", demo.service, "https://shop.example"]) {
    const answer = await fetch(`${demo.site}/service/stop`, { method: "POST", headers: origin ? { origin } : {} });
    expect(answer.status, String(origin)).toBe(403);
  }
  expect((await fetch(`${demo.service}/readyz`)).status).toBe(200);
});
