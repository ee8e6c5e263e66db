import { EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";
import { names, track } from "../harness/track.js";

const trackCalls = (uids: readonly string[]): string =>
  uids.map((uid) => `tracklet.push(["track", ${JSON.stringify(uid)}]);`).join("");

test.describe("leaving", EVERY_ENGINE, () => {
  test("two events before location.assign, 20 pages in a row", async ({ open, site, gateway, expectRows }) => {
    const tab = await open(site.url);
    const uids = names("event", 40);
    for (let page = 0; page < 20; page++)
      await leaveBy(tab, `${trackCalls(uids.slice(2 * page, 2 * page + 2))} location.assign("/page-${page}")`);
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });

  test("back", async ({ open, site, expectRows }) => {
    site.page("/", site.html({ head: WATCH_SHOW }));
    const tab = await open(site.url);
    await leaveBy(tab, `location.assign("/next")`);
    expect(await goBack(tab)).toBe(true);
    await track(tab, "restored");
    await expectRows(["restored"]);
  });
});
