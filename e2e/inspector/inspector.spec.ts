import { readmeBlocks } from "../../test/support/readme.js";
import { faultsOf } from "../harness/axe.js";
import { expect, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel } from "../harness/inspector.js";
import { loaded, run } from "../harness/install.js";

/* The panel that says what the tracker on a page does. */

/** What it finds where all is well. */
const WORKING = /^Working: “.+” was stored at .+ \(200.*\)\.$/;
test("The inspector shows contact, answers and views, what waits in an outage, and sends it on request", {
  tag: "@core",
}, async ({ open, site, gateway, contact, expectRows }) => {
  const page = await open("/shop", {
    tag: { contactUid: contact, accountUid: "account-9", pageviews: "auto", stamp: false },
    identify: false,
  });
  await expectRows(["pageview"]);
  await inspect(page);
  for (const text of [
    `contact "${contact}", account "account-9"`,
    `POST ${gateway.url}/v1/track/event`,
    "Waiting: 0",
    // Sent before it was opened: the browser still knows of it.
    "before this panel",
  ])
    await expect(panel(page)).toContainText(text);
  await expect(findings(page)).toContainText("an event was accepted before this panel was opened");

  await page.evaluate(() => history.pushState(null, "", "/shop/shoes"));
  await track(page, "bought");
  await expect(panel(page)).toContainText(`${site.url}/shop/shoes`);
  await expect(panel(page)).toContainText(/✓ bought .*200 \{"status":"success"\}/);
  await expectRows(["pageview", "pageview", "bought"]);

  await gateway.during({ status: 503, retryAfter: 2 }, async () => {
    await track(page, "kept");
    await expect(panel(page)).toContainText("Waiting: 1");
    await expect(panel(page)).toContainText(`kept of ${contact}`);
    await expect(panel(page)).toContainText(/Next attempt: in \d+ s/);
    await expect(findings(page)).toContainText("The service fails (status 503). The service says:");
  });
  await panel(page).getByRole("button", { name: "Send now" }).click();
  await expectRows(["pageview", "pageview", "bought", "kept"]);
  await expect(findings(page)).toHaveText(WORKING);
});

test("The inspector shows each of two trackers by its name", async ({ open, site, contact }) => {
  const head = site.tag({ name: "shop", contactUid: "somebody-else" });
  const page = await open("/shop", { head, tag: { contactUid: contact }, identify: false });
  for (const name of ["shop", "tracklet"]) await loaded(page, name);
  // Else it begins with whichever has come first.
  await run(page, 'history.replaceState(null, "", "?tracklet_inspect=tracklet")');
  await inspect(page);
  const change = (name: string) =>
    panel(page)
      .getByRole("button", { name: `Inspect ${name}` })
      .click();
  await change("shop");
  await expect(panel(page)).toContainText('contact "somebody-else"');
  await change("tracklet");
  await expect(panel(page)).toContainText(`contact "${contact}"`);
  expect(await page.locator("tracklet-inspector").count()).toBe(1);
});

test("The page's styles do not reach the inspector, and its own do not reach the page", async ({ open }) => {
  const head = `<style>
    * { display: none !important; color: red !important; font-size: 99px !important; }
    html, body, h2 { display: block !important; }
  </style>`;
  const page = await open("/shop", { head, body: "<h2>Shop</h2>" });
  const style = () =>
    page.locator("h2", { hasText: "Shop" }).evaluate((heading) => JSON.stringify({ ...getComputedStyle(heading) }));
  const before = await style();
  await inspect(page);
  await expect(panel(page)).toHaveCSS("font-size", "13px");
  expect(await style()).toBe(before);
});

