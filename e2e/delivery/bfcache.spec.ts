import { untilReleased } from "../harness/fault.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";

/* A page that comes back from the back/forward cache with its memory as it was left. In all engines: engines.spec.ts. */

for (const isAnswered of [true, false])
  test(`A page comes back from the back/forward cache with requests that ${isAnswered ? "were answered while it was away" : "are still in flight"}: each event comes once`, async ({
    site,
    gateway,
    launch,
    expectRows,
  }) => {
    site.page("/bare", { tag: false });
    site.page("/", { head: WATCH_SHOW });
    const { page } = await launch({ backForwardCache: true });
    await page.goto(`${site.url}/`);
    // Answered, so that the next four go at once.
    await track(page, "healthy");
    await expectRows(["healthy"]);
    const { until, release } = untilReleased();
    await gateway.fail({ connection: "pass", until });
    const uids = ["healthy", ...(await trackMany(page, 10))];
    const first = (await gateway.waitForPosts(5)).slice(1);
    // To a page without the snippet, so that what waits leaves after the restore only.
    await leaveBy(page, `location.assign("/bare")`);
    if (isAnswered) {
      release();
      await gateway.waitFor(() => first.every(({ ended }) => ended), { what: "the answers" });
    }
    expect(await goBack(page), "restored").toBe(true);
    uids.push(...(await trackMany(page, 5, "restored")));
    const open = first.filter(({ ended }) => !ended);
    expect(open, "requests in flight").toHaveLength(isAnswered ? 0 : first.length);
    release();
    await gateway.heal();
    await expectRows(uids);
  });
