import type { Page, Request } from "playwright/test";
import type { Fault } from "../harness/fault.js";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { trackAndLeave } from "../harness/leave.js";
import { drawLongest, isBackedOff } from "../harness/outage.js";
import type { FaultProxy } from "../harness/proxy.js";
import { names } from "../harness/track.js";

/* Events that a healthy service can never take: the others go past them. */

/** How long such an event may delay the others, and how long several may that hang until the time-out. */
const ONE_MS = 5_000;
const HANGING_MS = 20_000;
/** An event that is accepted again has arrived after this time, while the site is visited. */
const AGAIN_MS = 20_000;
/** What a busy machine may take for pages, preflights and requests beside that. */
const SLACK_MS = 1_500;
/** A page load brings a probe forward once in 8 s. */
const NEXT_VISIT_MS = 10_000;

const isAccepted = (gateway: FaultProxy, uid: string): boolean =>
  gateway.posts(uid).some(({ status }) => status === 200);

/** To be called right after they were tracked. */
const expectWithin = async (gateway: FaultProxy, uids: readonly string[], limitMs: number): Promise<void> => {
  const missing = () => uids.filter((uid) => !isAccepted(gateway, uid));
  const timeoutMs = limitMs + SLACK_MS;
  await waitFor(() => missing().length === 0, { timeoutMs }).catch(() => {});
  expect(missing(), `events that have not arrived within ${limitMs} ms`).toEqual([]);
};

/** These meet the fault whenever they come; the service is well. */
const poison = (gateway: FaultProxy, uids: readonly string[], fault: Fault): Promise<void> =>
  gateway.fail(({ event }) => (uids.includes(event?.event_uid ?? "") ? fault : "pass"));

/** Waits until this event has failed so often, and its page has had the chance to learn of it. */
const waitForFailures = async (page: Page, gateway: FaultProxy, uid: string, count: number): Promise<void> => {
  await gateway.waitForPosts(count, uid);
  await gateway.waitFor(() => gateway.posts(uid)[count - 1]!.ended, { what: `failure ${count} of ${uid}` });
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
};

for (const { what, earlier, bad, fault, limitMs } of [
  {
    what: "One event that meets a 500, the first of the page",
    earlier: 0,
    bad: 1,
    fault: { status: 500 },
    limitMs: ONE_MS,
  },
  { what: "One event whose connection is cut", earlier: 7, bad: 1, fault: "reset", limitMs: ONE_MS },
  { what: "Six events that meet a 500", earlier: 7, bad: 6, fault: { status: 500 }, limitMs: ONE_MS },
  { what: "Six events that hang", earlier: 7, bad: 6, fault: "hang", limitMs: HANGING_MS },
] as const)
  test(`${what}, whenever tried: the others of twenty arrive`, async ({ page, site, gateway, expectRows }) => {
    await poison(gateway, names("bad", bad), fault);
    await open(page, site.url);
    const first = await trackMany(page, earlier, "earlier");
    await expectRows(first);
    await trackMany(page, bad, "bad");
    await gateway.waitForPosts(1, "bad-1");
    const later = await trackMany(page, 20 - earlier - bad, "later");
    await expectWithin(gateway, later, limitMs);
    await expectRows([...first, ...later]);
  });

test("An event that one page could not send does not stop the next page's", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  await poison(gateway, ["bad"], { status: 500 });
  await open(page, site.url);
  await track(page, "bad");
  await waitForFailures(page, gateway, "bad", 1);
  await page.goto(`${site.url}/next`);
  const good = await trackMany(page, 10);
  await expectWithin(gateway, good, ONE_MS);
  await expectRows(good);
});

test("An event that meets a 500, before others that an outage has failed as well: these arrive", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  await open(page, site.url);
  await gateway.fail({ status: 503 });
  await trackMany(page, 1, "bad");
  const others = await trackMany(page, 3, "other");
  for (const uid of ["bad-1", ...others]) await waitForFailures(page, gateway, uid, 1);
  await poison(gateway, ["bad-1"], { status: 500 });
  await expectWithin(gateway, others, HANGING_MS);
  await expectRows(others);
});

test("An event that one tab cannot send stops no other's", async ({ context, page, site, gateway, expectRows }) => {
  // 1, 2, 4 and then 8 s.
  await drawLongest(context);
  const other = await context.newPage();
  await poison(gateway, ["bad"], { status: 500 });
  await Promise.all([open(page, site.url), open(other, site.url)]);
  await track(other, "bad");
  await waitForFailures(other, gateway, "bad", 4);
  const good = await trackMany(page, 10);
  await expectWithin(gateway, good, ONE_MS);
  await expectRows(good);
});

