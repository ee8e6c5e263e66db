import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright/test";
import { expect, test, track, trackMany } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";
import { createPolicy, watchPolicy } from "../harness/policy.js";

/* Pages with a strict content security policy, and pages of which the browser takes rights away. */

const BUNDLE = fileURLToPath(new URL("../../dist/tracklet.iife.js", import.meta.url));

/** The site's own script: calls before the bundle, after it, and a navigation within the page. */
const SHOP = `
  window.tracklet = window.tracklet || [];
  tracklet.push(["track", "early"]);
  addEventListener("load", () => {
    tracklet.push(["track", "late", { markup: "<img src=x onerror=alert(1)>" }]);
    history.pushState(null, "", "/shop/shoes");
  });`;
const SHOP_EVENTS = ["pageview", "early", "late", "pageview"];

test.describe("under a strict content security policy with trusted types", () => {
  test("a trusted script may insert it later without nonce", async ({ page, site, gateway, contact, expectRows }) => {
    const { nonce, headers } = createPolicy(gateway.url);
    const violations = await watchPolicy(page, site);
    const options = { apiToken: "demo-api-token", trackUrl: gateway.url, contactUid: contact };
    site.page(
      "/loader.js",
      `${SHOP}
      const policy = trustedTypes.createPolicy("loader", { createScriptURL: (url) => url });
      const script = document.createElement("script");
      Object.assign(script.dataset, ${JSON.stringify({ ...options, pageviews: "auto" })});
      script.src = policy.createScriptURL("/dist/tracklet.iife.js");
      document.head.append(script);`,
    );
    site.page("/shop", site.html({ head: `<script src="/loader.js" nonce="${nonce}"></script>`, tag: false }), {
      headers,
    });
    await page.goto(`${site.url}/shop`);
    await expectRows(SHOP_EVENTS);
    expect(violations.events).toEqual([]);
    expect(violations.reports()).toBe(0);
  });
});

test.describe("nothing of the page is touched, and nothing of it leaks", () => {
  /** Every change to the document from its beginning on, as text. */
  const watchDocument = (page: Page) =>
    page.addInitScript(() => {
      const changes: string[] = [];
      Object.assign(window, { changes });
      new MutationObserver((records) => {
        for (const { type, target, addedNodes, removedNodes, attributeName } of records)
          changes.push(
            [type, target, ...addedNodes, "-", ...removedNodes, attributeName]
              .map((part) => (part instanceof Node ? part.nodeName : part))
              .join(" "),
          );
      }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    });
  const changes = (page: Page) => page.evaluate(() => window.changes.toSorted());

  test("no node is added or removed, no attribute set", { tag: "@core" }, async ({
    page,
    site,
    contact,
    expectRows,
  }) => {
    const html = (src: string) =>
      site.html({
        head: '<script defer src="/shop.js"></script>',
        body: '<a href="#top">Top</a>',
        identify: false,
        tag: { contactUid: contact, pageviews: "auto", src },
      });
    site.page("/shop.js", SHOP);
    site.page("/without", html("/nothing.js"));
    site.page("/nothing.js", "");
    site.page("/with", html("/dist/tracklet.iife.js"));
    await watchDocument(page);
    await page.goto(`${site.url}/without`);
    const parsed = await changes(page);
    expect(parsed).toContain("childList HEAD SCRIPT - ");
    await page.goto(`${site.url}/with`);
    await expectRows(SHOP_EVENTS);
    expect(await changes(page)).toEqual(parsed);
  });

  test("no cookie is set, and none of the page is sent", { tag: "@core" }, async ({
    context,
    page,
    site,
    gateway,
    expectRows,
  }) => {
    // Cookies know no ports: without `credentials: "omit"` the service would be sent this one.
    const cookie = { name: "session", value: "secret", url: site.url };
    await context.addCookies([cookie]);
    await page.goto(site.url);
    await gateway.fail({ status: 200, headers: { "set-cookie": "spy=1; Path=/" } });
    await track(page, "spied");
    await gateway.waitForPosts(1, "spied");
    await gateway.quiet();
    await gateway.heal();
    await expectRows(await trackMany(page, 5));
    expect((await context.cookies()).map(({ name }) => name)).toEqual(["session"]);
    expect(gateway.requests.filter(({ headers }) => headers.cookie !== undefined)).toEqual([]);
  });
});

test.describe("where the browser takes rights away", () => {
  const FRAMES = {
    "a sandboxed frame": () => '<iframe sandbox="allow-scripts" src="/inside"></iframe>',
    "a data: frame": (inside: string) =>
      `<iframe src="data:text/html;charset=utf-8,${encodeURIComponent(inside)}"></iframe>`,
  };
  for (const [what, frame] of Object.entries(FRAMES))
    test(`${what}: no origin and no storage`, async ({ page, site, gateway, contact, expectRows }) => {
      const inside = site.html({
        head: `<script>
          try { localStorage.length; tracklet = []; tracklet.push(["track", "storage"]); } catch {}
          (window.tracklet = window.tracklet || []).push(["track", self.origin]);
        </script>`,
        tag: { src: `${site.url}/dist/tracklet.iife.js`, contactUid: contact },
        identify: false,
      });
      site.page("/inside", inside);
      site.page("/outside", site.html({ tag: false, body: frame(inside) }));
      await page.goto(`${site.url}/outside`);
      await expectRows(["null"]);
      const uids = await trackMany(page.frames()[1]!, 20);
      await gateway.during({ status: 503, retryAfter: 1 }, async () => {
        uids.push(...(await trackMany(page.frames()[1]!, 20, "down")));
        await gateway.waitFor(() => gateway.posts().some(({ status }) => status === 503));
      });
      await expectRows(["null", ...uids]);
      expect(new Set(gateway.requests.map(({ headers }) => headers.origin))).toEqual(new Set(["null"]));
    });

  test("a page of the disk", async ({ page, site, gateway, contact, expectRows }) => {
    const folder = await mkdtemp(join(tmpdir(), "tracklet-page-"));
    try {
      await copyFile(BUNDLE, join(folder, "tracklet.iife.js"));
      const html = site.html({
        tag: { src: "tracklet.iife.js", contactUid: contact, pageviews: "auto" },
        identify: false,
      });
      await writeFile(join(folder, "page.html"), html);
      const url = pathToFileURL(join(folder, "page.html")).href;
      await page.goto(url);
      const uids = await trackMany(page, 5);
      const rows = await expectRows(["pageview", ...uids]);
      expect(rows.find(({ event_uid }) => event_uid === "pageview")?.params.visit_url).toBe(url);
      await gateway.fail("refuse");
      // What is in flight when a page is left counts as handed off: the outage is seen before.
      await track(page, "down");
      await waitForBackOff(page);
      await page.goto("about:blank");
      await gateway.heal();
      await page.goto(url);
      await expectRows(["pageview", ...uids, "down", "pageview"]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
