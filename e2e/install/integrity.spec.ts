import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The script tag of docs/install.md, on a page as it stands there, with the script on a host of its own. */

const BUNDLE = new URL("../../dist/tracklet.iife.js", import.meta.url);
const CROSS_ORIGIN = { headers: { "access-control-allow-origin": "*" } };

test.beforeEach(async ({ site, gateway, contact }) => {
  const [tag] = await readmeBlocks("On a website", "html");
  const given = { "https://cdn.example.com": site.at("localhost"), "https://track.example.com": gateway.url };
  const hash = createHash("sha384")
    .update(await readFile(BUNDLE))
    .digest("base64");
  expect(tag).toContain("sha384-…");
  let head = tag!.replace("YOUR_API_TOKEN", DEMO_TOKEN).replace("…", hash);
  for (const [shown, real] of Object.entries(given)) {
    expect(head).toContain(shown);
    head = head.replace(shown, real);
  }
  const identify = `<script>(window.tracklet = window.tracklet || []).push(["identify", "${contact}"])</script>`;
  site.page("/shop", site.html({ tag: false, head: identify + head }));
});

test("With its hash in the tag, the script runs from a host of its own", { tag: "@core" }, async ({
  page,
  site,
  guard,
  expectRows,
}) => {
  site.page("/tracklet.iife.js", await readFile(BUNDLE, "utf8"), CROSS_ORIGIN);
  await page.goto(`${site.url}/shop`);
  expect(guard.browserMessages).toEqual([]);
  await track(page, "tracked");
  await expectRows(["pageview", "tracked"]);
});

test("With another file's hash in the tag, a script that was changed on its host does not run", async ({
  page,
  site,
  guard,
  gateway,
}) => {
  site.page("/tracklet.iife.js", `${await readFile(BUNDLE, "utf8")}\nwindow.hacked = 1;`, CROSS_ORIGIN);
  await page.goto(`${site.url}/shop`);
  expect(guard.browserMessages.join()).toContain("integrity");
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(gateway.requests).toEqual([]);
});
