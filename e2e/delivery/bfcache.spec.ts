import type { Page } from "playwright/test";
import { untilReleased } from "../harness/fault.js";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";

/* Pages that come back from the back/forward cache, with their memory as it was left. */

test.beforeEach(({ site }) => {
  site.first(`addEventListener("pageshow", ({ persisted }) => { window.persisted = persisted; });`);
  // A page without the snippet: what waits can leave after the restore only.
  site.page("/bare", site.html({ tag: false }));
});

/** Goes back to the first page, and proves that it was restored, not loaded. */
const goBack = async (page: Page, home: string): Promise<void> => {
  await page.evaluate(() => history.back());
  // A restored page fires no load event: only its address tells.
  await page.waitForURL(home, { waitUntil: "commit" });
  await waitFor(() => page.evaluate(() => window.persisted !== undefined), {
    what: "the page to be shown",
  });
  const shown = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as (PerformanceNavigationTiming & {
      notRestoredReasons?: { reasons?: unknown[] } | null;
    })[];
    return {
      persisted: window.persisted,
      reasons: entry!.notRestoredReasons?.reasons ?? [],
    };
  });
  expect(shown).toEqual({ persisted: true, reasons: [] });
};

test("restored with an empty queue: what is tracked then leaves at once", async ({ site, launch, expectRows }) => {
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  const before = await trackMany(page, 5, "before");
  await expectRows(before);
  await page.goto(`${site.url}/bare`);
  await goBack(page, `${site.url}/`);
  const after = await trackMany(page, 5, "after");
  await expectRows([...before, ...after]);
});

test("restored again and again, with events tracked at each leaving", async ({ site, launch, expectRows }) => {
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  const uids: string[] = [];
  for (let round = 1; round <= 5; round++) {
    uids.push(`here-${round}`, `leaving-${round}`);
    await track(page, `here-${round}`);
    await page.evaluate((uid) => {
      const { tracklet } = window;
      addEventListener("pagehide", () => tracklet.track(uid), { once: true });
    }, `leaving-${round}`);
    await page.goto(`${site.url}/bare`);
    await goBack(page, `${site.url}/`);
  }
  await track(page, "last");
  await expectRows([...uids, "last"]);
});

for (const { between, path } of [
  { between: "a page without the snippet", path: "/bare" },
  { between: "a page that has taken them over meanwhile", path: "/other" },
])
  test(`restored with 200 events queued, after ${between}`, async ({ site, gateway, launch, expectRows }) => {
    const { page } = await launch({ backForwardCache: true });
    await page.goto(`${site.url}/`);
    await track(page, "healthy");
    await expectRows(["healthy"]);
    await gateway.fail("reset");
    const down = await trackMany(page, 200, "down");
    await waitForBackOff(page);
    const { length } = gateway.posts();
    await page.goto(site.url + path);
    // The other page shows that it sends what was left to it.
    if (path === "/other") await gateway.waitForPosts(length + 2);
    await goBack(page, `${site.url}/`);
    const restored = await trackMany(page, 5, "restored");
    await gateway.heal();
    await expectRows(["healthy", ...down, ...restored]);
  });

test("restored in an outage with events in memory alone", async ({ site, gateway, launch, expectRows }) => {
  site.first("Object.defineProperty(window, 'localStorage', { value: null });");
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  const uids = await gateway.during("reset", async () => {
    const tracked = await trackMany(page, 10);
    await gateway.waitForPosts(1);
    await gateway.quiet();
    await page.goto(`${site.url}/bare`);
    await goBack(page, `${site.url}/`);
    return [...tracked, ...(await trackMany(page, 5, "restored"))];
  });
  await expectRows(uids);
});

test("restored with requests that were answered while it was away", async ({ site, gateway, launch, expectRows }) => {
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  const { until, release } = untilReleased();
  await gateway.fail({ connection: "pass", until });
  const uids = await trackMany(page, 10);
  await gateway.waitForPosts(4);
  await page.goto(`${site.url}/bare`);
  release();
  const first = gateway.posts().slice(0, 4);
  await gateway.waitFor(() => first.every(({ ended }) => ended), { what: "the answers" });
  await goBack(page, `${site.url}/`);
  await gateway.heal();
  await track(page, "restored");
  await expectRows([...uids, "restored"]);
});

test("restored with requests still in flight", async ({ site, gateway, launch, expectRows }) => {
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  const { until, release } = untilReleased();
  await gateway.fail({ connection: "pass", until });
  const uids = await trackMany(page, 10);
  await gateway.waitForPosts(4);
  await page.goto(`${site.url}/bare`);
  await goBack(page, `${site.url}/`);
  const restored = await trackMany(page, 5, "restored");
  const first = gateway.posts().slice(0, 4);
  expect(
    first.filter(({ ended }) => ended),
    "requests no longer in flight",
  ).toEqual([]);
  release();
  await gateway.heal();
  await expectRows([...uids, ...restored]);
});

test("restored in an outage, its requests in flight cut off", async ({ site, gateway, launch, expectRows }) => {
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  await gateway.fail("hang");
  const uids = await trackMany(page, 4);
  await gateway.waitForPosts(4);
  await page.goto(`${site.url}/bare`);
  // Closes every connection.
  await gateway.fail("refuse");
  await gateway.fail("reset");
  await goBack(page, `${site.url}/`);
  const { length } = gateway.posts();
  // Two different events that fail: what was in flight may be lost as well.
  uids.push(...(await trackMany(page, 2, "restored")));
  await gateway.waitForPosts(length + 2);
  await gateway.heal();
  await expectRows(uids);
});

test("A page comes back after a log-out and another one's log-in: each event is of whom it was tracked for", async ({
  site,
  service,
  gateway,
  contact,
  launch,
  expectRows,
}) => {
  const bob = `${contact}-bob`;
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  await track(page, "alice-healthy");
  await expectRows(["alice-healthy"]);
  await gateway.fail("reset");
  const alice = await trackMany(page, 3, "alice");
  await waitForBackOff(page);
  site.page("/next", site.html({ identify: false }));
  await page.goto(`${site.url}/next`);
  await page.evaluate((uid) => {
    const { tracklet } = window as unknown as { tracklet: { push: (...calls: unknown[][]) => void } };
    tracklet.push(["reset"], ["identify", uid, "account-b"], ["track", "bob"]);
  }, bob);
  await goBack(page, `${site.url}/`);
  await track(page, "restored");
  await gateway.heal();
  await expectRows(["alice-healthy", ...alice]);
  await expect
    .poll(async () => (await service.rows(bob)).map(({ event_uid, params }) => [event_uid, params]))
    .toEqual(
      expect.arrayContaining([
        ["bob", { account_uid: "account-b" }],
        ["restored", { account_uid: "account-b" }],
      ]),
    );
  expect(await service.rows(bob)).toHaveLength(2);
});

test("restored after a log-out and a log-in: the events of nobody stay so", async ({
  site,
  contact,
  launch,
  expectRows,
}) => {
  for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
  const { page } = await launch({ backForwardCache: true });
  await page.goto(`${site.url}/`);
  await trackMany(page, 3, "nobody");
  await page.goto(`${site.url}/next`);
  await page.evaluate((uid) => {
    const { tracklet } = window as unknown as { tracklet: { push: (...calls: unknown[][]) => void } };
    tracklet.push(["reset"], ["identify", uid], ["track", "bob"]);
  }, contact);
  await goBack(page, `${site.url}/`);
  await track(page, "restored");
  await expectRows(["bob", "restored"]);
});