for (const status of [500, 400])
  test(`An event goes at once where the only one queued meets a ${status}`, async ({
    clock,
    page,
    site,
    gateway,
    expectRows,
  }) => {
    await poison(gateway, ["bad"], { status });
    await open(page, site.url);
    await track(page, "bad");
    await waitForFailures(page, gateway, "bad", 1);
    // On the next page, and on the one after it: without a success its back-off grows.
    for (const visit of [1, 2]) {
      await clock.shift(visit * NEXT_VISIT_MS);
      await open(page, `${site.url}/visit-${visit}`);
      await waitForFailures(page, gateway, "bad", visit + 1);
    }
    await track(page, "first");
    await expectWithin(gateway, ["first"], ONE_MS);
    await expectRows(["first"]);
  });

test("Twenty pages are visited and left beside an event that meets a 500: nothing is stored twice", {
  tag: "@slow",
}, async ({ page, site, gateway, expectRows }) => {
  await poison(gateway, ["bad"], { status: 500 });
  await open(page, site.url);
  await track(page, "bad");
  await waitForFailures(page, gateway, "bad", 1);
  const uids: string[] = [];
  for (let visit = 1; visit <= 20; visit++) {
    // Until the page knows that the service is well, and the bad event alone at fault: it failed after a view had succeeded.
    do {
      const view = `view-${uids.length}`;
      uids.push(view);
      // The page knows of the answer when it is left, so that only the click is in flight.
      const isView = (request: Request) => request.postDataJSON()?.event_uid === view;
      const answered = page.waitForEvent("requestfinished", { predicate: isView, timeout: AGAIN_MS });
      await track(page, view);
      await answered;
      await waitForFailures(page, gateway, "bad", gateway.posts("bad").length + 1);
    } while (await isBackedOff(page));
    const click = `click-${visit}`;
    uids.push(click);
    const arrived = page.waitForURL(`${site.url}/page-${visit}`);
    await trackAndLeave(page, [click], `location.assign("/page-${visit}")`);
    await arrived;
  }
  await track(page, "last");
  await expectRows([...uids, "last"]);
});

test("An event that is taken at last arrives soon, though passed by others", async ({
  page,
  site,
  gateway,
  expectRows,
}) => {
  await poison(gateway, ["bad"], { status: 500 });
  await open(page, site.url);
  await track(page, "bad");
  await waitForFailures(page, gateway, "bad", 1);
  const good = await trackMany(page, 5);
  await expectWithin(gateway, good, ONE_MS);
  // It goes on being tried, by itself.
  await waitForFailures(page, gateway, "bad", 3);
  await gateway.heal();
  await page.goto(`${site.url}/next`);
  await expectWithin(gateway, ["bad"], AGAIN_MS);
  await expectRows(["bad", ...good]);
});

test("An event that meets a 500 in one tab, and a minute of others in another tab: few attempts", {
  tag: "@slow",
}, async ({ context, page, site, gateway, expectRows }) => {
  const other = await context.newPage();
  await poison(gateway, ["bad"], { status: 500 });
  await Promise.all([open(page, site.url), open(other, site.url)]);
  await track(other, "bad");
  await page.evaluate(() => {
    const { tracklet } = window as unknown as { tracklet: { track: (uid: string) => void } };
    let count = 0;
    const interval = setInterval(() => {
      tracklet.track(`event-${++count}`);
      if (count === 60) clearInterval(interval);
    }, 1_000);
  });
  await gateway.waitFor(() => isAccepted(gateway, "event-60"), { what: "the last event", timeoutMs: 90_000 });
  expect(gateway.posts("bad").length, "attempts in a minute").toBeLessThanOrEqual(15);
  await expectRows(names("event", 60));
});

test("Every second request meets a 429 with Retry-After: it is obeyed", async ({ page, site, gateway, expectRows }) => {
  // In the page, where it is certain which request began after an answer was known.
  await page.addInitScript(() => {
    const log = { begun: [] as number[], told: [] as number[] };
    Object.assign(window, { log });
    const { fetch } = window;
    window.fetch = async (...args) => {
      log.begun.push(performance.now());
      const response = await fetch(...args);
      const text = response.text.bind(response);
      // The snippet knows of an answer once it has read it.
      response.text = async () => {
        const body = await text();
        if (response.status === 429) log.told.push(performance.now());
        return body;
      };
      return response;
    };
  });
  let count = 0;
  await gateway.fail(({ method }) =>
    method === "POST" && ++count % 2 === 0 ? { status: 429, retryAfter: 1 } : "pass",
  );
  await open(page, site.url);
  await expectRows(await trackMany(page, 12));
  const { begun, told } = await page.evaluate(
    () => (window as unknown as { log: { begun: number[]; told: number[] } }).log,
  );
  expect(told.length).toBeGreaterThan(1);
  // A page's clock counts in whole milliseconds, so it may be early by one.
  const early = told.flatMap((at) => begun.filter((start) => start > at && start < at + 999));
  expect(early, "requests begun before the time told").toEqual([]);
});
