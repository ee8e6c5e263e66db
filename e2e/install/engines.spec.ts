import { readmeBlocks } from "../../test/support/readme.js";
import { EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { countReports, createPolicy } from "../harness/policy.js";
import { track } from "../harness/track.js";

/* The ways in which the tracker comes to a page, and what the page may forbid, in every engine. */

const stub = async (): Promise<string> =>
  (await readmeBlocks("On a website", "html")).find((code) => code.includes(".split"))!;

test.describe("installed", EVERY_ENGINE, () => {
  for (const how of ["async", "defer", `type="module"`, ""])
    test(`by a script tag${how && `, ${how}`}: calls before and after`, async ({ open, site, contact, expectRows }) => {
      const head = `<script>(window.tracklet = window.tracklet || []).push(["track", "before", { n: 1 }]);</script>`;
      const html = site.html({ head, identify: false, tag: { contactUid: contact, accountUid: "acme" } });
      site.page("/", html.replace("<script async", `<script ${how}`));
      const tab = await open(site.url);
      await tab.evaluate(`tracklet.push(["track", "pushed"]); tracklet.track("called", { n: 2 }); undefined`);
      const rows = await expectRows(["before", "pushed", "called"]);
      expect(rows.find(({ event_uid }) => event_uid === "before")?.params).toEqual({ account_uid: "acme", n: 1 });
    });

  test("by a script tag behind the stub: methods from before it loads", async ({ open, site, contact, expectRows }) => {
    const calls = `<script>tracklet.identify(${JSON.stringify(contact)}, "acme"); tracklet.track("early");</script>`;
    site.page("/", site.html({ identify: false, head: (await stub()) + calls }));
    const tab = await open(site.url);
    await tab.evaluate(`tracklet.track("late"); undefined`);
    const rows = await expectRows(["early", "late"]);
    expect(rows.map(({ params }) => params)).toEqual([{ account_uid: "acme" }, { account_uid: "acme" }]);
  });

  test("by a push that configures it", async ({ open, site, gateway, contact, expectRows }) => {
    const config = { apiToken: "demo-api-token", trackUrl: gateway.url, contactUid: contact, pageviews: "off" };
    const head = `<script>window.tracklet = [["track", "early"], ["init", ${JSON.stringify(config)}]];</script>
      <script async src="/dist/tracklet.iife.js"></script>`;
    site.page("/", site.html({ tag: false, head }));
    await open(site.url);
    await expectRows(["early"]);
  });

  test("as an ES module", async ({ open, site, app, expectRows }) => {
    app();
    const tab = await open(site.url);
    await track(tab, "imported");
    await expectRows(["imported"]);
  });

  test("under a strict policy: nothing is violated", async ({ open, site, gateway, contact, expectRows }) => {
    const { nonce, headers } = createPolicy(gateway.url);
    const reports = countReports(site);
    site.page(
      "/shop.js",
      `window.violations = [];
      addEventListener("securitypolicyviolation", ({ violatedDirective }) => violations.push(violatedDirective));
      (window.tracklet = window.tracklet || []).push(["track", "early"]);
      addEventListener("load", () => {
        tracklet.push(["track", "late", { markup: "<img src=x onerror=alert(1)>" }]);
      });`,
    );
    const tag = { contactUid: contact, pageviews: "auto" as const, attributes: { nonce } };
    const head = `<script src="/shop.js" nonce="${nonce}"></script>`;
    site.page("/shop", site.html({ head, tag, identify: false }), { headers });
    const tab = await open(`${site.url}/shop`);
    await expectRows(["pageview", "early", "late"]);
    expect(await tab.evaluate("window.violations")).toEqual([]);
    expect(reports(), "reports of violations").toBe(0);
    // The proof that the page would have told.
    await tab.evaluate(() => fetch("/elsewhere").catch(() => {}));
    await expect.poll(() => tab.evaluate("window.violations")).toEqual(["connect-src"]);
    await expect.poll(reports).toBe(1);
  });
});

test.describe("consent", EVERY_ENGINE, () => {
  test.beforeEach(({ site }) => site.configure({ consent: "pending", pageviews: "auto" }));
  const KEYS = `Object.keys(localStorage).filter((key) => key.startsWith("tracklet"))`;

  test("pending: nothing is stored or sent, over a reload and at the end", async ({ open, site, gateway }) => {
    const tab = await open(site.url);
    await track(tab, "waits");
    await tab.reload();
    await track(tab, "waits");
    expect(await tab.evaluate(KEYS)).toEqual([]);
    await tab.close();
    await gateway.quiet();
    expect(gateway.requests).toEqual([]);
  });

  test("given: what waited is sent, and pages to come need not ask", async ({ open, site, expectRows }) => {
    const tab = await open(site.url);
    await track(tab, "waited");
    await tab.evaluate("tracklet.optIn(); undefined");
    await expectRows(["pageview", "waited"]);
    await track(await open(`${site.url}/next`), "later");
    await expectRows(["pageview", "waited", "pageview", "later"]);
  });

  test("refused: what waited is gone, nothing is sent, the choice alone stays", async ({ open, site, gateway }) => {
    const tab = await open(site.url);
    await track(tab, "waited");
    await tab.evaluate("tracklet.optOut(); undefined");
    await track(await open(`${site.url}/next`), "later");
    await gateway.quiet();
    expect(gateway.requests).toEqual([]);
    expect(await tab.evaluate(KEYS)).toEqual(["tracklet:consent"]);
  });
});
