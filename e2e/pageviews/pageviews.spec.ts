import { runAndGo } from "../harness/tab.js";
import { expect, judge, MEANS, run, test } from "./fixtures.js";

/*
 * What only a browser's own history decides. What counts as a view is held by the simulation and the unit test of `page`; what
 * every engine does, by engines.spec.ts; what routers do with the history, by frameworks.spec.ts.
 */

for (const means of MEANS)
  test.describe(() => {
    test.use({ means });

    test(`By ${means}, the history of a frame does not count`, async ({ open, site, expectViews }) => {
      for (const path of ["/frame", "/frame/replaced", "/frame/next"]) site.page(path, { tag: false });
      const page = await open("/a", { body: `<iframe src="/frame"></iframe>` });
      expect(await page.evaluate("Boolean(window.navigation)")).toBe(means === "navigation");
      await judge(page);
      const frame = page.frame({ url: /frame/ })!;
      await frame.evaluate(
        `history.pushState({}, "", "/frame/pushed"); history.replaceState({}, "", "/frame/replaced")`,
      );
      await frame.evaluate(`location.hash = "x"`);
      await frame.goto(`${site.url}/frame/next`);
      // The frame's entries are the page's, too: this goes back in the frame alone.
      await runAndGo(page, "history.back()");
      await page.waitForFunction(() => frames[0]?.location.pathname === "/frame/replaced");
      await judge(page);
      await run(page, `history.pushState({}, "", "/b")`);
      await expectViews(["/a", "/b"]);
    });
  });
