import type { Page } from "playwright/test";
import { expect, test, track, trackMany, visitLast, waitFor } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { lasting, waitForBackOff } from "../harness/outage.js";
import { killPage } from "../harness/tab.js";
import { names, trackCalls } from "../harness/track.js";

/* Delivery with several tabs of one site, which share one storage and one back-off. */

const openTabs = async (open: () => Promise<Page>, count: number, url: string): Promise<Page[]> => {
  const tabs = await Promise.all(Array.from({ length: count }, open));
  await Promise.all(tabs.map((tab) => tab.goto(url)));
  return tabs;
};

/** 40 events in each tab, and every tab knows that the service is down. */
const trackWhileDown = async (tabs: readonly Page[]): Promise<string[]> => {
  const uids = await Promise.all(tabs.map((tab, index) => trackMany(tab, 40, `tab-${index + 1}`)));
  await Promise.all(tabs.map(waitForBackOff));
  return uids.flat();
};

test("five tabs track 40 events each in an outage: each comes once", async ({ context, site, gateway, expectRows }) => {
  const tabs = await openTabs(() => context.newPage(), 5, site.url);
  const uids = await gateway.during("refuse", () => trackWhileDown(tabs));
  await expectRows(uids);
  expect(gateway.posts(), "one request an event, none sent by two tabs").toHaveLength(uids.length);
});

test("all five tabs reload at the same time in an outage", async ({ context, site, gateway, expectRows }) => {
  const tabs = await openTabs(() => context.newPage(), 5, site.url);
  const uids = await gateway.during("refuse", async () => {
    const tracked = await trackWhileDown(tabs);
    await Promise.all(tabs.map((tab) => tab.reload()));
    return tracked;
  });
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});

test("a tab is opened while the task of another one that has just tracked goes on: each event comes once", async ({
  context,
  site,
  gateway,
  expectRows,
}) => {
  const [busy, other] = [await context.newPage(), await context.newPage()];
  let isOver = false;
  site.page("/is-over.txt", () => String(isOver));
  await busy.goto(site.url);
  const tracked = busy.waitForEvent("console");
  const task = busy.evaluate(() => {
    const { tracklet } = window;
    for (let i = 1; i <= 10; i++) tracklet.push(["track", `event-${i}`]);
    console.log("tracked");
    // A request that blocks: the task ends when the test says so.
    const request = new XMLHttpRequest();
    do {
      request.open("GET", "/is-over.txt", false);
      request.send();
    } while (request.responseText !== "true");
  });
  await tracked;
  const last = await visitLast(other, site);
  isOver = true;
  await task;
  await expectRows([...names("event", 10), last]);
  expect(gateway.posts(), "one request an event").toHaveLength(11);
});

test("A tab is killed in the task that tracks 30 events: a tab that is opened later delivers them", async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  await open(page, site.url);
  const uids = names("event", 30);
  // The task does not end before its process does, so nothing has been sent.
  await killPage(page, trackCalls(uids));
  await open(await context.newPage(), site.url);
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});

/** Moves the clock of all pages on by so much, from timer to timer; it stands still then. */
const letPass = async (page: Page, spanMs: number): Promise<void> => {
  const jumpMs = 1_000;
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + jumpMs);
  await page.clock.runFor(spanMs - jumpMs);
};

const MINUTE_MS = 60_000;

test("Tabs are closed within the second of tracking, and the browser cuts off what they do at pagehide: nothing is stored twice", async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  // Firefox does so to a third of all tabs that are closed; here it is a listener that comes before all others.
  site.page(
    "/closing",
    site.html({ head: `<script>addEventListener("pagehide", (e) => e.stopImmediatePropagation(), true)</script>` }),
  );
  await page.clock.install({ time: Date.now() });
  await open(page, site.url);
  await gateway.fail({ connection: "pass", delayMs: 300 });
  const uids: string[] = [];
  for (let tab = 1; tab <= 10; tab++) {
    const closing = await open(await context.newPage(), `${site.url}/closing`);
    uids.push(...(await trackMany(closing, 8, `tab-${tab}`)));
    await closing.close({ runBeforeUnload: true });
  }
  await waitFor(() => context.pages().length === 1, { what: "the tabs to be closed" });
  await expectRows(uids);
  await track(page, "here");
  await expectRows([...uids, "here"]);
  await letPass(page, MINUTE_MS);
  await page.clock.resume();
  await track(page, "later");
  await expectRows([...uids, "here", "later"]);
});

/*
 * How many requests 20 tabs may make of a service that is down. Each page load tracks an event and is a reason to ask
 * soon.
 *
 * - Before the first failure is known, each tab may have begun a request for the event of its page: 20.
 * - From then on one request at a time asks for all tabs, after a random part of 1, 2, 4, 8 … s (at most 5 min), which
 *   page loads shorten to 8 s. With n failures behind it, a wait is shorter than 8 s only with a chance of 8 / 2^n: in a
 *   million simulated minutes there were never more than 9 such. The others take 8 s each.
 */
const TABS = 20;
const DOWN_MS = 60_000;
const RELOAD_MS = 5_000;
const SHORT_WAITS = 9;
const boundOf = (downMs: number): number => TABS + SHORT_WAITS + Math.ceil(downMs / 8_000);

test("the service is down for 60 s while 20 tabs reload every 5 s: few requests, and every event comes once", async ({
  context,
  site,
  gateway,
  expectRows,
}) => {
  const uids: string[] = [];
  // Each load is another event: its name is given by the server that serves the page.
  site.page("/busy", () => {
    uids.push(`load-${uids.length + 1}`);
    return site.html({ body: `<script>tracklet.push(["track", "${uids.at(-1)}"])</script>` });
  });
  const tabs = await openTabs(() => context.newPage(), TABS, site.url);

  // Preflights are answered, so that both of an attempt's requests are seen.
  await gateway.fail("reset");
  const begin = performance.now();
  await Promise.all(
    tabs.map(async (tab, index) => {
      await lasting((index * RELOAD_MS) / TABS);
      await tab.goto(`${site.url}/busy`);
      while (performance.now() - begin < DOWN_MS) {
        const due = performance.now() + RELOAD_MS;
        await tab.reload();
        await lasting(Math.max(0, due - performance.now()));
      }
    }),
  );
  const bound = boundOf(performance.now() - begin);
  const count = (method: string) => gateway.requests.filter((request) => request.method === method).length;
  const [preflights, posts] = [count("OPTIONS"), count("POST")];
  test.info().annotations.push({ type: "requests", description: `${preflights} OPTIONS, ${posts} POST of ${bound}` });
  expect(posts, "POSTs while down").toBeLessThanOrEqual(bound);
  expect(preflights, "preflights while down").toBeLessThanOrEqual(bound);
  expect(posts, "attempts are made at all").toBeGreaterThan(1);

  await gateway.heal();
  // A page load is a reason not to wait for the rest of the back-off. Not of a tab that may be sending at this moment:
  // what is in flight while a page is left and the service has just failed may be stored twice.
  await (await context.newPage()).goto(site.url);
  await expectRows(uids);
  expect(
    gateway.posts().filter(({ forwarded }) => forwarded),
    "one request an event",
  ).toHaveLength(uids.length);
});
