import { expect, judge, MEANS, prepare, run, test, traverse } from "./fixtures.js";

/*
 * What counts as a page view and what does not, by the Navigation API and by wrapped methods of `history` alike. Each URL
 * is judged before the next move, as it is where people read a page.
 */

for (const means of MEANS)
  test.describe(`by ${means}`, () => {
    test.use({ means });

    test("the browser is the one that the test speaks of", async ({ page, site }) => {
      await page.goto(site.url);
      const isNative = () => String(history.pushState).includes("[native code]");
      expect(await page.evaluate(() => Boolean((window as { navigation?: unknown }).navigation))).toBe(
        means === "navigation",
      );
      expect(await page.evaluate(isNative)).toBe(means === "navigation");
    });

    test("counts loads, pushes, traversals and replaced paths once each", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
      await judge(page);
      for (const url of ["/b", "/b?x=1", "?x=2"]) {
        await run(page, `history.pushState({}, "", "${url}")`);
        await judge(page);
      }
      for (const direction of ["back", "back", "forward"] as const) {
        await traverse(page, direction);
        await judge(page);
      }
      for (const url of ["/c", "/d?y=1"]) {
        await run(page, `history.replaceState({}, "", "${url}")`);
        await judge(page);
      }
      await page.reload();
      await page.goto(`${site.url}/a`);
      await expectViews(["/a", "/b", "/b?x=1", "/b?x=2", "/b?x=1", "/b", "/b?x=1", "/c", "/d?y=1", "/d?y=1", "/a"]);
    });

    test("counts each view of those that a flush follows, within one task", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
      const views = Array.from({ length: 60 }, (_, index) => `/view-${index}`);
      await judge(page);
      await run(
        page,
        `for (const url of ${JSON.stringify(views)}) { history.pushState({}, "", url); tracklet.flush({ timeoutMs: 0 }) }`,
      );
      await expectViews(["/a", ...views]);
    });

    test("does not count storms of one URL, of queries replaced, of fragments", async ({ page, site, expectViews }) => {
      site.page("/a", site.html({ body: `<a href="#top">Top</a>` }));
      await page.goto(`${site.url}/a`);
      await judge(page);
      for (const storm of [
        `for (let i = 0; i < 60; i++) history.pushState({ i }, "", location.href)`,
        `for (let i = 0; i < 60; i++) history.replaceState({ i }, "", "?filter=" + i)`,
        `for (let i = 0; i < 5; i++) location.hash = "part-" + i`,
        `history.replaceState(null, "", "#end"); history.pushState(null, "")`,
      ]) {
        await run(page, storm);
        await judge(page);
      }
      await page.getByRole("link").click();
      await traverse(page, "back");
      await run(page, `history.pushState({}, "", location.href); location.replace("#last")`);
      await judge(page);
      await run(page, `history.pushState({}, "", "/b")`);
      await expectViews(["/a", "/b"]);
    });

    test("does not count the history of a frame", async ({ page, site, expectViews }) => {
      for (const path of ["/frame", "/frame/replaced", "/frame/next"]) site.page(path, site.html({ tag: false }));
      site.page("/a", site.html({ body: `<iframe src="/frame"></iframe>` }));
      await page.goto(`${site.url}/a`);
      await judge(page);
      const frame = page.frame({ url: /frame/ })!;
      await frame.evaluate(
        `history.pushState({}, "", "/frame/pushed"); history.replaceState({}, "", "/frame/replaced")`,
      );
      await frame.evaluate(`location.hash = "x"`);
      await frame.goto(`${site.url}/frame/next`);
      // The frame's entries are the page's, too: this goes back in the frame alone.
      await page.evaluate(`history.back()`);
      await page.waitForFunction(() => frames[0]?.location.pathname === "/frame/replaced");
      await run(page, `history.pushState({}, "", "/b")`);
      await expectViews(["/a", "/b"]);
    });

    test("counts fragments where they route, but no queries replaced in them", async ({ page, site, expectViews }) => {
      site.configure({ pageviews: "hash" });
      site.page("/a", site.html({ body: `<a href="#/link">Link</a>` }));
      await page.goto(`${site.url}/a`);
      await judge(page);
      await page.getByRole("link").click();
      await judge(page);
      for (const move of [
        `location.hash = "/set"`,
        `history.pushState({}, "", "#/pushed")`,
        `history.replaceState({}, "", "#/pushed?filter=1")`,
        `history.pushState({}, "", "#/pushed?filter=1")`,
        `history.replaceState({}, "", "#/replaced")`,
      ]) {
        await run(page, move);
        await judge(page);
      }
      await traverse(page, "back");
      await judge(page);
      await run(page, `location.hash = "/set"`);
      await expectViews(["/a", "/a#/link", "/a#/set", "/a#/pushed", "/a#/replaced", "/a#/pushed?filter=1", "/a#/set"]);
    });

    test("leaves the state of entries, and exceptions, to the page", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
      await judge(page);
      const seen = await page.evaluate(() => {
        const { tracklet } = window as unknown as { tracklet: { flush: () => unknown } };
        const states: unknown[] = [history.state];
        history.pushState({ own: [1] }, "", "/b");
        states.push(history.state);
        tracklet.flush();
        history.replaceState("text", "", "/c");
        states.push(history.state);
        for (const method of ["pushState", "replaceState"] as const)
          try {
            history[method]({ lost: true }, "", "https://elsewhere.test/");
          } catch (error) {
            states.push((error as Error).name);
          }
        states.push(history.state, history.length > 1, location.pathname);
        return states;
      });
      expect(seen).toEqual([null, { own: [1] }, "text", "SecurityError", "SecurityError", "text", true, "/c"]);
      await expectViews(["/a", "/b", "/c"]);
    });

    for (const place of ["history", "History.prototype"])
      for (const order of ["before", "after"])
        test(`gets on with a script that wraps ${place} ${order} it`, async ({ page, site, expectViews }) => {
          const wrap = `window.calls = [];
            for (const method of ["pushState", "replaceState"]) {
              const original = ${place}[method];
              ${place}[method] = function (...args) {
                calls.push([this === history, args[2]]);
                original.apply(this, args);
                return method;
              };
            }`;
          if (order === "before") site.page("/a", site.html({ head: `<script>${wrap}</script>` }));
          await page.goto(`${site.url}/a`);
          await judge(page);
          if (order === "after") await run(page, wrap);
          expect(await page.evaluate(() => history.pushState({}, "", "/b") as unknown)).toBe("pushState");
          await judge(page);
          expect(await page.evaluate(() => history.replaceState({}, "", "/c") as unknown)).toBe("replaceState");
          expect(await page.evaluate("calls")).toEqual([
            [true, "/b"],
            [true, "/c"],
          ]);
          await expectViews(["/a", "/b", "/c"]);
        });

    test("gets on with a script that takes its wrapper off again", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
      await judge(page);
      await run(
        page,
        `const before = history.pushState;
        history.pushState = function (...args) { return before.apply(this, args); };
        history.pushState({}, "", "/b");
        tracklet.flush();
        history.pushState = before;
        history.pushState({}, "", "/c")`,
      );
      await expectViews(["/a", "/b", "/c"]);
    });

    test("counts again when the page comes back from the back/forward cache", async ({ launch, site, expectViews }) => {
      const { context, page } = await launch({ backForwardCache: true });
      await prepare(context, means);
      await page.goto(`${site.url}/a`);
      await run(page, `addEventListener("pageshow", ({ persisted }) => { window.isRestored = persisted })`);
      await page.goto(`${site.url}/b`);
      await page.evaluate("history.back()").catch(() => {});
      await page.waitForURL(`${site.url}/a`, { waitUntil: "commit" });
      await expect.poll(() => page.evaluate("window.isRestored")).toBe(true);
      await judge(page);
      await run(page, `history.pushState({}, "", "/a")`);
      await judge(page);
      await run(page, `history.pushState({}, "", "/c")`);
      await expectViews(["/a", "/b", "/a", "/c"]);
    });
  });
