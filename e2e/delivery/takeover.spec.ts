import { expect, test } from "../harness/engines.js";
import { visitLast, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { killPage, runAndGo, type Tab } from "../harness/tab.js";
import { names, trackCalls, trackMany } from "../harness/track.js";

/*
 * What a tab leaves is another one's to send. With requests under way, in every engine: loss.spec.ts; within which time:
 * simulation/takeover.
 */

// The service drops repeats of stamped events: of others it shows them.
test.beforeEach(({ site }) => site.configure({ stamp: false }));

/** It is stored within this time, in milliseconds. */
const FOUND_MS = 5_000;

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

test("The events of a tab that is killed in the task that tracks them are stored within 5 s by another one that is open", {
  tag: "@core",
}, async ({ open, gateway, expectRows }) => {
  test.skip(process.platform !== "linux", "processes of pages are looked for in /proc");
  const uids = names("event", 5);
  const [, tab] = [await open(), await open()];
  // The task does not end before its process does, so nothing has been sent.
  await killPage(tab, trackCalls(uids));
  await expectRows(uids, { timeoutMs: FOUND_MS });
  expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
});
