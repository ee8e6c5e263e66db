import { expect, test, track, trackMany, visitLast } from "../harness/fixtures.js";
import { run } from "../harness/install.js";
import { lasting, waitForBackOff } from "../harness/outage.js";
import { openPlainBrowser } from "../harness/plain-browser.js";
import { killPage, runAndGo } from "../harness/tab.js";
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

test("A page that confirm() blocks for three seconds after it has tracked, and that is left then, repeats nothing", async ({
  open,
  site,
  gateway,
  expectRows,
}) => {
  const [other, page] = [await open(), await open()];
  page.on("dialog", async (dialog) => {
    await lasting(3_000);
    await dialog.accept();
  });
  const uids = names("event", 5);
  const elsewhere = `${site.at("localhost")}/elsewhere`;
  await runAndGo(page, `${trackCalls(uids)} confirm("Leave?"); location.assign("${elsewhere}")`);
  await page.waitForURL(elsewhere);
  await expectRows(uids);
  await track(other, "later");
  await expectRows([...uids, "later"]);
  expect(gateway.posts(), "one request an event").toHaveLength(6);
});

// In a Chromium that nothing drives: a driven one shows every tab as visible.
test("Of a hidden and a visible tab in an outage whose service comes back, each event comes once", async ({
  site,
  gateway,
  launchOptions,
  expectRows,
}) => {
  const back = `<script>
    ${trackCalls(names("seen", 5))}
    document.onvisibilitychange = () => { if (document.hidden) { ${trackCalls(names("hidden", 5))} } };
  </script>`;
  site.page("/back", { body: back });
  site.page("/front", { body: `<script>${trackCalls(names("front", 5))}</script>` });
  await gateway.fail("reset");
  const { openTab, close } = await openPlainBrowser(launchOptions.executablePath!, `${site.url}/back`);
  await gateway.waitForPosts(1, "seen-1");
  await openTab(`${site.url}/front`);
  // Both know of the outage: it has lasted for some attempts.
  await gateway.waitForPosts(6);
  await gateway.heal();
  await expectRows([...names("seen", 5), ...names("hidden", 5), ...names("front", 5)]);
  const sent = gateway.posts().filter(({ forwarded }) => forwarded);
  expect(sent, "one request an event").toHaveLength(15);
  await close();
});

test("Who was identified is remembered by pages, tabs and the next visit", { tag: "@core" }, async ({
  site,
  contact,
  launch,
  expectRows,
}) => {
  for (const path of ["/", "/next"]) site.page(path, { identify: false });
  const first = await launch();
  await first.page.goto(site.url);
  await track(first.page, "before");
  await run(first.page, `tracklet.identify("${contact}", "account-1")`);
  await first.page.goto(`${site.url}/next`);
  await track(first.page, "next_page");
  const other = await first.context.newPage();
  await other.goto(site.url);
  await track(other, "other_tab");
  await expectRows(["before", "next_page", "other_tab"]);
  await first.close();
  const second = await launch({ profile: first.profile });
  await second.page.goto(site.url);
  await track(second.page, "next_visit");
  const rows = await expectRows(["before", "next_page", "other_tab", "next_visit"]);
  for (const { params } of rows) expect(params).toEqual({ account_uid: "account-1" });
});
