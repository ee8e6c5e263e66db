import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test } from "../harness/fixtures.js";
import { localise, place } from "../harness/install.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* One script on a page, in every way it can come there. */

test("What the README tells to paste counts the view of the page, and the press of its button", async ({
  page,
  site,
  gateway,
  contact,
  expectRows,
}) => {
  const [tag, body] = await readmeBlocks("Paste this", "html", "README.md");
  const head = localise(tag!, DEMO_TOKEN, gateway.url).replace("contact-42", contact);
  site.page("/", { tag: false, head, body: body! });
  await page.goto(site.url);
  const [view] = await expectRows(["pageview"]);
  expect(view!.params).toMatchObject({ account_uid: "account-7", visit_url: `${site.url}/` });
  await page.getByRole("button").click();
  await expectRows(["pageview", "signed_up"]);
});

test("Every example of the documents for a website works, in turn on one page, with the script's hash and from a host of its own", {
  tag: "@core",
}, async ({ page, site, gateway, contact, guard, expectRows }) => {
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning") warnings.push(message.text());
  });
  const bundle = await readFile(new URL("../../dist/tracklet.iife.js", import.meta.url), "utf8");
  const blocks = place((await readmeBlocks("On a website", "html")).join("\n"), {
    YOUR_API_TOKEN: DEMO_TOKEN,
    "sha384-…": `sha384-${createHash("sha384").update(bundle).digest("base64")}`,
    "https://cdn.example.com": site.at("localhost"),
    "https://track.example.com": gateway.url,
    "contact-17": contact,
  });
  site.page("/tracklet.iife.js", bundle, { headers: { "access-control-allow-origin": "*" } });
  site.page("/", { tag: false, head: blocks });
  await page.goto(site.url);
  const rows = await expectRows(["pageview", "registration"]);
  expect(rows[0]!.params).toMatchObject({ account_uid: "account-4" });
  expect([...warnings, ...guard.browserMessages]).toEqual([]);
});
