import type { Page } from "playwright/test";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { waitForBackOff } from "../harness/outage.js";

/* Tabs that are closed or crash while another tab of the site is open. */

/** The events of a crashed tab are sent by an open tab this long after the crash, at most. */
const CRASH_MS = 25_000;
/** An open tab takes over at once what a closed tab has left, and waits for no lease to end, which takes 20 s. */
const TAKE_OVER_MS = 15_000;
/** Longer than any tab takes another one for alive that gives no sign of it. */
const LATER_MS = 60_000;

/** Moves the clock of all pages on by so much, from timer to timer; it stands still then. */
const letPass = async (page: Page, spanMs: number): Promise<void> => {
  const jumpMs = 1_000;
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + jumpMs);
  await page.clock.runFor(spanMs - jumpMs);
};

/** Ends the page's renderer, and with it whatever the page would have done at its end. */
const crash = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  // Never answered: who would answer is gone.
  session.send("Page.crash").catch(() => {});
  await crashed;
  await page.close();
};

test("A tab crashes as it has tracked: an open tab sends within 25 s", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const { context, page } = await launch();
  const other = await context.newPage();
  await context.clock.install({ time: Date.now() });
  await open(page, site.url);
  // Whatever it looks at by a period of its own, it has just looked at.
  await open(other, site.url);
  await gateway.fail("hang");
  const uids = await trackMany(page, 10);
  // All that it sends at a time: what came later would find the service well, and be stored.
  await gateway.waitForPosts(4);
  await crash(page);
  await gateway.heal();
  const before = gateway.posts().length;
  await letPass(other, CRASH_MS);
  // The clock stands still: what comes now was begun by then.
  await gateway.waitForPosts(before + 1);
  await other.clock.resume();
  await expectRows(uids);
});

test("Tabs closed in an outage: an open tab sends with its first success", async ({
  context,
  site,
  gateway,
  expectRows,
}) => {
  const tabs = await Promise.all(Array.from({ length: 5 }, async () => open(await context.newPage(), site.url)));
  await gateway.fail({ status: 503 });
  const uids: string[] = [];
  for (const [index, tab] of tabs.entries()) {
    uids.push(...(await trackMany(tab, 20, `tab-${index + 1}`)));
    await waitForBackOff(tab);
  }
  for (const tab of tabs.slice(3)) await tab.close({ runBeforeUnload: true });
  await waitFor(() => context.pages().length === 3, { what: "two tabs to be closed" });
  await gateway.heal();
  await expectRows(uids);
  const accepted = gateway.posts().flatMap(({ status, answeredAt }) => (status === 200 ? [answeredAt!] : []));
  expect(Math.max(...accepted) - Math.min(...accepted), "ms from the first success to the last").toBeLessThan(
    TAKE_OVER_MS,
  );
});

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
  await letPass(page, LATER_MS);
  await page.clock.resume();
  await track(page, "later");
  await expectRows([...uids, "here", "later"]);
});
