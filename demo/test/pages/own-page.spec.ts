import { expect } from "playwright/test";
import { startSite } from "../../../e2e/harness/site.js";
import { test } from "./fixtures.js";

test("The tag that npm start prints counts a page of somebody's own, on another origin", async ({ page, demo }) => {
  const site = await startSite();
  // With the attribute, the browser asks whether the page may read the script.
  site.page("/", site.html({ tag: false, head: demo.tag.replace("async", "async crossorigin") }));
  await page.goto(site.url);
  await expect
    .poll(async () => (await demo.rows({ uid: "me", name: "", accounts: [] })).map(({ params }) => params.visit_url))
    .toEqual([`${site.url}/`]);
  await site.close();
});
