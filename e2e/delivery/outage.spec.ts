import { expect, test, trackMany } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";

/* A service that cannot be reached, over the end of the browser. */

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
