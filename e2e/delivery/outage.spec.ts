import { expect, test, trackMany, waitFor } from "../harness/fixtures.js";
import { setClockAhead, waitForBackOff } from "../harness/outage.js";
import { runAndGo } from "../harness/tab.js";
import { trackCalls } from "../harness/track.js";

/* A service that cannot be reached: over the end of the browser, where the browser is offline, and without its locks. */

test("What waits when the browser is closed in an outage is delivered by the next visit on the same profile", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const before = await launch();
  const page = await before.newPage();
  const uids = await gateway.during("refuse", async () => {
    await page.goto(site.url);
    const tracked = await trackMany(page, 30);
    await waitForBackOff(page);
    // The driver ends a browser without telling its pages; one that is closed by hand does tell them.
    await page.close();
    await before.close();
    return tracked;
  });
  const after = await (await launch()).newPage();
  await after.goto(site.url);
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});

test("What is tracked in a browser that is offline is delivered by the next visit, although the page was left meanwhile", async ({
  open,
  context,
  site,
  gateway,
  expectRows,
}) => {
  const page = await open();
  await context.setOffline(true);
  const uids = await trackMany(page, 9);
  await waitForBackOff(page);
  await runAndGo(page, `${trackCalls(["parting"])} location.assign("${site.at("localhost")}")`);
  await waitFor(() => page.url().startsWith("chrome-error:"), { what: "the page to be left" });
  await context.setOffline(false);
  await page.goto(site.url);
  await expectRows([...uids, "parting"]);
  expect(gateway.posts(), "one request an event").toHaveLength(10);
});

/** Without locks, what others have left is sent once it is so old. */
const OLD_MS = 20_000;

test("On plain http, where there are no locks, an outage over a reload loses nothing, and a closed tab's events come later", async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  const shop = site.at("shop.test");
  await page.goto(shop);
  expect(await page.evaluate(() => [isSecureContext, "locks" in navigator])).toEqual([false, false]);
  const uids = await gateway.during("refuse", async () => {
    const tab = await context.newPage();
    await tab.goto(`${shop}/tab`);
    const left = await trackMany(tab, 10, "left");
    await waitForBackOff(tab);
    await tab.close();
    const before = await trackMany(page, 10, "before");
    await waitForBackOff(page);
    await page.reload();
    return [...left, ...before, ...(await trackMany(page, 10, "after"))];
  });
  await expectRows(uids.filter((uid) => uid.startsWith("after")));
  await setClockAhead(context, OLD_MS);
  await page.goto(`${shop}/later`);
  await expectRows(uids);
});
