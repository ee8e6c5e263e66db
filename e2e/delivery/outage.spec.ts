import { expect, test, trackMany, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { runAndGo } from "../harness/tab.js";
import { trackCalls } from "../harness/track.js";

/* A service that cannot be reached: over the end of the browser, and where the browser is offline. */

// The service drops repeats of stamped events: of others it shows them.
test.beforeEach(({ site }) => site.configure({ stamp: false }));

test("What waits when the browser is closed in an outage is delivered by the next visit on the same profile", async ({
  playwright,
  launchOptions,
  guard,
  site,
  gateway,
  expectRows,
}, info) => {
  const launch = async () => {
    const browser = await playwright.chromium.launchPersistentContext(info.outputPath("profile"), launchOptions);
    guard.watch(browser);
    return browser;
  };
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
  const after = await launch();
  await (await after.newPage()).goto(site.url);
  await expectRows(uids);
  await after.close();
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
