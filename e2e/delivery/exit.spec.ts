import type { Page } from "playwright/test";
import type { Fault } from "../harness/fault.js";
import { expect, test, track, waitFor } from "../harness/fixtures.js";
import { trackAndLeave } from "../harness/leave.js";
import { names } from "../harness/track.js";

/* Delivery while the service is well: a burst, and pages that are left in the task that tracks. */

/** In flight at every exit: preflights and events each take longer than the page lives. */
const SLOW: Fault = { connection: "pass", delayMs: 300, preflight: "fault" };

test("1. 200 events tracked in a row are stored once each, with what they hold", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  await page.goto(site.url);
  await page.evaluate(() => {
    const { track } = (window as unknown as { tracklet: { track: (uid: string, params: object) => void } }).tracklet;
    for (let n = 1; n <= 200; n++) track("row", { n });
  });
  await expectRows(
    Array.from({ length: 200 }, (_, index) => ({ n: index + 1 })),
    { by: ({ params }) => params },
  );
  expect(gateway.posts()).toHaveLength(200);
});

test("1. 200 events tracked in a task each are stored once each", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = names("event", 200);
  await page.evaluate(async (all) => {
    const { tracklet } = window as unknown as { tracklet: { track: (uid: string) => void } };
    for (const uid of all) {
      tracklet.track(uid);
      await new Promise((resolve) => setTimeout(resolve));
    }
  }, uids);
  await expectRows(uids);
  expect(gateway.posts()).toHaveLength(200);
});

for (const { speed, fault, pages } of [
  { speed: "fast", fault: "pass", pages: 40 },
  { speed: "slow", fault: SLOW, pages: 40 },
] as const)
  test(`2. Two events before location.assign, ${pages} pages in a row, ${speed} service`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await gateway.fail(fault);
    await page.goto(site.url);
    const uids: string[] = [];
    for (let i = 1; i <= pages; i++) {
      const two = [`first-${i}`, `second-${i}`];
      uids.push(...two);
      const arrived = page.waitForURL(`${site.url}/page-${i}`);
      await trackAndLeave(page, two, `location.assign("/page-${i}")`);
      await arrived;
    }
    // The last two have left with their page: nothing but their exit brings them.
    await expectRows(uids);

    // The visit goes on, and what the exits have delivered is not sent again.
    for (const uid of ["still-here", "and-here"]) {
      uids.push(uid);
      await track(page, uid);
      await expectRows(uids);
      await page.reload();
    }
    expect(gateway.posts()).toHaveLength(uids.length);
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
  for (const closer of ["script", "user"] as const)
    test(`3. An event before the ${closer} closes the tab, 20 times, ${speed} service`, async ({
      page,
      site,
      gateway,
      expectRows,
    }) => {
      await gateway.fail(fault);
      site.page("/opener", site.html({ tag: false }));
      await page.goto(`${site.url}/opener`);
      const uids = names("bye", 20);
      for (const uid of uids) {
        const tab = await openTab(page, site.url);
        if (closer === "script") {
          await trackAndLeave(tab, [uid], "window.close()");
          await waitFor(() => tab.isClosed(), { what: "the tab to close" });
        } else {
          await track(tab, uid);
          await tab.close();
        }
      }
      // No page with the snippet is open any more.
      await expectRows(uids);

      const visit = await openTab(page, site.url);
      for (const uid of ["back", "again"]) {
        uids.push(uid);
        await track(visit, uid);
        await expectRows(uids);
      }
      expect(gateway.posts()).toHaveLength(uids.length);
    });

const FORM = (method: string) =>
  `<form method="${method}" action="/sent" onsubmit="tracklet.track(this.dataset.uid)"><button>Send</button></form>`;

for (const method of ["get", "post"])
  test(`3. An event in the submit handler of a form sent by ${method}, 10 times`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    site.page("/form", site.html({ body: FORM(method) }));
    const uids = names("submit", 10);
    for (const uid of uids) {
      await page.goto(`${site.url}/form`);
      await page.locator("form").evaluate((form, name) => {
        form.dataset.uid = name;
      }, uid);
      const sent = page.waitForURL(/\/sent/);
      await page.getByRole("button").click();
      await sent;
    }
    await expectRows(uids);
    await track(page, "thanks");
    await expectRows([...uids, "thanks"]);
    expect(gateway.posts()).toHaveLength(11);
  });

test("3. An event before a reload, 20 times", async ({ page, site, gateway, expectRows }) => {
  await page.goto(site.url);
  const uids = names("reload", 20);
  for (const uid of uids) {
    const loaded = page.waitForEvent("load");
    await trackAndLeave(page, [uid], "location.reload()");
    await loaded;
  }
  await expectRows(uids);
  await track(page, "stays");
  await expectRows([...uids, "stays"]);
  expect(gateway.posts()).toHaveLength(21);
});
