import type { Page } from "playwright/test";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { bringInStep } from "../harness/in-step.js";
import { localise, open, run } from "../harness/install.js";
import { waitForBackOff } from "../harness/outage.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* Who the visitor is and what he allows, over tabs, profiles and buttons. The rest is held by the simulation. */

const CHOICE = "tracklet:consent";
const stored = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("tracklet:")));

test("identify is remembered by pages, tabs and the next visit", { tag: "@core" }, async ({
  site,
  contact,
  launch,
  expectRows,
}) => {
  for (const path of ["/", "/next"]) site.page(path, { identify: false });
  const first = await launch();
  await open(first.page, site.url);
  await track(first.page, "before");
  await run(first.page, `tracklet.identify("${contact}", "account-1")`);
  await track(await open(first.page, `${site.url}/next`), "next_page");
  await track(await open(await first.context.newPage(), site.url), "other_tab");
  await expectRows(["before", "next_page", "other_tab"]);
  await first.close();
  const second = await launch({ profile: first.profile });
  await track(await open(second.page, site.url), "next_visit");
  const rows = await expectRows(["before", "next_page", "other_tab", "next_visit"]);
  for (const { params } of rows) expect(params).toEqual({ account_uid: "account-1" });
});

test("reset drops what has no contact, in all tabs", { tag: "@core" }, async ({
  context,
  page,
  site,
  contact,
  expectRows,
}) => {
  site.page("/", { identify: false });
  const other = await open(await context.newPage(), site.url);
  await open(page, site.url);
  await trackMany(page, 3, "here");
  await trackMany(other, 3, "there");
  await run(page, "tracklet.reset()");
  await track(page, "here_after");
  await bringInStep(page, other);
  await track(other, "there_after");
  await run(other, `tracklet.identify("${contact}")`);
  await expectRows(["here_after", "there_after"]);
});

test("optOut in an outage forgets what waits in all tabs", async ({ page, context, site, gateway }) => {
  await gateway.fail({ status: 503, retryAfter: 3_600 });
  const other = await open(await context.newPage(), site.url);
  await open(page, site.url);
  await track(page, "here");
  await track(other, "there");
  await waitForBackOff(page);
  await gateway.quiet();
  const { length } = gateway.requests;
  await gateway.heal();
  await run(page, "tracklet.optOut()");
  await expect.poll(() => stored(other)).toEqual([CHOICE]);
  for (const tab of [page, other]) {
    await track(tab, "after");
    await open(tab, `${site.url}/next`);
  }
  await gateway.quiet();
  expect(gateway.requests).toHaveLength(length);
  expect(await stored(page)).toEqual([CHOICE]);
});

for (const button of ["Allow", "Refuse"])
  test(`The README's example for consent: ${button}`, async ({ page, site, gateway }) => {
    const [example] = await readmeBlocks("Consent", "html");
    site.page("/", { tag: false, body: localise(example!, DEMO_TOKEN, gateway.url) });
    await open(page, site.url);
    await run(page, `tracklet.identify("contact-readme")`);
    await page.getByRole("button", { name: button }).click();
    if (button === "Allow") await gateway.waitForPosts(1, "pageview");
    await gateway.quiet();
    expect(gateway.requests.length > 0).toBe(button === "Allow");
    expect(await page.evaluate((key) => localStorage.getItem(key), CHOICE)).toBe(
      button === "Allow" ? "granted" : "denied",
    );
  });
