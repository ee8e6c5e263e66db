import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { DEMO_TOKEN } from "../harness/tag.js";
import { place } from "../harness/web-servers.js";

/* The script tag of docs/install.md, on a page as it stands there, with the script on a host of its own. */

test("With its hash in the tag, the script runs from a host of its own", { tag: "@core" }, async ({
  page,
  site,
  gateway,
  contact,
  guard,
  expectRows,
}) => {
  const bundle = await readFile(new URL("../../dist/tracklet.iife.js", import.meta.url), "utf8");
  const [tag] = await readmeBlocks("On a website", "html");
  const head = place(tag!, {
    YOUR_API_TOKEN: DEMO_TOKEN,
    "sha384-…": `sha384-${createHash("sha384").update(bundle).digest("base64")}`,
    "https://cdn.example.com": site.at("localhost"),
    "https://track.example.com": gateway.url,
  });
  const identify = `<script>(window.tracklet = window.tracklet || []).push(["identify", "${contact}"])</script>`;
  site.page("/shop", site.html({ tag: false, head: identify + head }));
  site.page("/tracklet.iife.js", bundle, { headers: { "access-control-allow-origin": "*" } });
  await page.goto(`${site.url}/shop`);
  expect(guard.browserMessages).toEqual([]);
  await track(page, "tracked");
  await expectRows(["pageview", "tracked"]);
});