test("By keyboard, the focus comes into the inspector, reaches everything, and goes back on Escape", async ({
  open,
}) => {
  const page = await open("/shop", { body: "<button>Buy</button>" });
  await page.getByRole("button", { name: "Buy" }).focus();
  await inspect(page);
  await expect(panel(page)).toBeFocused();
  for (const name of ["Send now", "Copy", "Close"]) {
    await page.keyboard.press("Tab");
    await expect(panel(page).getByRole("button", { name })).toBeFocused();
  }
  await page.keyboard.press("Tab");
  await expect(panel(page).getByRole("group", { name: "State" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(panel(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Buy" })).toBeFocused();
});

test("The inspector fits a phone and a desk, and can be read in light and dark", async ({ open, gateway }) => {
  const page = await open("/shop", { tag: { contactUid: "contact-".repeat(20) }, identify: false });
  await inspect(page);
  await gateway.fail({ status: 503, retryAfter: 60 });
  for (let i = 1; i <= 20; i++) await track(page, `a_long_name_of_an_event_${i}`.repeat(3));
  await expect(findings(page)).toContainText("503");
  for (const width of [320, 1_280]) {
    await page.setViewportSize({ width, height: 640 });
    await expect(panel(page)).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const body = panel(page).getByRole("group", { name: "State" });
    expect(await body.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  }
  // Axe measures no colours outside of the body.
  await page.evaluate(() => document.body.append(document.querySelector("tracklet-inspector")!));
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await faultsOf(page, { runOnly: ["color-contrast"] }), colorScheme).toEqual([]);
  }
});

test("My own visits are left out once I have agreed in the page, in all tabs, until I end it", async ({
  open,
  site,
  context,
  contact,
  expectRows,
}) => {
  const [snippet] = await readmeBlocks("The inspector", "html");
  const page = await open("/shop", { head: snippet!.replace("https://cdn.example.com", `${site.url}/dist`) });
  await track(page, "before");
  await expectRows(["before"]);
  const rows = () => page.evaluate(() => Object.keys(localStorage).filter((key) => key.endsWith(":mute")));
  /** What the page's questions say, and what it says of itself. */
  const said: string[] = [];
  let answer: "accept" | "dismiss" = "dismiss";
  page.on("dialog", async (dialog) => {
    said.push(`${dialog.type()}: ${dialog.message()}`);
    await dialog[answer]();
  });
  const everywhere = `on all pages of ${site.url}`;
  const leftOut = `The visits of this browser are left out until \\w+ \\d+, \\d{4}, ${everywhere}.`;
  const expectSaid = async (...patterns: string[]) => {
    await expect.poll(() => said).toEqual(patterns.map((pattern) => expect.stringMatching(`^${pattern}`)));
    said.length = 0;
  };
  const link = `${site.url}/shop?tracklet_mute`;

  // Whoever opens such a link of somebody else says no.
  await page.goto(link);
  await expectSaid(`confirm: Leave out the visits of this browser, ${everywhere}, for a year\\?`);
  expect(await rows()).toEqual([]);

  const other = await context.newPage();
  await other.goto(`${site.url}/shop`);
  for (const tab of [page, other]) await track(tab, "counted");
  await expectRows(["before", "counted", "counted"]);
  answer = "accept";
  await page.goto(link);
  await expectSaid("confirm: Leave out", `alert: Done. ${leftOut}`);
  await page.waitForURL(`${site.url}/shop`);
  await expect(panel(page)).toHaveCount(0);
  expect(await rows()).toEqual(["tracklet:mute"]);
  for (const tab of [page, other]) await track(tab, "muted");
  await page.goto(`${site.url}/shop?tracklet_inspect`);
  await expect(findings(page)).toContainText("The visits of this browser are left out until");

  await panel(page).getByRole("button", { name: "Count my visits again" }).click();
  await expectSaid(
    `confirm: ${leftOut} Count them again\\?`,
    "alert: Done. The visits of this browser are counted again",
  );
  await expect(panel(page).getByRole("button", { name: "Leave out my visits" })).toBeVisible();
  await page.evaluate((uid) => window.tracklet.identify(uid), contact);
  await track(page, "after");
  await expectRows(["before", "counted", "counted", "after"]);
});

test("What the inspector shows is copied as text, without the page's query", async ({
  page,
  context,
  site,
  gateway,
  contact,
}) => {
  await context.grantPermissions(["clipboard-write"]);
  site.page("/shop", { tag: { apiToken: "wrong" }, body: "<textarea></textarea>" });
  await page.goto(`${site.url}/shop?secret=1`);
  await inspect(page);
  await track(page, "refused");
  await expect(findings(page)).toContainText("refuses the API token");
  await panel(page).getByRole("button", { name: "Copy" }).click();
  await expect(panel(page)).toContainText("Copied.");
  await page.locator("textarea").focus();
  await page.keyboard.press("ControlOrMeta+V");
  const lines = [
    `^tracklet on ${site.url}/shop, 20.*`,
    "",
    "It stops at “Answered”.",
    "[^]*",
    "✕ Answered The service refuses the API token \\(status 401\\)[^]*",
    "✓ Named .*",
    `contact "${contact}", no account`,
    "✓ [^]*",
    `POST ${gateway.url}/v1/track/event`,
    "[^]*",
    '401, \\{"error":"the API token is wrong[^]*',
    "Waiting: 1[^]*",
    `… refused of ${contact}, failed \\d ×`,
  ];
  await expect(page.locator("textarea")).toHaveValue(new RegExp(lines.join("\n")));
});

test("The inspector opens by the documents' query, shortcut and the service's bookmark, and never twice", async ({
  open,
  context,
  site,
  service,
}) => {
  const [snippet] = await readmeBlocks("The inspector", "html");
  const [documented] = await readmeBlocks("The inspector", "text");
  const own = await context.newPage();
  await own.goto(service.url);
  const link = own.getByRole("link", { name: "Inspect tracklet" });
  await expect(link).toHaveAttribute("href", documented!.trim().replace("https://track.example.com", service.url));
  const bookmark = await link.getAttribute("href");
  expect(snippet).toContain("https://cdn.example.com");
  const page = await open("/shop", { head: snippet!.replace("https://cdn.example.com", `${site.url}/dist`) });
  await page.waitForFunction("!Array.isArray(window.tracklet)");
  await expect(panel(page)).toHaveCount(0);
  await page.goto(`${site.url}/shop?tracklet_inspect`);
  await expect(panel(page)).toBeVisible();
  await panel(page).getByRole("button", { name: "Close" }).click();
  await expect(panel(page)).toHaveCount(0);
  // Without `void`, the driver waits for the script: else the last one may still be loading when the page is closed.
  const mark = () => page.evaluate(`${bookmark!.replace("javascript:void", "")}.then(() => {})`);
  // By the keyboard, on a page that allows it; and by the bookmark, on any.
  for (const opens of [() => page.keyboard.press("Control+Alt+KeyI"), mark])
    for (let time = 1; time <= 2; time++) {
      await opens();
      await expect(panel(page)).toBeFocused();
      await page.keyboard.press("Escape");
      await expect(panel(page)).toHaveCount(0);
    }
  for (let time = 1; time <= 2; time++) await mark();
  await expect(panel(page)).toBeFocused();
  await expect(page.locator("tracklet-inspector")).toHaveCount(1);
});

/** The documents' picture is in the repository, and loaded by everybody who reads them. With `UPDATE_SCREENSHOT=1` it is made anew. */
test("The inspector's picture shows where the walk stops, and is small", async ({ open, gateway }, info) => {
  const body = `<style>
    body { margin: 32px; font: 16px/1.5 "DejaVu Sans", sans-serif; background: #faf7f2; color: #2b2118; }
    li { margin: 8px 0; }
  </style>
  <h1>Shoes</h1><ul><li>Walking shoes</li><li>Running shoes</li><li>Sandals</li></ul>`;
  const tag = { contactUid: "contact-21", accountUid: "account-9" };
  const page = await open("/shop", { body, tag, identify: false });
  await page.setViewportSize({ width: 760, height: 640 });
  await inspect(page);
  for (const [uid, params] of [
    ["search"],
    ["add_to_basket"],
    ["pageview", { visit_url: "https://shop.example/shoes" }],
  ] as const) {
    await track(page, uid, params);
    await expect(panel(page)).toContainText(new RegExp(`✓ ${uid} .*200`));
  }
  await gateway.fail({ status: 401, body: '{"error":"the API token is wrong"}' });
  await track(page, "checkout");
  await expect(findings(page)).toContainText("401");
  await track(page, "registration", { display_name: "Registered" });
  await expect(panel(page)).toContainText("Waiting: 2");
  const path = process.env.UPDATE_SCREENSHOT === "1" ? "demo/site/inspector.png" : info.outputPath("inspector.png");
  expect((await page.screenshot({ path })).length).toBeLessThan(100_000);
});
