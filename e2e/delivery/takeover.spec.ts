import { CORE, EITHER, expect, test } from "../harness/engines.js";
import type { Fault } from "../harness/fault.js";
import { visitLast, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { eventKeys, killPage, leaveBy, runAndGo, type Tab } from "../harness/tab.js";
import { names, trackCalls, trackMany } from "../harness/track.js";

/* What a tab leaves is another one's to send, once its lease is over. */

// The service drops repeats of stamped events: of others it shows them.
test.beforeEach(({ site }) => site.configure({ stamp: false }));

/** It is stored within this time, in milliseconds; and where a request was open for long. */
const FOUND_MS = 5_000;
const FOUND_SLOWLY_MS = 27_000;
/** Takes long enough for a tab to write a long lease meanwhile. */
const SLOW_FAILURE: Fault = { status: 503, delayMs: 1_500 };

const ENDS: Record<string, (tab: Tab) => Promise<void>> = {
  "is killed": (tab) => killPage(tab),
  "is closed": (tab) => tab.close(),
  // It stays in the back/forward cache until then.
  "goes on to a page without the snippet, and is closed there": (tab) =>
    leaveBy(tab, `location.assign("/bare")`).then(() => tab.close()),
};
for (const [what, end] of Object.entries(ENDS))
  test(
    `The events of a tab that ${what} are stored within 27 s by another one that is open`,
    what === "is killed" ? CORE : EITHER,
    async ({ open, site, gateway, browserName, expectRows }) => {
      test.skip(what === "is killed" && process.platform !== "linux", "processes of pages are looked for in /proc");
      test.skip(
        what === "is killed" && browserName === "webkit",
        "WebKitGTK's driver ends its session, and with it the storage, when a page crashes",
      );
      // What was under way is sent again: the service has offered to drop repeats.
      site.configure({ stamp: true });
      site.page("/bare", { tag: false });
      const [, tab] = [await open(), await open()];
      const first = await trackMany(tab, 1, "first");
      await waitFor(async () => (await eventKeys(tab)).length === 0, { what: "the answer that offers it" });
      await gateway.fail(SLOW_FAILURE);
      const uids = await trackMany(tab, 10);
      const isLong = `Object.values(localStorage).some((row) => row.split(",")[1] > Date.now() + ${FOUND_MS})`;
      await waitFor(() => tab.evaluate(isLong), { what: "the tab to write a long lease" });
      await end(tab);
      await gateway.heal();
      await expectRows([...first, ...uids], { timeoutMs: FOUND_SLOWLY_MS });
    },
  );

for (const [what, path, end] of [
  // Its `pagehide` comes before it hears of anything.
  ["closes", "/", (tab) => tab.close()],
  ["hears late who has logged in", "/nobody", () => Promise.resolve()],
] as [string, string, (tab: Tab) => Promise<void>][])
  test(`What another tab delivers while a busy one hears of nothing, which then ${what}, is stored once`, async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    let isBusy = false;
    let isOver = false;
    site.page("/is-over.txt", () => {
      isBusy = true;
      return String(isOver);
    });
    site.page("/nobody", { identify: false });
    const tab = await open(path);
    await gateway.fail({ status: 503 });
    const uids = await trackMany(tab, 5);
    if (path === "/") await waitForBackOff(tab);
    // A request that blocks: the task ends when the test says so.
    const task = runAndGo(
      tab,
      `const request = new XMLHttpRequest();
      do {
        request.open("GET", "/is-over.txt", false);
        request.send();
      } while (request.responseText !== "true");`,
    );
    await waitFor(() => isBusy, { what: "the task to begin" });
    await gateway.heal();
    const other = await open();
    await expectRows(uids);
    const ended = end(tab);
    isOver = true;
    await Promise.all([task, ended]);
    await expectRows([...uids, await visitLast(other, site)]);
  });

test("The events of a tab that is killed in the task that tracks them are stored within 5 s by another one that is open", async ({
  open,
  gateway,
  expectRows,
}) => {
  const uids = names("event", 5);
  const [, tab] = [await open(), await open()];
  // The task does not end before its process does, so nothing has been sent.
  await killPage(tab, trackCalls(uids));
  await expectRows(uids, { timeoutMs: FOUND_MS });
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});
