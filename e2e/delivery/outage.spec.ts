import { expect, test, trackMany, waitFor } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { lasting, waitForBackOff } from "../harness/outage.js";
import { runAndGo } from "../harness/tab.js";
import { trackCalls } from "../harness/track.js";

/* A service that cannot be reached: over pages, over the end of the browser, and where the browser itself is offline. */

const DOWN_MS = 10_000;
/** One request before anything is known, then a probe at a time: of those, more fit into 10 s once in a million runs. */
const ATTEMPTS = 1 + 10;

test("The service refuses connections for 10 s over two page loads", async ({ page, site, gateway, expectRows }) => {
  // What is refused never reaches the proxy: the browser counts.
  let failures = 0;
  page.on("requestfailed", (request) => {
    if (request.method() === "POST") failures++;
  });
  const uids = await gateway.during("refuse", async () => {
    const over = lasting(DOWN_MS);
    await page.goto(site.url);
    const first = await trackMany(page, 20, "first-page");
    await waitForBackOff(page);
    await page.goto(`${site.url}/second`);
    const second = await trackMany(page, 20, "second-page");
    await over;
    return [...first, ...second];
  });
  expect(failures, "attempts while down").toBeLessThanOrEqual(ATTEMPTS);
  // Nobody does anything: the back-off runs out by itself, after as long again as the service was down, or some more.
  await expectRows(uids, { timeoutMs: 150_000 });
  expect(gateway.posts()).toHaveLength(uids.length);
});

test("In an outage the browser is closed, and started again on the same profile: the next visit delivers all", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const before = await launch();
  const uids = await gateway.during("refuse", async () => {
    await before.page.goto(site.url);
    const tracked = await trackMany(before.page, 30);
    await waitForBackOff(before.page);
    await before.close();
    return tracked;
  });
  const after = await launch({ profile: before.profile });
  await after.page.goto(site.url);
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});

test("The browser is offline, and the page left meanwhile: the next visit delivers", async ({
  page,
  context,
  site,
  gateway,
  expectRows,
}) => {
  await open(page, site.url);
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
