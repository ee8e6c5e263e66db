import { CORE, EVERY_ENGINE, expect, test } from "../harness/engines.js";
import type { Fault } from "../harness/fault.js";
import { visitLast, waitFor } from "../harness/fixtures.js";
import { killPage, leaveBy, locksHeld, runAndGo, type Tab } from "../harness/tab.js";
import { names, trackCalls, trackMany } from "../harness/track.js";

/* What a tab leaves is another one's to send, as soon as the browser has freed its lock. */

/** It is stored within this time, in milliseconds. */
const TAKE_OVER_MS = 10_000;
/** Takes long enough for a tab to hold its own lock meanwhile. */
const SLOW_FAILURE: Fault = { status: 503, delayMs: 1_500 };

const ENDS: Record<string, (tab: Tab) => Promise<void>> = {
  "is killed": (tab) => killPage(tab),
  "is closed": (tab) => tab.close(),
  // It stays in the back/forward cache.
  "goes on to a page without the snippet": (tab) => leaveBy(tab, `location.assign("/bare")`),
};
for (const [what, end] of Object.entries(ENDS))
  test(
    `The events of a tab that ${what} are stored within 10 s by another one that is open`,
    what === "is killed" ? CORE : EVERY_ENGINE,
    async ({ open, site, gateway, browserName, expectRows }) => {
      test.skip(what === "is killed" && process.platform !== "linux", "processes of pages are looked for in /proc");
      test.skip(
        what === "is killed" && browserName === "webkit",
        "WebKitGTK's driver ends its session, and with it the storage, when a page crashes",
      );
      // What was under way is sent again.
      site.configure({ stamp: true });
      site.page("/bare", { tag: false });
      const [other, tab] = [await open(), await open()];
      await gateway.fail(SLOW_FAILURE);
      const uids = await trackMany(tab, 10);
      await waitFor(async () => (await locksHeld(other)).length > 0, { what: "the tab to hold its lock" });
      await end(tab);
      await gateway.heal();
      await expectRows(uids, { timeoutMs: TAKE_OVER_MS });
    },
  );

test("A tab that is opened while the task of another one that has just tracked goes on repeats none of its events", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  let isTracked = false;
  let isOver = false;
  site.page("/is-over.txt", () => {
    isTracked = true;
    return String(isOver);
  });
  const uids = names("event", 10);
  // A request that blocks: the task ends when the test says so.
  const task = runAndGo(
    await open(),
    `${trackCalls(uids)}
    const request = new XMLHttpRequest();
    do {
      request.open("GET", "/is-over.txt", false);
      request.send();
    } while (request.responseText !== "true");`,
  );
  await waitFor(() => isTracked, { what: "the task to track" });
  const last = await visitLast(await open(), site);
  isOver = true;
  await task;
  await expectRows([...uids, last]);
  expect(gateway.posts(), "one request an event").toHaveLength(11);
});

test("The 30 events of a tab that is killed in the task that tracks them are delivered by a tab that is opened later", async ({
  open,
  gateway,
  expectRows,
}) => {
  const uids = names("event", 30);
  // The task does not end before its process does, so nothing has been sent.
  await killPage(await open(), trackCalls(uids));
  await open();
  await expectRows(uids);
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});
