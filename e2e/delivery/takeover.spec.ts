import { expect, test } from "../harness/engines.js";
import { track, waitFor } from "../harness/fixtures.js";
import { runAndGo } from "../harness/tab.js";
import { trackMany } from "../harness/track.js";

/*
 * What a tab leaves is another one's to send. Of one that closes or is killed: loss.spec.ts; within which time:
 * simulation/takeover.
 */

test("What another tab delivers while a busy one hears of nothing, which then hears late who has logged in, is stored once", async ({
  open,
  site,
  expectRows,
}) => {
  // The service drops repeats of stamped events: of others it shows them.
  site.configure({ stamp: false });
  let isBusy = false;
  let isOver = false;
  site.page("/is-over.txt", () => {
    isBusy = true;
    return String(isOver);
  });
  site.page("/nobody", { identify: false });
  const tab = await open("/nobody");
  const uids = await trackMany(tab, 5);
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
  const other = await open();
  await expectRows(uids);
  isOver = true;
  await task;
  // What comes later has come, and what is sent again has come before it.
  for (const [one, uid] of [
    [tab, "back"],
    [other, "last"],
  ] as const) {
    await track(one, uid);
    await expect
      .poll(async () => (await one.evaluate(() => window.tracklet.flush({ timeoutMs: 30_000 }))).queued)
      .toBe(0);
    uids.push(uid);
  }
  await expectRows(uids);
});
