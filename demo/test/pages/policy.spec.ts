import { expect } from "playwright/test";
import { watchPolicy } from "../../../e2e/harness/policy.js";
import { test } from "./fixtures.js";

/* Every page of the demo's two servers runs under a strict policy, and breaks none of it. */

const SITE = ["/", "/classic.html", "/classic/pricing.html", "/spa.html", "/late.html", "/live.html", "/none"];

test("The demo's pages keep to their policy, the inspector and the live page too", async ({ page, demo }) => {
  const violations = await watchPolicy(page);
  const open = async (url: string) => {
    const answer = await page.goto(url);
    expect(await answer!.allHeaders()).toMatchObject({
      "content-security-policy": expect.stringMatching(/^default-src 'none'; .*frame-ancestors 'none'/),
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    });
  };
  for (const path of SITE) await open(demo.site + path);
  await open(`${demo.site}/classic.html?tracklet_inspect`);
  await expect(page.getByRole("dialog", { name: /^Inspector/ })).toBeVisible();

  await open(`${demo.service}/docs/`);
  await page.getByRole("link", { name: "/v1/track/event", exact: true }).click();
  await page.getByRole("button", { name: "Try it out" }).click();
  await expect(page.getByRole("button", { name: "Execute" })).toBeVisible();
  expect(violations.events).toEqual([]);
});
