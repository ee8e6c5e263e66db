import { copyFile, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { readmeBlocks } from "../../test/support/readme.js";
import { expect, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel, visit } from "../harness/inspector.js";

/* The inspector as the README says. */

const NEW_PICTURE = process.env.UPDATE_SCREENSHOT === "1";
/** The README's picture is in the repository, and loaded by everybody who reads it. */
const PICTURE_BYTES = 80_000;
const PICTURE = fileURLToPath(new URL("../../demo/site/inspector.png", import.meta.url));

const SHOP = `<style>
  body { margin: 32px; font: 16px/1.5 "DejaVu Sans", sans-serif; background: #faf7f2; color: #2b2118; }
  li { margin: 8px 0; }
</style>
<h1>Shoes</h1><ul><li>Walking shoes</li><li>Running shoes</li><li>Sandals</li></ul><p>Free returns.</p>`;

test("it opens by the query of the address, and by a bookmark", async ({ page, site }) => {
  const [snippet] = await readmeBlocks("The inspector", "html");
  const [bookmark] = await readmeBlocks("The inspector", "text");
  const local = (code: string) => {
    expect(code).toContain("https://cdn.example.com");
    return code.replace("https://cdn.example.com", `${site.url}/dist`);
  };
  await visit(page, site, { head: local(snippet!) });
  await page.waitForFunction("!Array.isArray(window.tracklet)");
  await expect(panel(page)).toHaveCount(0);
  await page.goto(`${site.url}/shop?tracklet_inspect`);
  await expect(panel(page)).toBeVisible();
  await panel(page).getByRole("button", { name: "Close" }).click();
  await expect(panel(page)).toHaveCount(0);

  // By the keyboard, on a page that allows it.
  for (let time = 1; time <= 2; time++) {
    await page.keyboard.press("Control+Alt+KeyI");
    await expect(panel(page)).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(panel(page)).toHaveCount(0);
  }

  await visit(page, site);
  for (let time = 1; time <= 2; time++) {
    await page.evaluate(local(bookmark!).replace("javascript:", ""));
    await expect(panel(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(panel(page)).toHaveCount(0);
  }
});

test("the picture is of what is shown, and in the repository", async ({ page, site, gateway }, info) => {
  await page.setViewportSize({ width: 760, height: 640 });
  await visit(page, site, {
    body: SHOP,
    tag: { contactUid: "contact-17", accountUid: "account-4" },
    identify: false,
  });
  await inspect(page);
  for (const uid of ["search", "add_to_basket"]) {
    await track(page, uid);
    await gateway.waitForPosts(1, uid);
  }
  await gateway.quiet();
  await page.evaluate(() => window.tracklet.pageview({ visit_url: "https://shop.example/shoes" }));
  await gateway.waitForPosts(1, "pageview");
  await gateway.quiet();
  await gateway.fail({ status: 401 });
  await track(page, "checkout");
  await track(page, "registration", { display_name: "Registered" });
  await expect(panel(page)).toContainText("Waiting: 2");
  await expect(findings(page)).toContainText("401");
  const taken = info.outputPath("inspector.png");
  await page.screenshot({ path: taken });
  expect((await stat(taken)).size).toBeLessThan(PICTURE_BYTES);
  if (NEW_PICTURE) await copyFile(taken, PICTURE);
  expect((await stat(PICTURE)).size).toBeLessThan(PICTURE_BYTES);
});
