import type { Page } from "playwright/test";
import { expect, test } from "../harness/fixtures.js";
import { judge, loaded, run, warningsOf } from "../harness/install.js";
import { eventKeys } from "../harness/tab.js";
import { DEMO_TOKEN, scriptTag } from "../harness/tag.js";

/* Several copies on one page: one tracker a name. */

const SRC = "/dist/tracklet.iife.js";

test.beforeEach(({ site }) => site.configure({ pageviews: "auto" }));

/** Puts another copy into the page, as a tag manager does: late, and without attributes. */
const inject = (page: Page): Promise<void> =>
  page.evaluate(
    (src) =>
      new Promise<void>((resolve, reject) => {
        const script = Object.assign(document.createElement("script"), { src: `${src}?late=${Math.random()}` });
        script.onload = () => resolve();
        script.onerror = () => reject(new Error("not loaded"));
        document.head.append(script);
      }),
    SRC,
  );
/** The ES module, as an app has it. */
const app = (config: object): string => `<script type="module">
  import { init, track } from "/dist/index.js";
  track("app_before");
  init(${JSON.stringify(config)});
  track("app_after");
  window.fromApp = track;
</script>`;

test("two tags: one tracker, one view, the calls of both", { tag: "@core" }, async ({ page, site, expectRows }) => {
  const warnings = warningsOf(page);
  const call = (uid: string) => `<script>(window.tracklet = window.tracklet || []).push(["track", "${uid}"])</script>`;
  site.page("/", site.html({ head: `${call("one")}${site.tag()}${call("two")}`, body: call("three") }));
  await page.goto(site.url);
  await judge(page);
  await run(page, `history.pushState({}, "", "/next"); tracklet.track("four")`);
  await expectRows(["pageview", "one", "two", "three", "pageview", "four"]);
  expect(warnings).toEqual([]);
});

for (const order of ["the app first", "the tag first"] as const)
  test(`an app and a tag, ${order}: one tracker, one view`, async ({ page, site, gateway, contact, expectRows }) => {
    const warnings = warningsOf(page);
    const module = app({ apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact });
    // Modules run after a blocking script, and before one that is inserted later.
    const html = site.html({ head: module, tag: order === "the app first" ? false : { async: false } });
    site.page("/", html);
    await page.goto(site.url);
    await page.waitForFunction("window.fromApp");
    if (order === "the app first") await inject(page);
    await run(page, `tracklet.track("by_global"); fromApp("by_import")`);
    await expectRows(["pageview", "app_before", "app_after", "by_global", "by_import"]);
    expect(warnings).toEqual([]);
  });

test("another token: the first one holds, and a warning says so", async ({ page, site, gateway, expectRows }) => {
  const warnings = warningsOf(page);
  await page.goto(site.url);
  await loaded(page);
  const other = JSON.stringify({ apiToken: "another", trackUrl: gateway.url, contactUid: "somebody" });
  await run(page, `tracklet.push(["init", ${other}], ["track", "one"])`);
  await inject(page);
  await expectRows(["pageview", "one"]);
  expect(warnings).toEqual([expect.stringMatching(/^tracklet\b.*apiToken/)]);
  expect(gateway.requests.every(({ url }) => url.includes(DEMO_TOKEN))).toBe(true);
});

test("two names: two trackers, kept apart in the storage", async ({
  page,
  site,
  gateway,
  service,
  contact,
  expectRows,
}) => {
  const warnings = warningsOf(page);
  const second = `${contact}-shop`;
  const tag = scriptTag({ trackUrl: gateway.url, name: "shop", contactUid: second, pageviews: "auto" });
  site.page("/", site.html({ head: `${tag}<script>window.shop = [["track", "early_shop"]]</script>` }));
  await page.goto(site.url);
  await Promise.all([loaded(page), loaded(page, "shop")]);
  await gateway.waitForPosts(3);
  await expect.poll(() => eventKeys(page), "what waits before the outage").toEqual([]);
  await gateway.fail("reset");
  await run(page, `tracklet.track("ours"); shop.track("theirs")`);
  const keys = await eventKeys(page);
  expect(keys.map((key) => key.split(":")[0]).sort()).toEqual(["shop", "tracklet"]);
  // Opting out of one leaves the other.
  await run(page, `shop.track("forgotten")`);
  await gateway.heal();
  await expectRows(["pageview", "ours"]);
  await expect
    .poll(async () => (await service.rows(second)).map(({ event_uid }) => event_uid).sort())
    .toEqual(["early_shop", "forgotten", "pageview", "theirs"]);
  await run(page, `shop.optOut()`);
  const left = await page.evaluate(() => Object.keys(localStorage));
  expect(left.filter((key) => key.startsWith("shop:"))).toEqual(["shop:consent"]);
  expect(left).toContain("tracklet:identity");
  expect(warnings).toEqual([]);
});
