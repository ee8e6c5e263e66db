import { faintTextsWithin } from "../harness/contrast.js";
import { expect, test, track } from "../harness/fixtures.js";
import { findings, inspect, panel, visit, WORKING } from "../harness/inspector.js";
import { loaded } from "../harness/install.js";
import { createPolicy, watchPolicy } from "../harness/policy.js";

/* The panel that says what the tracker on a page does. */

test.describe("what it shows", () => {
  test("contact, what waits, answers, views", { tag: "@core" }, async ({
    page,
    site,
    gateway,
    contact,
    expectRows,
  }) => {
    await visit(page, site, {
      tag: { contactUid: contact, accountUid: "account-4", pageviews: "auto" },
      identify: false,
    });
    await expectRows(["pageview"]);
    await inspect(page);
    await expect(panel(page)).toContainText(`Contact${contact}`);
    await expect(panel(page)).toContainText("Accountaccount-4");
    await expect(panel(page)).toContainText(`Service${gateway.url}/v1/track/event`);
    await expect(panel(page)).toContainText("No event waits.");
    // Sent before it was opened: the browser still knows of it.
    await expect(panel(page)).toContainText("before this panel");
    await expect(findings(page)).toHaveText(WORKING);

    await page.evaluate(() => history.pushState(null, "", "/shop/shoes"));
    await track(page, "bought");
    await expect(panel(page)).toContainText(`${site.url}/shop/shoes`);
    await expect(panel(page)).toContainText(/bought\s*stored, 200/);
    await expectRows(["pageview", "pageview", "bought"]);
  });

  test("an outage: what waits, and `Send now`", async ({ page, site, gateway, contact, expectRows }) => {
    await visit(page, site);
    await inspect(page);
    await gateway.during({ status: 503, retryAfter: 2 }, async () => {
      await track(page, "kept");
      await expect(panel(page)).toContainText("Waiting: 1");
      await expect(panel(page)).toContainText(`keptof ${contact}`);
      await expect(panel(page)).toContainText(/Next attemptin \d+ s/);
      await expect(findings(page)).toContainText("The service fails (status 503). Events are kept and tried again.");
    });
    await panel(page).getByRole("button", { name: "Send now" }).click();
    await expectRows(["kept"]);
    await expect(findings(page)).toHaveText(WORKING);
    await expect(panel(page)).toContainText("No event waits.");
  });

  test("whatever is in the storage and in events is shown as text", async ({ page, site, contact, expectRows }) => {
    const markup = "<img src=x onerror=alert(1)>";
    site.page("/before", site.html({ tag: false, identify: false }));
    await page.goto(`${site.url}/before`);
    await page.evaluate((text) => {
      const body = JSON.stringify({ event_uid: text, contact_uid: text, params: 5 });
      localStorage.setItem("tracklet:event2:x:1:1", `0,0,${body}`);
      localStorage.setItem("tracklet:event2:y", "{");
      localStorage.setItem("tracklet:consent", text);
      localStorage.setItem("tracklet:backoff", `${text} ${text}`);
      localStorage.setItem("tracklet:identity", `1\0${text}\0${text}`);
    }, markup);
    await inspect(page);
    await expect(panel(page)).toContainText(`Contact${markup}`);
    await expect(panel(page)).toContainText(`${markup}of ${markup}`);
    expect(await panel(page).locator("img").count()).toBe(0);
    await page.evaluate(() => localStorage.clear());

    await visit(page, site);
    await inspect(page);
    await track(page, markup, { contact });
    await expect(panel(page)).toContainText(`${markup}stored, 200`);
    await expectRows([markup]);
  });

  test("a tracker that comes after the panel", async ({ page, site, contact }) => {
    await visit(page, site, { tag: false, identify: false });
    await inspect(page);
    await expect(findings(page)).toContainText("There is no tracker on this page");
    await page.evaluate(
      (tag) => {
        document.head.append(document.createRange().createContextualFragment(tag));
      },
      site.tag({ contactUid: contact }),
    );
    await loaded(page);
    await expect(panel(page)).toContainText(`Contact${contact}`);
    // By its name once the panel has found the tracker.
    await expect(async () => {
      await track(page, "bought");
      await expect(panel(page)).toContainText(/bought\s*stored, 200/, { timeout: 1_000 });
    }).toPass();
  });

  test("of two trackers, each by its name", async ({ page, site, gateway, contact }) => {
    const tag = site.tag({ name: "shop", contactUid: "somebody-else", trackUrl: gateway.url });
    await visit(page, site, { head: tag });
    await page.waitForFunction("window.shop && !Array.isArray(window.tracklet)");
    await inspect(page);
    const choice = panel(page).getByRole("combobox", { name: "Tracker" });
    await choice.selectOption("shop");
    await expect(panel(page)).toContainText("Contactsomebody-else");
    await choice.selectOption("tracklet");
    await expect(panel(page)).toContainText(`Contact${contact}`);
    expect(await page.locator("tracklet-inspector").count()).toBe(1);
  });
});

