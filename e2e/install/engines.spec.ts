import { readmeBlocks } from "../../test/support/readme.js";
import { EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { countReports, createPolicy } from "../harness/policy.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The ways in which the tracker comes to a page, and what the page may forbid, in every engine. */

for (const how of ["async", "defer", `type="module"`, "blocking"])
  test(
    `Installed by a script tag that is ${how}, calls before and after it are stored`,
    EVERY_ENGINE,
    async ({ open, site, contact, expectRows }) => {
      const head = `<script>(window.tracklet = window.tracklet || []).push(["track", "before", { n: 1 }]);</script>`;
      const html = site.html({ head, identify: false, tag: { contactUid: contact, accountUid: "acme" } });
      site.page("/", html.replace("<script async", `<script ${how === "blocking" ? "" : how}`));
      const tab = await open();
      await tab.evaluate(`tracklet.push(["track", "pushed"]); tracklet.track("called", { n: 2 }); undefined`);
      const rows = await expectRows(["before", "pushed", "called"]);
      expect(rows.find(({ event_uid }) => event_uid === "before")?.params).toEqual({ account_uid: "acme", n: 1 });
    },
  );

test(
  "Behind the stub, which has at most 300 bytes, methods from before the script loads are stored",
  EVERY_ENGINE,
  async ({ open, site, contact, expectRows }) => {
    const stubs = (await readmeBlocks("On a website", "html")).filter((code) => code.includes(".split"));
    expect(stubs.map((code) => Buffer.byteLength(code.trim()) <= 300)).toEqual([true]);
    const calls = `<script>tracklet.identify(${JSON.stringify(contact)}, "acme"); tracklet.track("early");</script>`;
    site.page("/", { identify: false, head: stubs[0] + calls });
    const tab = await open();
    await tab.evaluate(`tracklet.track("late"); undefined`);
    const rows = await expectRows(["early", "late"]);
    expect(rows.map(({ params }) => params)).toEqual([{ account_uid: "acme" }, { account_uid: "acme" }]);
  },
);

test(
  "As an ES module, what is tracked is stored",
  EVERY_ENGINE,
  async ({ open, site, gateway, contact, expectRows }) => {
    const config = { apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact, pageviews: "off" };
    const head = `<script type="module">
    import { init, track } from "/dist/index.js";
    init(${JSON.stringify(config)});
    track("imported");
  </script>`;
    site.page("/", { tag: false, head });
    await open();
    await expectRows(["imported"]);
  },
);

test(
  "Under a strict policy nothing is violated, and events are stored",
  EVERY_ENGINE,
  async ({ open, site, gateway, contact, expectRows }) => {
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
    site.page("/shop", { head, tag, identify: false }, { headers });
    const tab = await open("/shop");
    await expectRows(["pageview", "early", "late"]);
    expect(await tab.evaluate("window.violations")).toEqual([]);
    expect(reports(), "reports of violations").toBe(0);
    // The proof that the page would have told.
    await tab.evaluate(() => fetch("/elsewhere").catch(() => {}));
    await expect.poll(() => tab.evaluate("window.violations")).toEqual(["connect-src"]);
    await expect.poll(reports).toBe(1);
  },
);
