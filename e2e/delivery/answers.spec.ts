import type { Page } from "playwright/test";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { open, run } from "../harness/install.js";
import { problems } from "../harness/module.js";
import type { RecordedRequest } from "../harness/recorded.js";
import { names } from "../harness/track.js";

/* Answers of the real service, or of what stands before it. What each of them means is held by the simulation. */

/** A page load brings a probe forward once in 8 s. */
const NEXT_VISIT_MS = 10_000;
/** Several events that hang may delay the others for so long; the rest is what a busy machine takes. */
const PASSED_MS = 20_000 + 1_500;

const tokenOf = ({ url }: RecordedRequest) => new URL(url, "http://service").searchParams.get("api_token");

test("The answer is lost after the service has stored the event: it is sent again with the same stamp, stored once", {
  tag: "@core",
}, async ({ page, site, gateway, expectRows }) => {
  let left = 6;
  await gateway.fail(({ method }) => (method === "POST" && left-- > 0 ? "store-then-cut" : "pass"));
  site.configure({ stamp: true });
  await page.goto(site.url);
  const before = Date.now();
  const rows = await expectRows(await trackMany(page, 20));
  expect(new Set(rows.map(({ params }) => params.event_id)).size).toBe(20);
  for (const { params } of rows) {
    expect(params.event_id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(params.occurred_at).toBeGreaterThanOrEqual(before);
    expect(params.occurred_at).toBeLessThanOrEqual(Date.now());
  }
  const cut = gateway.posts().filter(({ serviceStatus, status }) => serviceStatus === 200 && status === undefined);
  expect(cut, "answers lost").toHaveLength(6);
  for (const { event, body } of cut)
    expect(new Set(gateway.posts(event!.event_uid).map((attempt) => attempt.body))).toEqual(new Set([body]));
});

for (const { what, status, wrong } of [
  { what: "a token that the service answers with 401", status: 401, wrong: { apiToken: "wrong-token" } },
  { what: "a URL that the service answers with 404", status: 404, wrong: { path: "/wrong" } },
  { what: "a token that the service answers with 400", status: 400, wrong: { apiToken: "empty-token" } },
])
  test(`The tag has ${what}: nothing is lost once it is corrected`, async ({
    clock,
    page,
    site,
    gateway,
    app,
    expectRows,
  }) => {
    const { path = "", ...rest } = wrong as { path?: string; apiToken?: string };
    await gateway.fail((request) => (tokenOf(request) === "empty-token" ? { status: 400 } : "pass"));
    app({ ...rest, trackUrl: gateway.url + path });
    await page.goto(site.url);
    // All that are queued, so that eight refusals need not be waited for.
    const uids = await trackMany(page, 3);
    await expect.poll(() => problems(page)).toEqual([{ code: "paused", detail: `status ${status}` }]);
    await gateway.quiet();
    expect(gateway.posts().length, "requests until the pause").toBeLessThanOrEqual(3);
    await clock.shift(NEXT_VISIT_MS);
    app();
    await page.reload();
    await track(page, "corrected");
    await expectRows([...uids, "corrected"]);
  });

for (const { what, status, params } of [
  { what: "being too large", status: 413, params: `{ text: "x".repeat(300_000) }` },
  { what: "being nested too deep", status: 400, params: `JSON.parse('{"a":'.repeat(1_000) + 1 + "}".repeat(1_000))` },
])
  test(`The service refuses one event for ${what}: it is dropped and reported, the others arrive`, async ({
    page,
    site,
    gateway,
    app,
    expectRows,
  }) => {
    app();
    await open(page, site.url);
    const good = names("good", 10);
    await run(page, `tracklet.track("bad", ${params}); for (const uid of ${JSON.stringify(good)}) tracklet.track(uid)`);
    await expectRows(good);
    // The event itself is more than a driver can bring here.
    const told = () => page.evaluate("problems.map(({ code, detail, event }) => [code, detail, event.event_uid])");
    await expect.poll(told).toEqual([["rejected", `status ${status}`, "bad"]]);
    for (const { serviceStatus } of gateway.posts("bad")) expect(serviceStatus).toBe(status);
  });

test("Six events hang whenever they are tried: the others of twenty arrive", async ({ page, site, gateway }) => {
  const bad = names("bad", 6);
  await gateway.fail(({ event }) => (bad.includes(event?.event_uid ?? "") ? "hang" : "pass"));
  await open(page, site.url);
  await trackMany(page, 7, "earlier");
  await trackMany(page, 6, "bad");
  await gateway.waitForPosts(1, "bad-1");
  const later = await trackMany(page, 7, "later");
  const missing = () => later.filter((uid) => !gateway.posts(uid).some(({ status }) => status === 200));
  await waitFor(() => missing().length === 0, { what: "the others", timeoutMs: PASSED_MS });
});

/** Tracks these events and flushes in the same task, so that the verdict covers them all. */
const trackAndFlush = (page: Page, uids: string[], timeoutMs: number): Promise<unknown> =>
  page.evaluate(
    ([all, limit]) => {
      for (const uid of all) window.tracklet.track(uid);
      return window.tracklet.flush({ timeoutMs: limit });
    },
    [uids, timeoutMs] as const,
  );

test("When flush resolves, everything is stored", { tag: "@core" }, async ({ page, site, rows, expectRows }) => {
  await open(page, site.url);
  expect(await trackAndFlush(page, names("event", 50), 3_600_000)).toEqual({ delivered: 50, queued: 0, dropped: 0 });
  expect(await rows()).toHaveLength(50);
  await expectRows(50);
});

test("flush resolves in its time when the service hangs", async ({ page, site, gateway }) => {
  await gateway.fail("hang");
  await open(page, site.url);
  expect(await trackAndFlush(page, names("event", 10), 500)).toEqual({ delivered: 0, queued: 10, dropped: 0 });
  // The request was not given up for it.
  await gateway.waitForPosts(1);
  expect(gateway.posts().every(({ ended }) => !ended)).toBe(true);
});
