import { expect, test } from "../harness/engines.js";
import { leaveBy } from "../harness/tab.js";
import { track, trackCalls } from "../harness/track.js";

/* Browsers that lack one of the newer APIs each: the tracker delivers all the same. */

/** Takes an API away, as a browser that has never had it; with what shows that it is gone. */
const LACKS: Record<string, [take: string, isGone: string]> = {
  "the Navigation API": [
    `delete window.navigation; delete Window.prototype.navigation; delete window.Navigation;`,
    `!("navigation" in window)`,
  ],
  "fetch with keepalive": [`delete Request.prototype.keepalive;`, `!("keepalive" in Request.prototype)`],
  "crypto.randomUUID": [`delete Crypto.prototype.randomUUID;`, `!crypto.randomUUID`],
  "AbortSignal.timeout": [`delete AbortSignal.timeout;`, `!AbortSignal.timeout`],
  "Web Locks": [`delete Navigator.prototype.locks;`, `!("locks" in navigator)`],
  localStorage: [`delete window.localStorage;`, `!("localStorage" in window)`],
  requestAnimationFrame: [`delete window.requestAnimationFrame;`, `!window.requestAnimationFrame`],
};

for (const [lack, [take, isGone]] of Object.entries(LACKS))
  test(`Without ${lack}, a visit is stored`, { tag: "@core" }, async ({ open, site, gateway, expectRows }) => {
    site.first(take);
    site.configure({ pageviews: "auto", stamp: true });
    const tab = await open();
    expect(await tab.evaluate(isGone), "it is gone").toBe(true);
    await expectRows(["pageview"]);
    await tab.evaluate(`history.pushState({}, "", "/pushed"); undefined`);
    await expectRows(["pageview", "pageview"]);
    await gateway.during({ status: 503 }, async () => {
      await track(tab, "failed");
      await gateway.waitForPosts(1, "failed");
    });
    await expectRows(["pageview", "pageview", "failed"]);
    await leaveBy(tab, `${trackCalls(["leaving"])} location.assign("/next")`);
    const rows = await expectRows(["pageview", "pageview", "failed", "leaving", "pageview"]);
    expect(new Set(rows.map(({ params }) => params.event_id)).size, "ids").toBe(5);
  });
