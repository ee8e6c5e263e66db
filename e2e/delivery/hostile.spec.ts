import type { Page } from "playwright/test";
import { expect, test, track, trackMany, waitFor } from "../harness/fixtures.js";
import { waitForBackOff } from "../harness/outage.js";

/* A page whose other scripts are against the tracker. */

test.describe("prototypes that other scripts have changed", () => {
  const pollution = {
    "Array.prototype.toJSON": 'Array.prototype.toJSON = function () { return "polluted"; };',
    "Object.prototype.toJSON":
      'Object.defineProperty(Object.prototype, "toJSON", { configurable: true, value: function () { return "polluted"; } });',
    "enumerable members of Object.prototype": `
      Object.prototype.extend = function () {};
      Object.prototype.display_name = "polluted";
      Object.prototype.account_uid = "polluted";`,
  };
  const params = { list: [1, [2, { deep: [3] }]], object: { a: { b: 1 } }, text: "t", none: null };
  const calls = `
    window.tracklet = window.tracklet || [];
    tracklet.push(["track", "hostile", ${JSON.stringify(params)}]);
    tracklet.push(["track", "dated", { at: new Date(0) }]);
    tracklet.push(["track", "bare"]);`;
  const stored = { hostile: params, dated: { at: "1970-01-01T00:00:00.000Z" }, bare: {} };

  for (const [what, script] of Object.entries(pollution)) {
    test(`${what}, before the snippet has loaded`, async ({ page, site, gateway, contact, expectRows }) => {
      site.page("/", site.html({ head: `<script>${script}${calls}</script>` }));
      site.page(
        "/account",
        site.html({
          head: `<script>${script}${calls}</script>`,
          tag: { contactUid: contact, accountUid: "account-1" },
          identify: false,
        }),
      );
      await page.goto(site.url);
      const first = await expectRows(Object.keys(stored));
      expect(Object.fromEntries(first.map((row) => [row.event_uid, row.params]))).toStrictEqual(stored);
      await page.goto(`${site.url}/account`);
      const all = await expectRows([...Object.keys(stored), ...Object.keys(stored)]);
      for (const row of all.slice(first.length))
        expect(row.params).toStrictEqual({
          ...stored[row.event_uid as keyof typeof stored],
          account_uid: "account-1",
        });
      expect(gateway.posts()).toHaveLength(6);
    });

    test(`${what}, after the snippet has loaded: the next page delivers`, async ({
      page,
      site,
      gateway,
      expectRows,
    }) => {
      site.page("/", site.html({ body: `<script>function attack() { ${script}${calls} }</script>` }));
      await page.goto(site.url);
      await track(page, "loaded");
      await expectRows(["loaded"]);
      await gateway.fail("refuse");
      await page.evaluate("void attack()");
      await waitForBackOff(page);
      await page.goto(`${site.url}/next`);
      await gateway.heal();
      const rows = await expectRows(["loaded", ...Object.keys(stored)]);
      expect(Object.fromEntries(rows.map((row) => [row.event_uid, row.params]))).toStrictEqual({
        ...stored,
        loaded: {},
      });
    });
  }
});

test.describe("window.fetch replaced: events wait, and the next page with a sound one delivers", () => {
  const replacements = {
    "throws at once": '() => { window.calls = (window.calls ?? 0) + 1; throw new Error("a fetch of the page"); }',
    rejects:
      '() => { window.calls = (window.calls ?? 0) + 1; return Promise.reject(new Error("a fetch of the page")); }',
    "returns nothing": "() => { window.calls = (window.calls ?? 0) + 1; }",
    "resolves to something else": "async () => { window.calls = (window.calls ?? 0) + 1; return {}; }",
  };
  const isCalled = (page: Page) => () => page.evaluate(() => window.calls);

  for (const [what, fetch] of Object.entries(replacements))
    test(`one that ${what}`, async ({ page, site, gateway, expectRows }) => {
      site.page("/before", site.html({ head: `<script>window.fetch = ${fetch};</script>` }));
      await page.goto(`${site.url}/before`);
      const before = await trackMany(page, 5, "before");
      await waitFor(isCalled(page), { what: "the replaced fetch to be called" });
      expect(gateway.requests).toEqual([]);

      await page.goto(site.url);
      const sound = await trackMany(page, 2, "sound");
      await expectRows([...before, ...sound]);

      await page.evaluate(`window.fetch = ${fetch}; undefined`);
      const after = await trackMany(page, 5, "after");
      await waitFor(isCalled(page), { what: "the replaced fetch to be called" });
      await page.goto(`${site.url}/next`);
      await expectRows([...before, ...sound, ...after]);
    });
});
