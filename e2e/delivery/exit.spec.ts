import type { Page } from "playwright/test";
import type { Fault } from "../harness/fault.js";
import { expect, test, track, waitFor } from "../harness/fixtures.js";
import { trackAndLeave } from "../harness/leave.js";
import { names } from "../harness/track.js";

/* Delivery while the service is well: bursts, and tabs that close themselves. How else a page is left: leaving.spec.ts. */

/** In flight at every exit: preflights and events each take longer than the page lives. */
const SLOW: Fault = { connection: "pass", delayMs: 300, preflight: "fault" };

test("200 events in a row are stored once each, with what they hold", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  await page.evaluate(() => {
    const { track } = window.tracklet;
    for (let n = 1; n <= 200; n++) track("row", { n });
  });
  await expectRows(
    Array.from({ length: 200 }, (_, index) => ({ n: index + 1 })),
    { by: ({ params }) => params },
  );
  expect(gateway.posts()).toHaveLength(200);
});

test("200 events tracked in a task each are stored once each", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = names("event", 200);
  await page.evaluate(async (all) => {
    const { tracklet } = window;
    for (const uid of all) {
      tracklet.track(uid);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, uids);
  await expectRows(uids);
  expect(gateway.posts()).toHaveLength(200);
});

/** Opens a page in a tab that its opener, a page without the snippet, lets close itself. */
const openTab = async (opener: Page, url: string): Promise<Page> => {
  const [tab] = await Promise.all([opener.waitForEvent("popup"), opener.evaluate((to) => void window.open(to), url)]);
  await tab.waitForLoadState("load");
  return tab;
};

for (const { speed, fault } of [
  { speed: "fast", fault: "pass" },
  { speed: "slow", fault: SLOW },
] as const)
  test(`an event, then a script closes the tab, 20 times, ${speed} service`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await gateway.fail(fault);
    // A busy browser may cut off the requests of a tab that a script closes before it tells the tab: they are sent again.
    site.configure({ stamp: true });
    site.page("/opener", site.html({ tag: false }));
    await page.goto(`${site.url}/opener`);
    const uids = names("bye", 20);
    for (const uid of uids) {
      const tab = await openTab(page, site.url);
      await trackAndLeave(tab, [uid], "window.close()");
      await waitFor(() => tab.isClosed(), { what: "the tab to close" });
    }
    const visit = await openTab(page, site.url);
    await track(visit, "back");
    await expectRows([...uids, "back"]);
  });
