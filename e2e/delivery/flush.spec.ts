import type { Page } from "playwright/test";
import { controlClock } from "../harness/clock.js";
import { untilReleased } from "../harness/fault.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open } from "../harness/install.js";

/* The verdict of `flush()`: what it counts is what the service stored, and it never keeps its caller waiting in vain. */

interface Verdict {
  delivered: number;
  queued: number;
  dropped: number;
}

/** Longer than a test may take: whoever waits for it fails. */
const FOREVER_MS = 3_600_000;
/** The longest time that a service may ask for. */
const HOUR_S = 3_600;
/** Beyond that hour, and beyond what each tab adds to it. */
const LATER_MS = (HOUR_S + 1) * 1_000;

/** Tracks these events and flushes in the same task, so that the verdict covers them all. */
const trackAndFlush = (page: Page, uids: string[], timeoutMs?: number): Promise<Verdict> =>
  page.evaluate(
    ([names, limit]) => {
      const { tracklet } = window;
      for (const uid of names) tracklet.track(uid);
      return tracklet.flush(limit === undefined ? undefined : { timeoutMs: limit });
    },
    [uids, timeoutMs] as const,
  );

const flush = (page: Page, timeoutMs?: number) => trackAndFlush(page, [], timeoutMs);

/** Sets the page's clock ahead and flushes in the same task, so that no timer of the snippet comes in between. */
const flushLater = (page: Page, offset: number): Promise<Verdict> =>
  page.evaluate((ahead) => {
    window.clockOffset = ahead;
    return window.tracklet.flush({ timeoutMs: 3_600_000 });
  }, offset);

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `event-${index + 1}`);

test("flush: everything is stored when it resolves", { tag: "@core" }, async ({ page, site, rows, expectRows }) => {
  await open(page, site.url);
  expect(await trackAndFlush(page, names(50), FOREVER_MS)).toEqual({ delivered: 50, queued: 0, dropped: 0 });
  expect(await rows()).toHaveLength(50);
  expect(await flush(page), "nothing left to do").toEqual({ delivered: 0, queued: 0, dropped: 0 });
  await expectRows(names(50));
});

test("flush: an event refused among good ones counts as dropped", async ({ page, site, gateway, rows, expectRows }) => {
  await gateway.fail(({ event }) => (event?.event_uid === "event-1" ? { status: 400 } : "pass"));
  await open(page, site.url);
  expect(await trackAndFlush(page, names(20), FOREVER_MS)).toEqual({ delivered: 19, queued: 0, dropped: 1 });
  expect(await rows()).toHaveLength(19);
  await expectRows(names(20).slice(1));
});

test("flush: what an earlier page has left is counted, too", async ({ context, page, site, gateway, expectRows }) => {
  await controlClock(context);
  await open(page, site.url);
  await gateway.fail({ status: 503, retryAfter: HOUR_S });
  const uids = await trackMany(page, 10);
  await gateway.waitForPosts(1);
  await gateway.quiet();
  await open(page, `${site.url}/next`);
  await gateway.heal();
  expect(await flushLater(page, LATER_MS)).toEqual({ delivered: 10, queued: 0, dropped: 0 });
  await expectRows(uids);
});

const stops = [
  { what: "a refused token", fault: { status: 401 } },
  { what: "a service that asks for an hour", fault: { status: 503, retryAfter: HOUR_S } },
  { what: "a service that fails", fault: { status: 500 } },
  { what: "a service that is down", fault: "reset" },
] as const;
for (const { what, fault } of stops)
  test(`flush: returns before its time after ${what}`, async ({ page, site, gateway, expectRows }) => {
    await gateway.fail(fault);
    await open(page, site.url);
    const first = await trackAndFlush(page, names(12), FOREVER_MS);
    expect(first).toEqual({ delivered: 0, queued: 12, dropped: 0 });
    expect(await flush(page, FOREVER_MS)).toEqual({ delivered: 0, queued: 12, dropped: 0 });
    expect(gateway.posts().every(({ serviceStatus }) => serviceStatus === undefined)).toBe(true);
    await expectRows([]);
  });

test("flush: returns in its time when the service hangs", async ({ page, site, gateway }) => {
  await gateway.fail("hang");
  await open(page, site.url);
  expect(await trackAndFlush(page, names(10), 500)).toEqual({ delivered: 0, queued: 10, dropped: 0 });
  expect(await flush(page, 0)).toEqual({ delivered: 0, queued: 10, dropped: 0 });
  // The requests were not given up for it.
  expect(await gateway.waitForPosts(4)).toHaveLength(4);
  expect(gateway.posts().every(({ ended }) => !ended)).toBe(true);
});

test("flush: events without a contact wait, and it does not", async ({ page, site, gateway, contact, expectRows }) => {
  site.page("/", site.html({ identify: false }));
  await open(page, site.url);
  expect(await trackAndFlush(page, names(3), FOREVER_MS)).toEqual({ delivered: 0, queued: 3, dropped: 0 });
  expect(gateway.requests).toEqual([]);
  await page.evaluate((uid) => {
    const { tracklet } = window;
    tracklet.identify(uid);
  }, contact);
  await expectRows(names(3));
  expect(await flush(page)).toEqual({ delivered: 0, queued: 0, dropped: 0 });
});

test("flush: brings the next attempt forward", async ({ context, page, site, gateway, expectRows }) => {
  await controlClock(context);
  await gateway.fail({ status: 401 });
  await open(page, site.url);
  expect(await trackAndFlush(page, names(6), FOREVER_MS)).toEqual({ delivered: 0, queued: 6, dropped: 0 });
  await gateway.heal();
  // Far less than the pause.
  expect(await flushLater(page, 10_000)).toEqual({ delivered: 6, queued: 0, dropped: 0 });
  await track(page, "after");
  await expectRows([...names(6), "after"]);
});

test("flush: events that a log-out drops meanwhile count as dropped", async ({ page, site, gateway, expectRows }) => {
  const { until, release } = untilReleased();
  await gateway.fail({ connection: "pass", until });
  await open(page, site.url);
  const verdict = page.evaluate(() => {
    const { tracklet } = window as unknown as {
      tracklet: {
        track: (uid: string) => void;
        reset: () => void;
        flush: (options: { timeoutMs: number }) => Promise<Verdict>;
      };
    };
    tracklet.track("known");
    tracklet.reset();
    for (const uid of ["nobody-1", "nobody-2", "nobody-3"]) tracklet.track(uid);
    const flushed = tracklet.flush({ timeoutMs: 3_600_000 });
    tracklet.reset();
    return flushed;
  });
  await gateway.waitForPosts(1);
  release();
  expect(await verdict).toEqual({ delivered: 1, queued: 0, dropped: 3 });
  await expectRows(["known"]);
});
