import { untilReleased } from "../harness/fault.js";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { open } from "../harness/install.js";
import { trackAndLeave } from "../harness/leave.js";
import { names } from "../harness/track.js";

/* Events in flight when their page was left, which are taken for delivered: for how long, and from which pages. */

/** Longer than a mark is believed. */
const LATER_MS = 25_000;

test("Pages left at once, and an outage later: nothing is stored twice", async ({
  clock,
  page,
  site,
  gateway,
  expectRows,
}) => {
  const uids: string[] = [];
  await open(page, site.url);
  for (let visit = 1; visit <= 12; visit++) {
    const four = names(`visit-${visit}`, 4);
    uids.push(...four);
    const arrived = page.waitForURL(`${site.url}/page-${visit}`);
    await trackAndLeave(page, four, `location.assign("/page-${visit}")`);
    await arrived;
  }
  await expectRows(uids);

  await clock.shift(LATER_MS);
  await gateway.during("reset", async () => {
    // Two different events that fail: the service is down.
    uids.push(...(await trackMany(page, 2, "down")));
    await gateway.waitForPosts(1, "down-1");
    await gateway.waitForPosts(1, "down-2");
  });
  await track(page, "healthy");
  await expectRows([...uids, "healthy"]);
});

test("A page left after 9 s of a service that hangs: nothing is lost", async ({ page, site, gateway, expectRows }) => {
  const { until, release } = untilReleased();
  await gateway.fail({ connection: "reset", until });
  await open(page, site.url);
  const uids = await trackMany(page, 24);
  const begun = performance.now();
  await gateway.waitForPosts(1);
  await gateway.waitFor(() => performance.now() - begun >= 9_000, { what: "the end of 9 s" });
  expect(gateway.posts().filter(({ ended }) => ended)).toEqual([]);
  await page.goto(`${site.url}/next`);
  await gateway.heal();
  release();
  await track(page, "next");
  await expectRows((rows) => {
    const stored = new Set(rows.map(({ event_uid }) => event_uid));
    expect(
      [...uids, "next"].filter((uid) => !stored.has(uid)),
      "events lost",
    ).toEqual([]);
  });
});
