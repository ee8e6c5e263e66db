import { untilReleased } from "../harness/fault.js";
import { test as base, expect, track, trackMany } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { goBack, leaveBy, type Tab, WATCH_SHOW } from "../harness/tab.js";

/* Pages that come back from the back/forward cache, with their memory as it was left. In other engines: engines.spec.ts. */

const test = base.extend<{ tab: Tab }>({
  /** A page that has sent one event, so that the next four go at once. */
  tab: async ({ site, launch, expectRows }, use) => {
    site.page("/bare", { tag: false });
    site.page("/", { head: WATCH_SHOW });
    const { page } = await launch({ backForwardCache: true });
    await open(page, `${site.url}/`);
    await track(page, "healthy");
    await expectRows(["healthy"]);
    await use(page);
  },
});

/** To a page without the snippet, so that what waits leaves after the restore only. */
const leave = (tab: Tab): Promise<void> => leaveBy(tab, `location.assign("/bare")`);
const restore = async (tab: Tab): Promise<void> => expect(await goBack(tab), "restored").toBe(true);

test.describe("where the storage is denied", () => {
  test.beforeEach(({ site }) => site.first("Object.defineProperty(window, 'localStorage', { value: null });"));

  test("A page comes back in an outage with events in memory alone: they are sent", async ({
    tab,
    gateway,
    expectRows,
  }) => {
    const uids = await gateway.during("reset", async () => {
      const tracked = await trackMany(tab, 10);
      await gateway.waitForPosts(2);
      await leave(tab);
      await restore(tab);
      return [...tracked, ...(await trackMany(tab, 5, "restored"))];
    });
    await expectRows(["healthy", ...uids]);
  });
});

for (const isAnswered of [true, false])
  test(`A page comes back with requests that ${isAnswered ? "were answered while it was away" : "are still in flight"}`, async ({
    tab,
    gateway,
    expectRows,
  }) => {
    const { until, release } = untilReleased();
    await gateway.fail({ connection: "pass", until });
    const uids = await trackMany(tab, 10);
    const first = (await gateway.waitForPosts(5)).slice(1);
    await leave(tab);
    if (isAnswered) {
      release();
      await gateway.waitFor(() => first.every(({ ended }) => ended), { what: "the answers" });
    }
    await restore(tab);
    uids.push(...(await trackMany(tab, 5, "restored")));
    const open = first.filter(({ ended }) => !ended);
    expect(open, "requests in flight").toHaveLength(isAnswered ? 0 : first.length);
    release();
    await gateway.heal();
    await expectRows(["healthy", ...uids]);
  });

test("A page comes back in an outage, its requests in flight cut off: they are sent again", async ({
  tab,
  gateway,
  expectRows,
}) => {
  await gateway.fail("hang");
  const uids = await trackMany(tab, 4);
  await gateway.waitForPosts(5);
  await leave(tab);
  // Closes every connection.
  await gateway.fail("refuse");
  await gateway.fail("reset");
  await restore(tab);
  const { length } = gateway.posts();
  // Two different events that fail: what was in flight may be lost as well.
  uids.push(...(await trackMany(tab, 2, "restored")));
  await gateway.waitForPosts(length + 2);
  await gateway.heal();
  await expectRows(["healthy", ...uids]);
});