test.describe("on any page", () => {
  test("under a strict policy nothing is violated", async ({ page, site, gateway, contact, expectRows }) => {
    const { nonce, headers } = createPolicy(gateway.url);
    const violations = await watchPolicy(page, site);
    site.page("/inspect.js", 'import("/dist/tracklet.inspector.js");');
    site.page(
      "/shop",
      site.html({
        head: `<script src="/inspect.js" nonce="${nonce}"></script>`,
        tag: { contactUid: contact, pageviews: "auto", attributes: { nonce } },
        identify: false,
      }),
      { headers },
    );
    await page.goto(`${site.url}/shop`);
    await expect(panel(page)).toContainText(`Contact${contact}`);
    await expectRows(["pageview"]);
    // Its looks are there, too.
    await expect(panel(page)).toHaveCSS("border-radius", "12px");
    expect(violations.events).toEqual([]);
    expect(violations.reports()).toBe(0);
  });

  test("the page's styles do not reach it, and its own do not reach the page", async ({ page, site }) => {
    const head = `<style>
      * { display: none !important; color: red !important; font-size: 99px !important; }
      html, body, h2 { display: block !important; }
    </style>`;
    await visit(page, site, { head, body: "<h2>Shop</h2>" });
    const style = () =>
      page.locator("h2", { hasText: "Shop" }).evaluate((heading) => JSON.stringify({ ...getComputedStyle(heading) }));
    const before = await style();
    await inspect(page);
    await expect(panel(page)).toHaveCSS("font-size", "13px");
    expect(await style()).toBe(before);
  });

  test("by keyboard: the focus comes in, reaches everything, and goes back on Escape", async ({ page, site }) => {
    await visit(page, site, { body: "<button>Buy</button>" });
    await page.getByRole("button", { name: "Buy" }).focus();
    await inspect(page);
    await expect(panel(page)).toBeFocused();
    for (const name of ["Send now", "Copy", "Close"]) {
      await page.keyboard.press("Tab");
      await expect(panel(page).getByRole("button", { name })).toBeFocused();
    }
    await page.keyboard.press("Tab");
    await expect(panel(page).getByRole("group", { name: "State" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(panel(page)).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Buy" })).toBeFocused();
  });

  for (const colorScheme of ["light", "dark"] as const)
    test(`${colorScheme}, on a phone and on a desk: it fits, and can be read`, async ({ page, site, gateway }) => {
      await page.emulateMedia({ colorScheme });
      await visit(page, site, { tag: { contactUid: "contact-".repeat(20), pageviews: "auto" }, identify: false });
      await inspect(page);
      await gateway.fail({ status: 503, retryAfter: 60 });
      for (let i = 1; i <= 20; i++) await track(page, `a_long_name_of_an_event_${i}`.repeat(3));
      await expect(findings(page)).toContainText("503");
      for (const width of [320, 1_280]) {
        await page.setViewportSize({ width, height: 640 });
        const box = (await panel(page).boundingBox())!;
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
        expect(box.y).toBeGreaterThanOrEqual(0);
        expect(box.y + box.height).toBeLessThanOrEqual(640);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        const body = panel(page).getByRole("group", { name: "State" });
        expect(await body.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
      }
      expect(await faintTextsWithin(panel(page))).toEqual([]);
    });
});

for (const host of ["127.0.0.1", "shop.test"])
  test(`what it shows is copied as text, on ${host}`, async ({ page, context, site, gateway, contact }) => {
    // Without a secure context there is no clipboard for scripts: the browser's command copies, which asks for no permission.
    if (host === "127.0.0.1") await context.grantPermissions(["clipboard-write"]);
    site.page("/shop", site.html({ tag: { apiToken: "wrong" }, body: "<textarea></textarea>" }));
    await page.goto(`${site.at(host)}/shop?secret=1`);
    await inspect(page);
    await track(page, "refused");
    await expect(findings(page)).toContainText("refuses the API token");
    await panel(page).getByRole("button", { name: "Copy" }).click();
    await expect(panel(page)).toContainText("Copied.");
    await page.locator("textarea").focus();
    await page.keyboard.press("ControlOrMeta+V");
    await expect(page.locator("textarea")).toHaveValue(
      new RegExp(
        [
          `^tracklet on ${site.at(host)}/shop, 20.*`,
          "",
          "\\[problem\\] The service refuses the API token \\(status 401\\)[^]*",
          `Contact: ${contact}`,
          "[^]*",
          `Service: ${gateway.url}/v1/track/event`,
          "[^]*Waiting: 1",
          `- refused \\(of ${contact}, failed 1 ×\\)`,
        ].join("\n"),
      ),
    );
  });

test("a bookmark opens it again after it was closed, and never a second one", async ({ page, site, contact }) => {
  // A module runs once for each of its addresses.
  const bookmark = `void import("${site.url}/dist/tracklet.inspector.js?" + Date.now())`;
  const click = () => page.evaluate(bookmark);
  const close = async () => {
    await panel(page).getByRole("button", { name: "Close" }).click();
    await expect(panel(page)).toHaveCount(0);
  };
  await visit(page, site);
  await click();
  await expect(panel(page)).toBeVisible();
  await close();
  await click();
  await expect(panel(page)).toContainText(`Contact${contact}`);
  await track(page, "bought");
  await expect(panel(page)).toContainText(/bought\s*stored, 200/);

  await panel(page).getByRole("button", { name: "Send now" }).focus();
  await click();
  await expect(panel(page)).toBeFocused();
  await expect(page.locator("tracklet-inspector")).toHaveCount(1);
  await close();
});
