import { expect, test, track } from "../harness/fixtures.js";
import { findings, init, inspect, panel, visit } from "../harness/inspector.js";
import { loaded } from "../harness/install.js";
import { createPolicy } from "../harness/policy.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* What the inspector finds wrong, in words. */

test.describe("mistakes, in words", () => {
  test("a wrong token", async ({ page, site, expectRows }) => {
    await visit(page, site, { tag: { apiToken: "wrong" } });
    await inspect(page);
    await track(page, "refused");
    await expect(findings(page)).toContainText("refuses the API token (status 401): check data-api-token");
    await expect(panel(page)).toContainText("Waiting: 1");
    await expect(panel(page)).toContainText(
      /Next attemptin \d+ s; a corrected page delivers at once when it is loaded/,
    );
    await visit(page, site);
    await expectRows(["refused"]);
  });

  test("an answer 200 that is a web page", async ({ page, site, gateway }) => {
    await gateway.fail({ status: 200, headers: { "content-type": "text/html; charset=utf-8" }, body: "<h1>Shop</h1>" });
    await visit(page, site);
    await track(page, "before");
    await gateway.waitForPosts(1, "before");
    await inspect(page);
    await track(page, "after");
    await expect(panel(page)).toContainText(/after\s*200, a web page/);
    await expect(findings(page)).toContainText("it is a web page (HTML), not the service's");
    await expect(panel(page)).not.toContainText("stored, 200");
  });

  test("an address without https://", async ({ page, site }) => {
    await visit(page, site, { tag: { apiToken: undefined as never, trackUrl: undefined as never } });
    await loaded(page);
    await init(page, { apiToken: DEMO_TOKEN, trackUrl: "track.example.com", pageviews: "off" });
    await track(page, "astray");
    await inspect(page);
    await expect(findings(page)).toContainText(
      `Requests go to ${site.url}/track.example.com/v1/track/event, which is a path of this page: write trackUrl with https://track.example.com.`,
    );
  });

  test("a service that does not allow the page (CORS)", async ({ page, site, gateway }) => {
    await visit(page, site);
    await inspect(page);
    await gateway.fail({ status: 200, cors: false, preflight: "fault" });
    await track(page, "unread");
    await expect(findings(page)).toContainText(
      `Something answers at ${gateway.url}/v1/track/event, but does not allow`,
    );
  });

  test("no service at all, or one that speaks no https", async ({ page, site, gateway }) => {
    await visit(page, site, { tag: { trackUrl: gateway.url.replace("http:", "https:") } });
    await inspect(page);
    await track(page, "unheard");
    await expect(findings(page)).toContainText("but something does by http: give the service a certificate");
    await gateway.fail("refuse");
    await visit(page, site);
    await inspect(page);
    await track(page, "unheard");
    await expect(findings(page)).toContainText(`Nothing answers at ${gateway.url}/v1/track/event`);
  });

  test("a path of the site without a proxy", async ({ page, site }) => {
    await visit(page, site, { tag: { trackUrl: "/", eventPath: "/dist/none" } });
    await inspect(page);
    await track(page, "astray");
    await expect(findings(page)).toContainText(
      `This site itself answers at ${site.url}/dist/none (status 404), and passes nothing on to a service`,
    );
  });

  test("calls that reach nobody: under another name, or as a method before the script is there", async ({
    page,
    site,
    guard,
  }) => {
    guard.allow(/identify is not a function/);
    const early = '<script>tracklet.identify("somebody")</script>';
    await visit(page, site, { head: `<script>window.tracklet = []</script>${early}`, identify: false });
    await inspect(page);
    await track(page, "nobodys");
    await expect(findings(page)).toContainText('Write tracklet.push(["identify", …]), which waits.');
    await visit(page, site, { tag: { name: "shop" } });
    await page.waitForFunction("window.shop");
    await inspect(page);
    await expect(findings(page)).toContainText("Calls wait in window.tracklet (1), and nothing takes them over");
  });

  test("a policy without the service", async ({ page, site, gateway }) => {
    const { nonce, headers } = createPolicy("https://elsewhere.example");
    site.page("/shop", site.html({ tag: { attributes: { nonce } }, identify: false }), { headers });
    await page.goto(`${site.url}/shop`);
    await inspect(page);
    await page.evaluate(() => {
      const { tracklet } = window;
      tracklet.push(["identify", "somebody"], ["track", "blocked"]);
    });
    await expect(findings(page)).toContainText("Content-Security-Policy forbids requests to");
    await expect(findings(page)).toContainText("name it in connect-src");
    expect(gateway.requests).toEqual([]);
  });

  test("a tag whose attributes were taken away, or are all misspelt, until a call configures it", async ({
    page,
    site,
    gateway,
    contact,
    guard,
    expectRows,
  }) => {
    guard.allow(/no apiToken/);
    await visit(page, site, { tag: { apiToken: undefined as never, trackUrl: undefined as never, token: "x" } });
    await loaded(page);
    await inspect(page);
    await track(page, "early");
    await expect(findings(page)).toContainText("The tracker has no options, and calls wait for them");
    await expect(findings(page)).toContainText("data-token is no option");
    await expect(panel(page)).toContainText("Next attemptnone, as things are");
    await init(page, { apiToken: DEMO_TOKEN, trackUrl: gateway.url, pageviews: "off" });
    await expectRows(["early"]);
    await expect(findings(page)).not.toContainText("has no options");
    await expect(panel(page)).toContainText(`Contact${contact}`);
  });

  test("a call of `init` without a token, and a hook that drops everything", async ({ page, site, gateway }) => {
    await visit(page, site, { tag: { apiToken: undefined as never, trackUrl: undefined as never } });
    await loaded(page);
    await init(page, { apiToken: "", trackUrl: gateway.url });
    await track(page, "kept");
    await inspect(page);
    await expect(findings(page)).toHaveText("init was given no apiToken.");
    await expect(panel(page)).toContainText("Next attemptnone, as things are");

    await visit(page, site, { tag: { apiToken: undefined as never, trackUrl: undefined as never } });
    await loaded(page);
    await page.evaluate((options) => window.tracklet.init({ ...options, beforeSend: () => null }), {
      apiToken: DEMO_TOKEN,
      trackUrl: gateway.url,
    });
    await inspect(page);
    await track(page, "dropped");
    await expect(findings(page)).toContainText(/beforeSend drops every event \(\d since this panel was opened\)/);
    expect(gateway.requests).toEqual([]);
  });

  test("no consent yet, and no storage", async ({ page, site }) => {
    await visit(page, site, { tag: { consent: "pending" } });
    await loaded(page);
    await track(page, "before");
    await inspect(page);
    await expect(findings(page)).toHaveText(/^Consent is pending.* Events that wait in memory: 1\.$/);
    await track(page, "after");
    await expect(findings(page)).toContainText("Events that wait in memory: 2.");
    await page.addInitScript(() => Object.defineProperty(window, "localStorage", { value: null }));
    await visit(page, site);
    await inspect(page);
    await expect(findings(page)).toContainText("This page has no localStorage");
  });

  test("consent that is denied", async ({ page, site, gateway }) => {
    await visit(page, site, { tag: { consent: "denied" } });
    await inspect(page);
    await expect(findings(page)).toContainText('The option consent is "denied"');
    await expect(panel(page)).toContainText("Consentdenied: nothing is stored or sent");
    await expect(panel(page)).toContainText("Next attemptnone, as things are");
    expect(gateway.requests).toEqual([]);
  });
});
