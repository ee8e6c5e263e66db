import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { trackAndLeave } from "../harness/leave.js";
import { countFailures, outliveBackOff, slowClock, visitFor, waitForBackOff } from "../harness/outage.js";
import type { FaultProxy } from "../harness/proxy.js";
import type { RecordedRequest } from "../harness/recorded.js";

/* Delivery while the service cannot be reached, does not answer, or asks for patience. */

/** Requests in flight at once while the service is believed to be well. */
const WAVE = 4;
/** A page load, coming online and the like bring the next attempt forward, to this time after the last one. */
const PROBE_MS = 9_000;

test("The service refuses connections for 10 s over two page loads", async ({ page, site, gateway, expectRows }) => {
  // What is refused never reaches the proxy: the browser counts.
  const failures = countFailures(page);
  await gateway.fail("refuse");
  const downFor = sleep(10_000);
  await page.goto(site.url);
  const uids = await trackMany(page, 20, "first-page");
  await waitForBackOff(page);
  await page.goto(`${site.url}/second`);
  uids.push(...(await trackMany(page, 20, "second-page")));
  await downFor;
  // One wave before anything is known, then one probe at a time: with delays of 1, 2, 4 … s, each drawn from 0 on, ten
  // or more of them do not fit in 10 s but once in a million runs.
  expect(failures(), "attempts while down").toBeLessThanOrEqual(WAVE + 10);
  await gateway.heal();

  // Nobody does anything: the back-off runs out by itself, after as long again as the service was down, or some more.
  await expectRows(uids, { timeoutMs: 150_000 });
  expect(gateway.posts()).toHaveLength(uids.length);
});

test.describe("Down, the browser is closed, and started again on the same profile", () => {
  test("The next visit delivers all, in one request an event", async ({ site, gateway, launch, expectRows }) => {
    const before = await launch();
    await gateway.fail("refuse");
    await before.page.goto(site.url);
    const uids = await trackMany(before.page, 30);
    await waitForBackOff(before.page);
    await before.close();
    await gateway.heal();

    const after = await launch({ profile: before.profile });
    await after.page.goto(site.url);
    await expectRows(uids);
    expect(gateway.posts()).toHaveLength(uids.length);
  });

  test("The next visit does not wait for a stored back-off", async ({ site, gateway, launch, expectRows }) => {
    const before = await launch();
    await slowClock(before.page);
    await gateway.fail("reset");
    await before.page.goto(site.url);
    await track(before.page, "first");
    await waitForBackOff(before.page);
    const uids = ["first", ...(await trackMany(before.page, 29))];
    const attempts = 1 + (await outliveBackOff(before.page));
    expect(gateway.posts(), "attempts in an outage of more than eight minutes").toHaveLength(attempts);
    await before.close();
    await gateway.heal();

    const after = await launch({ profile: before.profile });
    await visitFor(after.page, site.url, PROBE_MS);
    await expectRows(uids);
    expect(gateway.posts()).toHaveLength(attempts + uids.length);
  });
});

/** Each of these came after the one before it was answered. */
const expectOneAtATime = (posts: readonly RecordedRequest[]): void => {
  for (const [index, post] of posts.slice(1).entries())
    expect(post.arrivedAt, `request ${index + 2} after answer ${index + 1}`).toBeGreaterThan(posts[index]!.answeredAt!);
};

/** Answers the first `count` POSTs so, the later ones are forwarded. */
const failFirst = (gateway: FaultProxy, count: number, answer: { status: number; retryAfter?: number }) => {
  let left = count;
  return gateway.fail(({ method }) => (method === "POST" && left-- > 0 ? answer : "pass"));
};

const TOLD_S = 2;
/** Told in seconds by the service; a page's clock counts in whole milliseconds, so it may be early by one. */
const TOLD_MS = TOLD_S * 1_000 - 1;

