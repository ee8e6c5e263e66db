import { expect, test } from "../harness/engines.js";
import { waitFor } from "../harness/fixtures.js";
import { eventKeys, goBack, leaveBy, WATCH_SHOW } from "../harness/tab.js";
import { MEANS } from "./fixtures.js";

/* What counts as a page view, in every engine, by both ways of learning of navigations. Details: pageviews.spec.ts. */

const HIDE = `Object.defineProperty(window, "navigation", { value: undefined, writable: true });`;

for (const means of MEANS)
  test.describe(() => {
    test.skip(
      ({ browserName }) => means === "navigation" && browserName === "webkit",
      "WebKitGTK 2.50 has no Navigation API: https://caniuse.com/mdn-api_navigation",
    );
    test.beforeEach(({ site }) => {
      site.configure({ pageviews: "auto" });
      if (means === "wrapping") site.first(HIDE);
      for (const path of ["/a", "/b"]) site.page(path, { head: WATCH_SHOW });
    });

    test(`By ${means}, views are loads, pushes, traversals, replaced paths and restored pages, no replaced queries`, {
      tag: ["@engines", "@browser", ...(means === "navigation" ? ["@core"] : [])],
    }, async ({ open, site, expectRows }) => {
      const tab = await open("/a");
      expect(await tab.evaluate("typeof window.navigation === 'object'")).toBe(means === "navigation");
      const views: string[] = [];
      const expectView = async (path: string) => {
        views.push(path);
        await expectRows(views, { by: ({ params }) => String(params.visit_url).replace(site.url, "") });
      };
      /** Moves, and has the new URL judged at once. */
      const move = (statement: string) => tab.evaluate(`${statement}; tracklet.flush({ timeoutMs: 0 }); undefined`);
      await expectView("/a");
      await move(`history.pushState({}, "", "/pushed")`);
      await expectView("/pushed");
      await move(`history.replaceState({}, "", "/pushed?filter=1")`);
      await move(`location.hash = "part"`);
      await move(`history.replaceState({}, "", "/replaced")`);
      await expectView("/replaced");
      await tab.evaluate("history.go(-2); undefined");
      await expectView("/a");
      // Firefox keeps no page that has a request under way.
      await waitFor(async () => !(await eventKeys(tab)).length, { what: "the page to have its answer" });
      await leaveBy(tab, `location.assign("/b")`);
      await expectView("/b");
      expect(await goBack(tab), "restored").toBe(true);
      await expectView("/a");
    });
  });
