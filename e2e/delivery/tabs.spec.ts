import type { Page } from "playwright/test";
import { visitLast } from "../harness/exits.js";
import { expect, test, trackMany } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { names } from "../harness/track.js";

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

test("three of five tabs are closed in an outage: a later page sends for them", async ({
  context,
  site,
  gateway,
  expectRows,
}) => {
  const tabs = await openTabs(() => context.newPage(), 5, site.url);
  const uids = await gateway.during("refuse", async () => {
    const tracked = await trackWhileDown(tabs);
    for (const tab of tabs.slice(2)) await tab.close();
    return tracked;
  });
  const page = await context.newPage();
  uids.push(await visitLast({ page, site }));
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
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
  const last = await visitLast({ page: other, site });
  isOver = true;
  await task;
  await expectRows([...names("event", 10), last]);
  expect(gateway.posts(), "one request an event").toHaveLength(11);
});

test("a renderer is killed with 30 events queued: an open tab delivers them", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const { context, page, killRenderer, rendererPid } = await launch();
  const other = await context.newPage();
  await Promise.all([page.goto(site.url), other.goto(site.url)]);
  expect(await rendererPid(page), "each tab has a process of its own").not.toBe(await rendererPid(other));
  await gateway.fail("hang");
  const uids = await trackMany(page, 30);
  // Some are under way when the process ends: nothing tells whether they have arrived, so they are sent again.
  await gateway.waitForPosts(1);
  await killRenderer(page);
  await gateway.heal();
  await expectRows(uids);
});

test("a tab's renderer is killed in the task that queues 30 events: a tab that is opened later delivers them", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const { context, page, rendererPid } = await launch();
  await page.goto(site.url);
  const pid = await rendererPid(page);
  const [tracked, crashed] = [page.waitForEvent("console"), page.waitForEvent("crash")];
  const uids = names("event", 30);
  const task = page.evaluate((names) => {
    const { tracklet } = window;
    for (const uid of names) tracklet.push(["track", uid]);
    console.log("tracked");
    // The task does not end before its process does, so nothing has been sent.
    for (;;);
  }, uids);
  task.catch(() => {});
  await tracked;
  process.kill(pid, "SIGKILL");
  await crashed;
  const later = await context.newPage();
  await later.goto(site.url);
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
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
      await tab.waitForTimeout((index * RELOAD_MS) / TABS);
      await tab.goto(`${site.url}/busy`);
      while (performance.now() - begin < DOWN_MS) {
        const due = performance.now() + RELOAD_MS;
        await tab.reload();
        await tab.waitForTimeout(Math.max(0, due - performance.now()));
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
