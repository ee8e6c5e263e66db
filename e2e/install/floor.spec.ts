import { expect, test } from "../harness/engines.js";
import { waitFor } from "../harness/fixtures.js";
import { leaveBy } from "../harness/tab.js";
import { track, trackCalls } from "../harness/track.js";

/* A browser without the newer APIs: the tracker delivers all the same. What each lack leads to: test/simulation. */

/** Takes the newer APIs away; with what shows that they are gone. */
const NEWER: Record<string, [take: string, isGone: string]> = {
  "the Navigation API": [
    `delete window.navigation; delete Window.prototype.navigation; delete window.Navigation;`,
    `!("navigation" in window)`,
  ],
  "fetch with keepalive": [`delete Request.prototype.keepalive;`, `!("keepalive" in Request.prototype)`],
  "crypto.randomUUID": [`delete Crypto.prototype.randomUUID;`, `!crypto.randomUUID`],
  "AbortSignal.timeout": [`delete AbortSignal.timeout;`, `!AbortSignal.timeout`],
  "Web Locks": [`delete Navigator.prototype.locks;`, `!("locks" in navigator)`],
  requestAnimationFrame: [`delete window.requestAnimationFrame;`, `!window.requestAnimationFrame`],
};

const taken = Object.values(NEWER);

test(`Without ${Object.keys(NEWER).join(", ")}, a visit is stored`, { tag: "@core" }, async ({
  open,
  site,
  gateway,
  rows,
  expectRows,
}) => {
  for (const [take] of taken) site.first(take);
  site.configure({ pageviews: "auto", stamp: true });
  const tab = await open();
  for (const [, isGone] of taken) expect(await tab.evaluate(isGone), isGone).toBe(true);
  await expectRows(["pageview"]);
  await tab.evaluate(`history.pushState({}, "", "/pushed"); undefined`);
  await expectRows(["pageview", "pageview"]);
  await gateway.during({ status: 503 }, async () => {
    await track(tab, "failed");
    await gateway.waitForPosts(1, "failed");
  });
  await expectRows(["pageview", "pageview", "failed"]);
  await leaveBy(tab, `${trackCalls(["leaving"])} location.assign("/next")`);
  // Chromium kills a page whose exit takes half a second, as on a busy machine. The event comes
  // once its lease is over then, after 20 s.
  const isStored = async () => (await rows()).some(({ event_uid }) => event_uid === "leaving");
  const what = "the event of the page that was left";
  const views = ["pageview", "pageview", "pageview"];
  while (!(await waitFor(isStored, { what, timeoutMs: 5_000 }).catch(() => false))) {
    await tab.reload();
    views.push("pageview");
  }
  const stored = await expectRows(["failed", "leaving", ...views]);
  expect(new Set(stored.map(({ params }) => params.event_id)).size, "ids").toBe(stored.length);
});
