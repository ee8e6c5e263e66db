import { networkInterfaces } from "node:os";
import { CORE, EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { waitForBackOff } from "../harness/outage.js";
import { startProxy } from "../harness/proxy.js";
import { isSecurePossible } from "../harness/secure.js";
import { goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";
import { names, track, trackCalls, trackMany } from "../harness/track.js";

/* What a visitor and a network do to delivery, in every engine. The specs beside this one go further into each. */

// The service drops repeats of stamped events: of others it shows them.
test.beforeEach(({ site }) => site.configure({ stamp: false }));

test(
  "Where the storage is denied, events come, in an outage too",
  EVERY_ENGINE,
  async ({ open, site, gateway, expectRows }) => {
    // An origin of its own that is nobody's: as in a sandboxed frame.
    site.page("/", {}, { headers: { "content-security-policy": "sandbox allow-scripts" } });
    const tab = await open();
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
  },
);

test("The back/forward cache keeps a page that is left with requests under way, at rest, or with events queued in an outage, and each comes once", {
  tag: ["@engines", "@core", "@https", "@browser"],
}, async ({ open, site, gateway, expectRows }) => {
  site.page("/", { head: WATCH_SHOW });
  site.page("/bare", { tag: false });
  const tab = await open();
  /** Leaves, and comes back. */
  const goAndReturn = async (how: string, statements = ""): Promise<void> => {
    await leaveBy(tab, `${statements} location.assign("/bare")`);
    expect(await goBack(tab), `restored, left ${how}`).toBe(true);
  };
  const uids = names("round", 3);
  for (const uid of uids) {
    const late = `addEventListener("pagehide", () => { ${trackCalls([`leaving-${uid}`])} }, { once: true });`;
    await goAndReturn("with a request under way", `${trackCalls([uid])} ${late}`);
  }
  await track(tab, "last");
  const all = [...uids, ...uids.map((uid) => `leaving-${uid}`), "last"];
  await expectRows(all);
  expect(gateway.posts(), "one request an event").toHaveLength(7);
  await goAndReturn("at rest");
  // Firefox keeps no page that has a request under way: a service that asks for some seconds gets none meanwhile.
  const queued = await gateway.during({ status: 503, retryAfter: 8 }, async () => {
    const down = await trackMany(tab, 20, "down");
    await waitForBackOff(tab);
    await goAndReturn("in an outage");
    return [...down, ...(await trackMany(tab, 5, "restored"))];
  });
  await expectRows([...all, ...queued]);
});

test("Four tabs with ten events each, that are loaded again in an outage, repeat none when it ends", {
  tag: [...CORE.tag, "@https"],
}, async ({ open, site, gateway, expectRows }) => {
  // What they track seems to be half a minute old after that.
  site.first(`if (!sessionStorage.isOld) {
      sessionStorage.isOld = true;
      const now = Date.now;
      Date.now = () => now() - 30_000;
    }`);
  const uids = await gateway.during("refuse", async () => {
    const tabs = await Promise.all(Array.from({ length: 4 }, () => open()));
    const tracked = await Promise.all(tabs.map((tab, index) => trackMany(tab, 10, `tab-${index + 1}`)));
    await Promise.all(tabs.map((tab) => waitForBackOff(tab).then(() => tab.reload())));
    return tracked.flat();
  });
  await expectRows(uids);
  expect(gateway.posts(), "one request an event, none sent by two tabs").toHaveLength(uids.length);
});

test("A tab that hears of a log-in only when it is back from the cache sends nothing that another one has sent", {
  tag: ["@engines", "@https"],
}, async ({ open, site, expectRows }) => {
  site.page("/nobody", { head: WATCH_SHOW, identify: false });
  site.page("/bare", { tag: false });
  const tab = await open("/nobody");
  const uids = await trackMany(tab, 5);
  await leaveBy(tab, `location.assign("/bare")`);
  await open();
  await expectRows(uids);
  expect(await goBack(tab), "restored").toBe(true);
  await track(tab, "back");
  await expectRows([...uids, "back"]);
});

/** Answers what has failed with a page of its cache, as the offline page of a progressive web app. */
const OFFLINE_WORKER = `
addEventListener("install", (event) => event.waitUntil(caches.open("v1").then((cache) => cache.add("/offline")).then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(fetch(event.request).catch(() => caches.match("/offline"))));
`;

test(
  "What a service worker answers by its offline page has not arrived, and comes when the outage is over",
  EVERY_ENGINE,
  async ({ open, site, gateway, expectRows }) => {
    site.page("/offline", "<!doctype html><h1>You are offline</h1>");
    site.page("/worker.js", OFFLINE_WORKER);
    const tab = await open();
    const controlled = tab.evaluate(async () => {
      if (!navigator.serviceWorker) return false;
      const taken = new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
      await navigator.serviceWorker.register("/worker.js");
      if (!navigator.serviceWorker.controller) await taken;
      return true;
    });
    test.skip(!(await controlled), "this engine has no service workers here");
    const uids = await gateway.during("refuse", async () => {
      const tracked = await trackMany(tab, 10, "offline");
      await waitForBackOff(tab);
      return tracked;
    });
    await expectRows(uids);
  },
);

test.describe(() => {
  test.skip(!isSecurePossible(), "needs openssl");
  test.use({ isSecure: true });

  test(
    "Where the page's policy upgrades the service's address to https, events go out once each",
    EVERY_ENGINE,
    async ({ open, site, service, expectRows }) => {
      // Chromium and Firefox upgrade no address of the loopback.
      const [own] = Object.values(networkInterfaces()).flatMap((all) =>
        all!.filter(({ family, internal }) => family === "IPv4" && !internal),
      );
      test.skip(!own, "needs an address beside the loopback's");
      const upgraded = await startProxy({ target: service.url, isSecure: true, host: own!.address });
      site.page(
        "/",
        { tag: { trackUrl: upgraded.url.replace("https", "http") } },
        { headers: { "content-security-policy": "upgrade-insecure-requests" } },
      );
      const tab = await open();
      await expectRows(await trackMany(tab, 10, "upgraded"));
      expect(upgraded.posts(), "one request an event").toHaveLength(10);
      await upgraded.close();
    },
  );
});
