import { expect, test } from "../harness/engines.js";
import { waitFor } from "../harness/fixtures.js";
import { eventKeys, goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";
import { track } from "../harness/track.js";

/* Pages behind a log-in mostly say `no-store`. Chrome keeps them in its back/forward cache all the same. */

test("A page that says no-store is restored with its script, and after a log-out in another tab sends nothing for who was logged in", {
  tag: "@browser",
}, async ({ open, site, expectRows }) => {
  site.page("/", { head: WATCH_SHOW }, { headers: { "cache-control": "no-store" } });
  site.page("/bare", { tag: false });
  site.page("/other", { identify: false });
  const tab = await open();
  await track(tab, "before");
  await waitFor(async () => (await eventKeys(tab)).length === 0, { what: "the event to be delivered" });
  await leaveBy(tab, `location.assign("/bare")`);
  expect(await goBack(tab), "restored").toBe(true);
  await track(tab, "restored");
  await waitFor(async () => (await eventKeys(tab)).length === 0, { what: "the event to be delivered" });
  await leaveBy(tab, `location.assign("/bare")`);
  const other = await open("/other");
  await other.evaluate(() => window.tracklet.reset());
  expect(await goBack(tab), "restored after the log-out").toBe(true);
  await track(tab, "logged-out");
  // Whoever logs in next is named, and what comes then is delivered: the event above had the time.
  await tab.evaluate(() => window.tracklet.identify("next"));
  expect((await tab.evaluate(() => window.tracklet.flush({ timeoutMs: 30_000 }))).queued).toBe(0);
  await expectRows(["before", "restored"]);
});
