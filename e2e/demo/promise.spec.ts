import { expect, type Page } from "playwright/test";
import { test } from "./fixtures.js";
import { identify, own, pageviews, trackOwn } from "./visitor.js";

/* The core promise, as a visitor of the demo sees it: events wait while the service is away, and arrive once when it is back. */

const strip = (page: Page) => page.getByRole("region", { name: "Delivery" });
const number = (page: Page, name: "waiting" | "delivered") => strip(page).locator(`[data-${name}]`);
const state = (page: Page) => strip(page).getByRole("status");

test("a visitor stops the service, sees events wait, and arrive", { tag: "@core" }, async ({ page, demo }) => {
  const contact = demo.contact();
  await demo.endStartedService();
  await page.goto(demo.site);
  await expect(state(page)).toHaveText(/up|stopped/);
  const start = strip(page).getByRole("button", { name: "Start the service" });
  const stop = strip(page).getByRole("button", { name: "Stop the service" });
  if ((await state(page).textContent()) === "stopped") await start.click();
  await expect(state(page)).toHaveText("up");

  await expect(number(page, "waiting")).toHaveText("1");
  await page.reload();
  await expect(page.locator("#contact")).toBeEnabled();
  await identify(page, contact);
  // The home page is tracked as well, twice by now.
  await expect.poll(async () => pageviews(await demo.rows(contact))).toEqual(["/", "/"]);
  await expect(number(page, "delivered")).toHaveText("2");
  await expect(number(page, "waiting")).toHaveText("0");

  await stop.click();
  await expect(state(page)).toHaveText("stopped");
  await expect(page.locator(".live-link .dot")).toHaveCSS("background-color", "rgb(179, 38, 30)");
  for (const name of ["first", "second", "third"]) await trackOwn(page, name);
  await expect(number(page, "waiting")).toHaveText("3");
  await expect(page.getByRole("list", { name: "Calls made on this page" }).getByRole("listitem").first()).toHaveText(
    'tracklet.track("third", {})',
  );
  await page.goto(`${demo.site}/classic.html`);
  await expect(number(page, "waiting")).toHaveText("4");
  expect(await fetch(`${demo.service}/readyz`).catch(() => "refused")).toBe("refused");

  await start.click();
  await expect(state(page)).toHaveText("up");
  await expect(page.locator(".live-link .dot")).toHaveCSS("background-color", "rgb(20, 116, 63)");
  await expect(number(page, "waiting")).toHaveText("0", { timeout: 60_000 });
  await expect(number(page, "delivered")).toHaveText("4");
  const rows = await demo.rows(contact);
  expect(own(rows).sort()).toEqual(["first", "second", "third"]);
  expect(pageviews(rows).sort()).toEqual(["/", "/", "/classic.html"]);
});

test("no page but the demo's own may stop the service", async ({ demo }) => {
  for (const origin of [undefined, "null", "http://127.0.0.1:1", demo.service, "https://shop.example"]) {
    const answer = await fetch(`${demo.site}/service/stop`, { method: "POST", headers: origin ? { origin } : {} });
    expect(answer.status, String(origin)).toBe(403);
  }
  expect((await fetch(`${demo.service}/readyz`)).status).toBe(200);
});
