import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright/test";
import { expect, test, track, trackMany } from "../harness/fixtures.js";

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

test("No node of the page is added or removed, no attribute set", { tag: "@core" }, async ({
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

test("No cookie is set, and neither one of the page nor its address is sent", { tag: "@core" }, async ({
  context,
  page,
  site,
  gateway,
  expectRows,
}) => {
  // Cookies know no ports: without `credentials: "omit"` the service would be sent this one.
  const cookie = { name: "session", value: "secret", url: site.url };
  await context.addCookies([cookie]);
  site.page("/reset", {}, { headers: { "referrer-policy": "unsafe-url" } });
  await page.goto(`${site.url}/reset?ticket=secret`);
  await gateway.fail({ status: 200, headers: { "set-cookie": "spy=1; Path=/" } });
  await track(page, "spied");
  await gateway.waitForPosts(1, "spied");
  await gateway.quiet();
  await gateway.heal();
  await expectRows(await trackMany(page, 5));
  expect((await context.cookies()).map(({ name }) => name)).toEqual(["session"]);
  expect(gateway.requests.filter(({ headers }) => headers.cookie !== undefined)).toEqual([]);
  for (const { headers } of gateway.requests) expect(headers.referer ?? `${site.url}/`).toBe(`${site.url}/`);
});

test("A page of the disk stores its events", async ({ page, site, contact, expectRows }, info) => {
  const file = info.outputPath("page.html");
  const tag = { src: pathToFileURL(BUNDLE).href, contactUid: contact, pageviews: "auto" } as const;
  await writeFile(file, site.html({ tag, identify: false }));
  await page.goto(pathToFileURL(file).href);
  await track(page, "tracked");
  const rows = await expectRows(["pageview", "tracked"]);
  expect(rows.find(({ event_uid }) => event_uid === "pageview")?.params.visit_url).toBe(pathToFileURL(file).href);
});
