import { expect, test, trackMany, visitLast } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { killPage } from "../harness/tab.js";
import { names, trackCalls } from "../harness/track.js";

/* Several tabs of one site, which share one storage and one back-off, in a Chromium. */

test("Five tabs that track 40 events each in an outage repeat none", async ({ open, gateway, expectRows }) => {
  const tabs = await Promise.all(Array.from({ length: 5 }, () => open()));
  const uids = await gateway.during("refuse", async () => {
    const tracked = await Promise.all(tabs.map((tab, index) => trackMany(tab, 40, `tab-${index + 1}`)));
    await Promise.all(tabs.map(waitForBackOff));
    return tracked.flat();
  });
  await expectRows(uids);
  expect(gateway.posts(), "one request an event, none sent by two tabs").toHaveLength(uids.length);
});

test("A tab that is opened while the task of another one that has just tracked goes on repeats none of its events", async ({
  open,
  context,
  site,
  gateway,
  expectRows,
}) => {
  let isOver = false;
  site.page("/is-over.txt", () => String(isOver));
  const busy = await open();
  const tracked = busy.waitForEvent("console");
  const task = busy.evaluate(() => {
    const { tracklet } = window;
    for (let i = 1; i <= 10; i++) tracklet.push(["track", `event-${i}`]);
    console.log("tracked");
    // A request that blocks: the task ends when the test says so.
    const request = new XMLHttpRequest();
    do {
      request.open("GET", "/is-over.txt", false);
      request.send();
    } while (request.responseText !== "true");
  });
  await tracked;
  const last = await visitLast(await context.newPage(), site);
  isOver = true;
  await task;
  await expectRows([...names("event", 10), last]);
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
