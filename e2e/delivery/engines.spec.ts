import { waitFor } from "../../test/support/wait.js";
import { EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { fillStorage } from "../harness/fill-storage.js";
import { waitForBackOff } from "../harness/outage.js";
import { goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";
import { names, track, trackCalls, trackMany } from "../harness/track.js";

/* What a visitor and a network do to delivery, in every engine. The specs beside this one go further into each. */

test.describe("an outage", EVERY_ENGINE, () => {
  test("over a reload: each event comes once when it ends", async ({ open, site, gateway, expectRows }) => {
    const tab = await open(site.url);
    const uids = await gateway.during("refuse", async () => {
      const before = await trackMany(tab, 20, "before");
      await waitForBackOff(tab);
      await tab.reload();
      return [...before, ...(await trackMany(tab, 20, "after"))];
    });
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });

  test("with answers that say no: each event comes once when it ends", async ({ open, site, gateway, expectRows }) => {
    await gateway.fail({ status: 503 });
    const tab = await open(site.url);
    const uids = await trackMany(tab, 20);
    await waitForBackOff(tab);
    await gateway.heal();
    await expectRows(uids);
  });

  test("without any answer: what hangs is given up, and comes once", async ({ open, site, gateway, expectRows }) => {
    site.configure({ stamp: true });
    await gateway.fail("hang");
    const tab = await open(site.url);
    const uids = await trackMany(tab, 12);
    await gateway.waitForPosts(1);
    await gateway.heal();
    await expectRows(uids);
  });
});

test.describe("tabs", EVERY_ENGINE, () => {
  test("of one site, two of them closed in an outage: each event comes once", async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    const tabs = [await open(site.url), await open(site.url), await open(site.url)];
    const uids = await gateway.during("refuse", async () => {
      const tracked = await Promise.all(tabs.map((tab, index) => trackMany(tab, 10, `tab-${index + 1}`)));
      await Promise.all(tabs.map(waitForBackOff));
      await tabs[1]!.close();
      await tabs[2]!.close();
      return tracked.flat();
    });
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });
});

test.describe("a storage", EVERY_ENGINE, () => {
  test("that is denied", async ({ open, site, gateway, expectRows }) => {
    // An origin of its own that is nobody's: as in a sandboxed frame.
    site.page("/", site.html(), { headers: { "content-security-policy": "sandbox allow-scripts" } });
    const tab = await open(site.url);
    const denied = await tab.evaluate(() => {
      try {
        return typeof localStorage;
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(denied).toBe("SecurityError");
    const healthy = await trackMany(tab, 20, "healthy");
    await expectRows(healthy);
    const down = await gateway.during({ status: 503 }, async () => {
      const tracked = await trackMany(tab, 20, "down");
      await gateway.waitForPosts(healthy.length + 1);
      return tracked;
    });
    await expectRows([...healthy, ...down]);
  });

  test("that is full", async ({ open, site, gateway, expectRows }) => {
    const tab = await open(site.url);
    await tab.evaluate(fillStorage);
    const uids = await trackMany(tab, 20);
    await expectRows(uids);
    await leaveBy(tab, `${trackCalls(["leaving"])} location.assign("/next")`);
    await expectRows([...uids, "leaving"]);
    expect(gateway.posts(), "one request an event").toHaveLength(21);
  });

  test("that is full as somebody logs out: the next page knows nobody", async ({ open, site, contact, expectRows }) => {
    for (const path of ["/", "/next"]) site.page(path, site.html({ identify: false }));
    const tab = await open(site.url);
    await tab.evaluate(`tracklet.identify("al"); undefined`);
    await tab.evaluate(fillStorage);
    await tab.evaluate("tracklet.reset(); undefined");
    await leaveBy(tab, `location.assign("/next")`);
    await track(tab, "next");
    await tab.evaluate(`tracklet.identify("${contact}"); undefined`);
    await expectRows(["next"]);
  });

  for (const [verb, undo] of [
    ["reset", "identify"],
    ["optOut", "optIn"],
  ] as const)
    test(`that the page empties right after ${verb}: its frame knows`, async ({ open, site, contact, expectRows }) => {
      site.page("/frame", site.html({ identify: false }));
      const frame = `<iframe src="/frame"></iframe>`;
      site.page("/", site.html({ identify: false, body: frame }));
      const tab = await open(site.url);
      await waitFor(() => tab.evaluate(`!!frames[0].tracklet?.flush`), { what: "the tracker of the frame" });
      await tab.evaluate(`tracklet.identify("${verb === "reset" ? "al" : contact}"); undefined`);
      await tab.evaluate(
        `frames[0].addEventListener("storage", ({ key }) => { if (key === null) document.isEmptied = true; });
        tracklet.${verb}(); localStorage.clear(); undefined`,
      );
      await waitFor(() => tab.evaluate("document.isEmptied"), { what: "the frame to hear of it" });
      await tab.evaluate(`frames[0].tracklet.track("after"); undefined`);
      await tab.evaluate(`tracklet.${undo}("${contact}"); tracklet.track("later"); undefined`);
      // Of nobody until somebody is identified; of a visitor who refuses, nothing.
      await expectRows(verb === "reset" ? ["after", "later"] : ["later"]);
    });

  test("that the page empties while events wait", async ({ open, site, gateway, expectRows }) => {
    const tab = await open(site.url);
    const uids = await gateway.during("refuse", async () => {
      const before = await trackMany(tab, 20, "before");
      await waitForBackOff(tab);
      await tab.evaluate(() => localStorage.clear());
      return [...before, ...(await trackMany(tab, 10, "later"))];
    });
    await expectRows(uids);
    expect(gateway.posts(), "one request an event").toHaveLength(uids.length);
  });
});

test.describe("the back/forward cache", EVERY_ENGINE, () => {
  test("keeps the page, left with requests under way and at rest: what is tracked comes once", async ({
    open,
    site,
    gateway,
    expectRows,
  }) => {
    site.page("/", site.html({ head: WATCH_SHOW }));
    site.page("/bare", site.html({ tag: false }));
    const tab = await open(`${site.url}/`);
    const uids = names("round", 3);
    for (const uid of uids) {
      // In one task: what is open for longer holds a lock, and Firefox does not keep its page.
      const late = `addEventListener("pagehide", () => { ${trackCalls([`leaving-${uid}`])} }, { once: true });`;
      await leaveBy(tab, `${trackCalls([uid])} ${late} location.assign("/bare")`);
      expect(await goBack(tab), "restored").toBe(true);
    }
    await track(tab, "last");
    const all = [...uids, ...uids.map((uid) => `leaving-${uid}`), "last"];
    await expectRows(all);
    expect(gateway.posts(), "one request an event").toHaveLength(7);
    await leaveBy(tab, `location.assign("/bare")`);
    expect(await goBack(tab), "restored, left at rest").toBe(true);
    await track(tab, "rested");
    await expectRows([...all, "rested"]);
  });

  test("keeps a page with events queued in an outage: each comes once", async ({ open, site, gateway, expectRows }) => {
    site.page("/", site.html({ head: WATCH_SHOW }));
    const tab = await open(`${site.url}/`);
    // Firefox keeps no page that has a request under way: a service that asks for some seconds gets none meanwhile.
    const uids = await gateway.during({ status: 503, retryAfter: 8 }, async () => {
      const down = await trackMany(tab, 20, "down");
      await waitForBackOff(tab);
      await leaveBy(tab, `location.assign("/other")`);
      expect(await goBack(tab), "restored").toBe(true);
      return [...down, ...(await trackMany(tab, 5, "restored"))];
    });
    await expectRows(uids);
  });
});
