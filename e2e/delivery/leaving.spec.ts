import { CORE, expect, test } from "../harness/engines.js";
import type { Fault } from "../harness/fault.js";
import { leaveBy } from "../harness/tab.js";
import { names, track, trackCalls } from "../harness/track.js";

/* Pages that are left in the task that tracks, while the service is well: nothing is lost, and nothing sent twice. */

// The service drops repeats of stamped events: of others it shows them.
test.beforeEach(({ site }) => site.configure({ stamp: false }));

/** In flight at every exit: preflights and events each take longer than the page lives. */
const SLOW: Fault = { connection: "pass", delayMs: 300, preflight: "fault" };

/**
 * For the body of a page: notes under its path that it was closed, after the snippet has sent what there was. Chromium kills a
 * page whose exit takes half a second, as one may on a busy machine; what was under way comes again then, as after a crash.
 */
const NOTE_EXIT = `<script>
  addEventListener("load", () => {
    document.addEventListener("visibilitychange", () => { localStorage[location.pathname] = "left"; });
  });
</script>`;

test("Leaving ten times, by location.assign and by reload, loses and repeats nothing while the service is slow", {
  tag: [...CORE.tag, "@https"],
}, async ({ open, gateway, expectRows }) => {
  await gateway.fail(SLOW);
  const tab = await open();
  const uids = names("event", 20);
  for (let page = 1; page <= 10; page++) {
    const go = page % 3 ? `location.assign("/page-${page}")` : "location.reload()";
    await leaveBy(tab, `${trackCalls(uids.slice(2 * page - 2, 2 * page))} ${go}`);
  }
  // The last two have left with their page: nothing but their exit brings them.
  await expectRows(uids);
  // The visit goes on, and what the exits have delivered is not sent again.
  await track(tab, "still-here");
  await expectRows([...uids, "still-here"]);
  expect(gateway.posts(), "one request an event").toHaveLength(21);
});

test(
  "Closing five tabs one after the other loses and repeats nothing while the service is slow",
  CORE,
  async ({ open, site, gateway, expectRows }) => {
    await gateway.fail(SLOW);
    site.page("/without-snippet", { tag: false });
    const other = await open("/without-snippet");
    const uids = names("bye", 5);
    const noted: string[] = [];
    for (const uid of uids) {
      site.page(`/${uid}`, { body: NOTE_EXIT });
      const tab = await open(`/${uid}`);
      await track(tab, uid);
      await tab.close();
      if (await other.evaluate((path) => localStorage[path] === "left", `/${uid}`)) noted.push(uid);
    }
    // No page with the snippet is open any more.
    await expectRows((rows) => {
      expect(rows.map(({ event_uid }) => event_uid)).toEqual(expect.arrayContaining(noted));
    });
    await track(await open(), "back");
    noted.push("back");
    await expectRows((rows) => {
      const stored = rows.map(({ event_uid }) => event_uid);
      expect(new Set(stored), "events stored").toEqual(new Set([...uids, "back"]));
      expect(
        stored.filter((uid) => noted.includes(uid)),
        "those that left in time, once",
      ).toHaveLength(noted.length);
    });
    expect(noted.map((uid) => gateway.posts(uid).length)).toEqual(noted.map(() => 1));
  },
);

test("A page is heard being left after `document.open()`, which takes all listeners off", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  site.page("/without-snippet", { tag: false });
  const tab = await open();
  // Before the first answer one request is under way: the others begin when the page is left, or never.
  await gateway.fail(SLOW);
  const uids = names("again", 3);
  await leaveBy(tab, `document.open(); document.close(); ${trackCalls(uids)} location.assign("/without-snippet")`);
  await expectRows(uids);
});