for (const status of [503, 429]) {
  test(`${status} with Retry-After: ${TOLD_S} is obeyed, whatever the page does`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await failFirst(gateway, 3, { status, retryAfter: TOLD_S });
    await page.goto(site.url);
    await track(page, "first");
    await waitForBackOff(page);
    // Each of these is a reason to try at once, were it not for the word of the service.
    const uids = ["first", ...(await trackMany(page, 20))];
    await page.reload();
    uids.push(...(await trackMany(page, 5, "reloaded")));
    await page.evaluate(() => {
      window.dispatchEvent(new Event("online"));
      document.dispatchEvent(new Event("visibilitychange"));
      void window.tracklet.flush();
    });
    await expectRows(uids);

    const posts = gateway.posts();
    expect(posts).toHaveLength(uids.length + 3);
    for (const told of posts.filter((post) => post.status === status)) {
      const since = posts
        .filter(({ arrivedAt }) => arrivedAt > told.arrivedAt)
        .map((p) => p.arrivedAt - told.answeredAt!);
      expect(Math.min(...since), "the first request after the answer").toBeGreaterThanOrEqual(TOLD_MS);
    }
  });

  test(`${status} with Retry-After: ${TOLD_S} to several at once`, async ({ page, site, gateway, expectRows }) => {
    let healthy = false;
    await gateway.fail(({ method }) => (method === "POST" && !healthy ? { status, retryAfter: TOLD_S } : "pass"));
    await page.goto(site.url);
    const uids = await trackMany(page, 20);
    await gateway.waitForPosts(WAVE);
    healthy = true;
    await expectRows(uids);

    const posts = gateway.posts();
    const wave = posts.filter((post) => post.status === status);
    expect(wave).toHaveLength(WAVE);
    const told = Math.max(...wave.map(({ answeredAt }) => answeredAt!));
    expect(posts[WAVE]!.arrivedAt - told).toBeGreaterThanOrEqual(TOLD_MS);
    expect(posts).toHaveLength(uids.length + WAVE);
  });
}

test("503 with a Retry-After that lies in the past: as without one", async ({ page, site, gateway, expectRows }) => {
  await slowClock(page);
  await gateway.fail({ status: 503, retryAfter: -5 });
  await page.goto(site.url);
  await track(page, "first");
  await page.clock.runFor(1);
  await waitForBackOff(page);
  const uids = ["first", ...(await trackMany(page, 19))];
  await page.clock.runFor(1);
  await gateway.waitForPosts(2);
  await gateway.quiet();
  // One event alone has failed, so that another one is tried at once.
  expect(gateway.posts(), "attempts before the clock goes on").toHaveLength(2);
  await gateway.heal();
  await page.clock.resume();
  await expectRows(uids);
});

for (const status of [500, 503, 429])
  test(`${status} without Retry-After: one probe at a time, then all arrive`, async ({
    page,
    site,
    gateway,
    expectRows,
  }) => {
    const refused = WAVE + 2;
    await failFirst(gateway, refused, { status });
    await page.goto(site.url);
    const uids = await trackMany(page, 20);
    await expectRows(uids);

    const posts = gateway.posts();
    expect(posts).toHaveLength(uids.length + refused);
    // A wave, two probes that fail, and the one that does not.
    expectOneAtATime(posts.slice(WAVE - 1, refused + 1));
    for (const uid of uids) expect(gateway.posts(uid).filter((post) => post.status === 200)).toHaveLength(1);
  });

test("Never answered, and the page is left meanwhile", async ({ page, site, gateway, expectRows }) => {
  await gateway.fail("hang");
  await page.goto(site.url);
  const uids = ["left-1", "left-2"];
  await trackAndLeave(page, uids, 'location.assign("/next")');
  await page.waitForURL(`${site.url}/next`);
  await gateway.waitForPosts(2);
  // Two different events that fail: what was in flight may be lost as well.
  uids.push(...(await trackMany(page, 2, "next")));
  await gateway.waitForPosts(1, "next-1");
  await gateway.waitForPosts(1, "next-2");
  await gateway.heal();
  await expectRows(uids);
  expect(gateway.posts()).toHaveLength(2 * uids.length);
});

test("Offline, then online: no back-off is waited for", async ({ page, context, site, gateway, expectRows }) => {
  await slowClock(page);
  const failures = countFailures(page);
  await page.goto(site.url);
  await context.setOffline(true);
  await track(page, "first");
  await waitForBackOff(page);
  const uids = ["first", ...(await trackMany(page, 29))];
  await outliveBackOff(page);
  await context.setOffline(false);
  await page.clock.runFor(PROBE_MS);
  await expectRows(uids);
  expect(gateway.posts()).toHaveLength(uids.length);
  expect(failures(), "attempts while offline").toBe(10);
});

test("Offline, left, then online: the next visit delivers", async ({ page, context, site, gateway, expectRows }) => {
  await slowClock(page);
  await page.goto(site.url);
  await context.setOffline(true);
  await track(page, "first");
  await waitForBackOff(page);
  const uids = ["first", ...(await trackMany(page, 9))];
  // The driver's offline ends with the page: what began at the exit would go out, were there no back-off.
  await outliveBackOff(page);
  await trackAndLeave(page, ["parting"], `location.assign("${site.at("localhost")}")`);
  await waitFor(() => page.url().startsWith("chrome-error:"), { what: "the page to be left" });
  await context.setOffline(false);
  expect(gateway.posts()).toEqual([]);
  await page.goto(site.url);
  await page.clock.runFor(PROBE_MS);
  await expectRows([...uids, "parting"]);
  expect(gateway.posts()).toHaveLength(uids.length + 1);
});
