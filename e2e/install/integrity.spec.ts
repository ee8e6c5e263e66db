import { readFile } from "node:fs/promises";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The README's script tag, on a page as it stands there, with the script on a host of its own. */

const BUNDLE = new URL("../../dist/tracklet.iife.js", import.meta.url);
const CROSS_ORIGIN = { headers: { "access-control-allow-origin": "*" } };

test.beforeEach(async ({ site, gateway, contact }) => {
  const [tag] = await readmeBlocks("On a website", "html");
  const given = { "https://cdn.example.com": site.at("localhost"), "https://track.example.com": gateway.url };
  let head = tag!.replace("YOUR_API_TOKEN", DEMO_TOKEN);
  for (const [shown, real] of Object.entries(given)) {
    expect(head).toContain(shown);
    head = head.replace(shown, real);
  }
  const identify = `<script>(window.tracklet = window.tracklet || []).push(["identify", "${contact}"])</script>`;
  site.page("/shop", site.html({ tag: false, head: identify + head }));
});

test("the tag's integrity is that of the built script: if not, `npm run integrity` renews it", {
  tag: "@core",
}, async ({ page, site, guard, expectRows }) => {
  site.page("/tracklet.iife.js", await readFile(BUNDLE, "utf8"), CROSS_ORIGIN);
  await page.goto(`${site.url}/shop`);
  expect(guard.browserMessages, "run `npm run integrity`").toEqual([]);
  await track(page, "tracked");
  await expectRows(["pageview", "tracked"]);
});

test("a script that was changed on its host does not run", async ({ page, site, guard, gateway }) => {
  site.page("/tracklet.iife.js", `${await readFile(BUNDLE, "utf8")}\nwindow.hacked = 1;`, CROSS_ORIGIN);
  await page.goto(`${site.url}/shop`);
  expect(guard.browserMessages.join()).toContain("integrity");
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  expect(gateway.requests).toEqual([]);
});
