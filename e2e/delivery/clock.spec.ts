import { test, track, trackMany } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";

/* A clock that is set while events wait. */

const DAY_MS = 86_400_000;

test.describe("the clock is set", () => {
  test("back a day between two pages, while events wait", async ({ clock, page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ status: 503, retryAfter: 60 });
    await track(page, "first");
    await waitForBackOff(page);
    const today = ["first", ...(await trackMany(page, 10, "today"))];
    await clock.shift(-DAY_MS);
    // Before anything is sent on the clock set back: another Retry-After would hold.
    await gateway.heal();
    await page.goto(`${site.url}/next`);
    const yesterday = await trackMany(page, 5, "yesterday");
    await expectRows([...today, ...yesterday]);
  });

  test("back a day in an open page, while events wait", async ({ clock, page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail("reset");
    const today = await trackMany(page, 10, "today");
    await gateway.waitForPosts(5);
    await clock.shift(-DAY_MS);
    const yesterday = await trackMany(page, 5, "yesterday");
    await gateway.heal();
    await expectRows([...today, ...yesterday]);
  });

  test("back a day in an open page, with requests in flight", async ({ clock, page, site, gateway, expectRows }) => {
    await page.goto(site.url);
    await gateway.fail({ connection: "pass", delayMs: 2_000 });
    const today = await trackMany(page, 6, "today");
    await gateway.waitForPosts(4);
    await clock.shift(-DAY_MS);
    await track(page, "yesterday");
    await expectRows([...today, "yesterday"]);
  });

  test("back to the right time after a visit in the future", async ({ clock, page, site, gateway, expectRows }) => {
    await clock.shift(DAY_MS);
    await page.goto(site.url);
    await gateway.fail("reset");
    const tomorrow = await trackMany(page, 10, "tomorrow");
    await waitForBackOff(page);
    await clock.shift(0);
    await page.goto(`${site.url}/next`);
    const now = await trackMany(page, 5, "now");
    await gateway.heal();
    await expectRows([...tomorrow, ...now]);
  });
});
