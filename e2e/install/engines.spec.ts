import { readmeBlocks } from "../../test/support/readme.js";
import { CORE, EVERY_ENGINE, expect, test } from "../harness/engines.js";
import { waitFor } from "../harness/fixtures.js";
import { localise } from "../harness/install.js";
import { createPolicy } from "../harness/policy.js";
import type { Html } from "../harness/site.js";
import { DEMO_TOKEN } from "../harness/tag.js";

/* The ways in which the tracker comes to a page, and what the page may forbid, in every engine. */

test(
  "Installed by any kind of script tag, behind the stub, or as an ES module, calls before and after it are stored",
  CORE,
  async ({ open, site, gateway, contact, expectRows }) => {
    const before = `<script>(window.tracklet = window.tracklet || []).push(["track", "before"]);</script>`;
    const html = site.html({ head: before, identify: false, tag: { contactUid: contact, accountUid: "acme" } });
    const tag = (attribute: string) => html.replace("<script async", `<script ${attribute}`);
    const [stub] = (await readmeBlocks("On a website", "html")).filter((code) => code.includes(".split"));
    expect(Buffer.byteLength(stub!.trim()), "bytes of the stub").toBeLessThanOrEqual(330);
    const config = { apiToken: DEMO_TOKEN, trackUrl: gateway.url, contactUid: contact, pageviews: "off" };
    const pages: Record<string, Html> = {
      "/async": tag("async"),
      "/defer": tag("defer"),
      "/module": tag(`type="module"`),
      "/blocking": tag(""),
      "/stub": {
        identify: false,
        head: `${stub}<script>tracklet.identify(${JSON.stringify(contact)}, "acme"); tracklet.track("before");</script>`,
      },
      "/import": {
        tag: false,
        head: `<script type="module">
          import { init, track } from "/dist/index.js";
          init(${JSON.stringify({ ...config, accountUid: "acme" })});
          track("before");
        </script>`,
      },
    };
    for (const [path, page] of Object.entries(pages)) {
      site.page(path, page);
      const tab = await open(path);
      // WebKitGTK's driver does not wait for what a module imports.
      await waitFor(() => tab.evaluate(`"flush" in (window.tracklet ?? [])`), { what: "the tracker" });
      await tab.evaluate(`tracklet.track("after"); undefined`);
    }
    const rows = await expectRows(Object.keys(pages).flatMap(() => ["before", "after"]));
    for (const { params } of rows) expect(params).toMatchObject({ account_uid: "acme" });
  },
);

test(
  "Under a strict policy with trusted types nothing is violated, by the add-ons neither, and events are stored until those are taken off",
  EVERY_ENGINE,
  async ({ open, site, gateway, contact, expectRows }) => {
    const { nonce, headers } = createPolicy(gateway.url);
    const watch = `<script>
      window.violations = [];
      addEventListener("securitypolicyviolation", ({ violatedDirective }) => violations.push(violatedDirective));
      (window.tracklet = window.tracklet || []).push(["track", "early"]);
      addEventListener("load", () => tracklet.push(["track", "late", { markup: "<img src=x onerror=alert(1)>" }]));
    </script>`;
    const addOns = await Promise.all(["Clicks", "Time"].map((of) => readmeBlocks(of, "html", "docs/add-ons.md")));
    const tag = { contactUid: contact, pageviews: "auto" as const };
    const html = site.html({ head: watch, tag, identify: false, body: localise(addOns.flat().join(""), "", "") });
    site.page("/shop", html.replaceAll("<script", `<script nonce="${nonce}"`), { headers });
    const tab = await open("/shop");
    await tab.click("button");
    await tab.evaluate("trackletClicks(); trackletActive(); undefined");
    await tab.click("button");
    await expectRows((rows) => {
      // A page that was slow was read for a second or more.
      const uids = rows.map(({ event_uid }) => event_uid).filter((uid) => uid !== "page_active");
      expect(uids.sort()).toEqual(["early", "late", "pageview", "plan_chosen"]);
    });
    expect(await tab.evaluate("window.violations")).toEqual([]);
    // The proof that the page would have told.
    await tab.evaluate(() => fetch("/elsewhere").catch(() => {}));
    await expect.poll(() => tab.evaluate("window.violations")).toEqual(["connect-src"]);
  },
);
