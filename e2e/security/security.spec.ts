import { writeFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test, track, trackMany } from "../harness/fixtures.js";

/* What the script leaves alone, and a page that is a file. */

const BUNDLE = fileURLToPath(new URL("../../dist/tracklet.iife.js", import.meta.url));

test("No node of the page is added or removed, no attribute set", { tag: "@core" }, async ({
  open,
  site,
  contact,
  expectRows,
}) => {
  const page = await open("/", { tag: false, body: '<a href="#top">Top</a>' });
  await page.evaluate(
    (tag) => {
      window.changes = [];
      new MutationObserver((records) => {
        for (const { type, target, attributeName } of records)
          window.changes.push([type, target.nodeName, attributeName].join(" "));
      }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
      document.body.append(document.createRange().createContextualFragment(tag));
    },
    site.tag({ contactUid: contact, pageviews: "auto" }),
  );
  await expectRows(["pageview"]);
  await track(page, "tracked");
  await page.evaluate(() => history.pushState(null, "", "/shop/shoes"));
  await expectRows(["pageview", "tracked", "pageview"]);
  expect(await page.evaluate(() => window.changes)).toEqual(["childList BODY "]);
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
