import { EVERY_ENGINE, expect, test } from "../harness/engines.js";
import type { Fault } from "../harness/fault.js";
import { leaveBy } from "../harness/tab.js";
import { names, track, trackCalls, trackMany } from "../harness/track.js";

/* Pages that are left in the task that tracks, while the service is well: nothing is lost, and nothing sent twice. */

/** In flight at every exit: preflights and events each take longer than the page lives. */
const SLOW: Fault = { connection: "pass", delayMs: 300, preflight: "fault" };

const SPEEDS = [
  { speed: "fast", fault: "pass" },
  { speed: "slow", fault: SLOW },
] as const;

const FORM = `<form method="post" action="/sent" onsubmit="tracklet.track('submitted')"><button>Send</button></form>`;

/** What has no answer for so long when its page is left is sent again on purpose, in milliseconds; on a busy machine some have none. */
const UNANSWERED_MS = 3_000;

test.describe("leaving", EVERY_ENGINE, () => {
  for (const { speed, fault } of SPEEDS) {
    test(`by location.assign, 20 times, ${speed} service`, async ({ open, site, gateway, expectRows }) => {
      await gateway.fail(fault);
      const tab = await open(site.url);
      const uids = names("event", 40);
      for (let page = 1; page <= 20; page++)
        await leaveBy(tab, `${trackCalls(uids.slice(2 * page - 2, 2 * page))} location.assign("/page-${page}")`);
      // The last two have left with their page: nothing but their exit brings them.
      await expectRows(uids);

      // The visit goes on, and what the exits have delivered is not sent again.
      await track(tab, "still-here");
      await expectRows([...uids, "still-here"]);
      expect(gateway.posts(), "one request an event").toHaveLength(41);
    });

    test(`by closing the tab, 10 times, ${speed} service`, async ({ open, site, gateway, expectRows }) => {
      await gateway.fail(fault);
      const uids = names("bye", 10);
      for (const uid of uids) {
        const tab = await open(site.url);
        await track(tab, uid);
        await tab.close();
      }
      // No page with the snippet is open any more.
      await expectRows(uids);
      await track(await open(site.url), "back");
      await expectRows([...uids, "back"]);
      expect(gateway.posts(), "one request an event").toHaveLength(11);
    });
  }

  test("by a click on a link whose listener tracks", async ({ open, site, gateway, expectRows }) => {
    site.page("/shop", site.html({ body: `<a href="/next" onclick="tracklet.track('clicked')">Next</a>` }));
    const tab = await open(`${site.url}/shop`);
    await tab.click("a");
    await expectRows(["clicked"]);
    await track(tab, "arrived");
    await expectRows(["clicked", "arrived"]);
    expect(gateway.posts(), "one request an event").toHaveLength(2);
  });

  test("by a form whose listener tracks", async ({ open, site, gateway, expectRows }) => {
    site.page("/form", site.html({ body: FORM }));
    const tab = await open(`${site.url}/form`);
    await tab.click("button");
    await expectRows(["submitted"]);
    await track(tab, "thanks");
    await expectRows(["submitted", "thanks"]);
    expect(gateway.posts(), "one request an event").toHaveLength(2);
  });

  test("by location.assign, with a listener that tracks after the snippet's own has run", async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    const listen = `addEventListener("pagehide", () => { ${trackCalls(names("bye", 3))} })`;
    site.page("/farewell", site.html({ head: `<script>addEventListener("load", () => ${listen})</script>` }));
    site.page("/without", site.html({ tag: false }));
    const tab = await open(`${site.url}/farewell`);
    await leaveBy(tab, `location.assign("/without")`);
    await expectRows(names("bye", 3));
    expect(gateway.posts(), "one request an event").toHaveLength(3);
  });

  test("by a reload, 10 times", async ({ open, site, gateway, expectRows }) => {
    const tab = await open(site.url);
    const uids = names("reload", 10);
    for (const uid of uids) await leaveBy(tab, `${trackCalls([uid])} location.reload()`);
    await expectRows(uids);
    await track(tab, "stays");
    await expectRows([...uids, "stays"]);
    expect(gateway.posts(), "one request an event").toHaveLength(11);
  });

  test("by closing 20 tabs at once, four events each", async ({ open, site, gateway, expectRows }) => {
    const tabs = await Promise.all(Array.from({ length: 20 }, () => open(site.url)));
    const began: number[] = [];
    const uids = await Promise.all(
      tabs.map((tab, index) => {
        began[index] = performance.now();
        return trackMany(tab, 4, `tab-${index + 1}`);
      }),
    );
    const isQuick = await Promise.all(
      tabs.map(async (tab, index) => {
        await tab.close();
        return performance.now() - began[index]! < UNANSWERED_MS;
      }),
    );
    await track(await open(site.url), "last");
    const once = ["last", ...uids.filter((_, index) => isQuick[index]).flat()];
    await expectRows((rows) => {
      const stored = rows.map(({ event_uid }) => event_uid);
      expect(new Set(stored), "events stored").toEqual(new Set(["last", ...uids.flat()]));
      expect(
        once.filter((uid) => stored.indexOf(uid) !== stored.lastIndexOf(uid)),
        "stored twice",
      ).toEqual([]);
    });
    expect(
      once.filter((uid) => gateway.posts(uid).length !== 1),
      "not one request",
    ).toEqual([]);
  });
});
