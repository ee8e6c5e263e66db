import { readFile } from "node:fs/promises";
import { expect, test, track, trackMany, visitLast } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { lasting, waitForBackOff } from "../harness/outage.js";
import { eventKeys, goBack, runAndGo, WATCH_SHOW } from "../harness/tab.js";
import { names, trackCalls } from "../harness/track.js";

/* What other documents have left, in a Chromium: many of them, none that may lock, and one that is blocked. */

const DEAD_TABS = 300;
/** Locks that a page may hold or ask for at a time, and how soon after the recovery all is drained. */
const LOCKS = 8;
const DRAINED_MS = 30_000;
/** Without locks, what others have left is sent once it is so old. */
const OLD_MS = 20_000;

/** Leaves the row of each event under the name of a tab of its own. Runs in a page without the snippet. */
const scatter = (tabs: number): void => {
  const rows = Object.entries(localStorage).filter(([key]) => key.startsWith("tracklet:event"));
  if (rows.length !== tabs) throw new Error(`${rows.length} rows`);
  for (const [index, [key, text]] of rows.entries()) {
    const [name, kind, tab, ...rest] = key.split(":");
    localStorage.removeItem(key);
    localStorage.setItem([name, kind, `${tab}${index}`, ...rest].join(":"), text);
  }
};

/** Notes the most locks that were held or asked for at a time. */
const WATCH_LOCKS = `<script>
  document.most = 0;
  const look = async () => {
    const { held, pending } = await navigator.locks.query();
    document.most = Math.max(document.most, held.length + pending.length);
    setTimeout(look, 20);
  };
  look();
</script>`;

test("300 dead tabs' events at a start in an outage: few locks, the back/forward cache keeps the page, and all are drained", async ({
  site,
  gateway,
  launch,
  expectRows,
}) => {
  const { page } = await launch({ backForwardCache: true });
  site.page("/bare", site.html({ tag: false }));
  site.page("/", site.html({ head: WATCH_SHOW + WATCH_LOCKS }));
  await gateway.fail({ status: 503 });
  await open(page, `${site.url}/first`);
  const uids = await trackMany(page, DEAD_TABS, "dead");
  await waitForBackOff(page);
  await page.goto(`${site.url}/bare`);
  await page.evaluate(scatter, DEAD_TABS);

  await open(page, `${site.url}/`);
  const { length } = gateway.posts();
  await gateway.waitForPosts(length + 3);
  await page.evaluate("location.assign('/bare')");
  await page.waitForURL(`${site.url}/bare`);
  expect(await goBack(page), "restored").toBe(true);
  await gateway.heal();
  await expectRows(uids, { timeoutMs: DRAINED_MS });
  expect(gateway.posts().filter(({ forwarded }) => forwarded)).toHaveLength(DEAD_TABS);
  expect(await page.evaluate<number>("document.most")).toBeLessThanOrEqual(LOCKS);
});

test("Without locks, on plain http: an outage over a reload, and what a closed tab has left", async ({
  clock,
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  const shop = site.at("shop.test");
  await open(page, shop);
  expect(await page.evaluate(() => [isSecureContext, "locks" in navigator])).toEqual([false, false]);
  const uids = await gateway.during("refuse", async () => {
    const tab = await open(await context.newPage(), `${shop}/tab`);
    const left = await trackMany(tab, 10, "left");
    await waitForBackOff(tab);
    await tab.close();
    const before = await trackMany(page, 10, "before");
    await waitForBackOff(page);
    await page.reload();
    return [...left, ...before, ...(await trackMany(page, 10, "after"))];
  });
  await expectRows(uids.filter((uid) => uid.startsWith("after")));
  await clock.shift(OLD_MS);
  await open(page, `${shop}/later`);
  await expectRows(uids);
});

test("A page is blocked by confirm() for three seconds after it has tracked, and then left for another site", async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  const other = await open(await context.newPage(), site.url);
  await open(page, site.url);
  page.on("dialog", async (dialog) => {
    await lasting(3_000);
    await dialog.accept();
  });
  const uids = names("event", 5);
  const elsewhere = `${site.at("localhost")}/elsewhere`;
  await runAndGo(page, `${trackCalls(uids)} confirm("Leave?"); location.assign("${elsewhere}")`);
  await page.waitForURL(elsewhere);
  await expectRows(uids);
  await track(other, "later");
  await expectRows([...uids, "later"]);
  expect(gateway.posts(), "one request an event").toHaveLength(6);
});

test("Two versions of the script on one site: each sends its own events, and leaves the rows of the other alone", async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  const bundle = await readFile(new URL("../../dist/tracklet.iife.js", import.meta.url), "utf8");
  const formats = new Set(bundle.match(/event\d+:/g));
  expect(formats.size, "formats of rows in the script").toBe(1);
  site.page("/other.js", bundle.replaceAll([...formats][0]!, "event99:"));
  site.page("/other", { tag: { src: "/other.js" } });
  await open(page, site.url);
  const other = await open(await context.newPage(), `${site.url}/other`);
  const [own, others] = await gateway.during("reset", async () => {
    const tracked = [await trackMany(page, 5, "own"), await trackMany(other, 5, "other")] as const;
    for (const tab of [page, other]) await waitForBackOff(tab);
    await other.close();
    return tracked;
  });
  own.push(await visitLast(page, site));
  await expectRows(own);
  expect(await eventKeys(page)).toHaveLength(others.length);
  await open(page, `${site.url}/other`);
  await expectRows([...own, ...others]);
});
