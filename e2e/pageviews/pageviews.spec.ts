import type { Page } from "playwright/test";
import { expect, judge, MEANS, run, test } from "./fixtures.js";

/*
 * What only a browser's own history decides, by the Navigation API and by wrapped methods of `history` alike. What counts as
 * a view is held by the unit tests of `capture/pageviews` and `page`; what every engine does, by engines.spec.ts.
 */

/** Traverses the history from within the page; resolves when the page has heard of it. */
const traverse = (page: Page, direction: "back" | "forward"): Promise<void> =>
  page.evaluate(
    (way) =>
      new Promise<void>((resolve) => {
        // After all listeners of the event, the app's and the tracker's.
        addEventListener("popstate", () => setTimeout(resolve), { once: true });
        history[way]();
      }),
    direction,
  );

for (const means of MEANS)
  test.describe(() => {
    test.use({ means });

    test(`By ${means}, neither the history of a frame nor fragments count`, async ({ open, site, expectViews }) => {
      for (const path of ["/frame", "/frame/replaced", "/frame/next"]) site.page(path, { tag: false });
      const page = await open("/a", { body: `<a href="#top">Top</a><iframe src="/frame"></iframe>` });
      expect(await page.evaluate("Boolean(window.navigation)")).toBe(means === "navigation");
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
      await judge(page);
      await page.getByRole("link").click();
      await traverse(page, "back");
      await run(page, `history.pushState({}, "", location.href); location.replace("#last")`);
      await judge(page);
      await run(page, `history.pushState({}, "", "/b")`);
      await expectViews(["/a", "/b"]);
    });

    test(`By ${means}, fragments count where they route, but no queries replaced in them`, async ({
      open,
      site,
      expectViews,
    }) => {
      site.configure({ pageviews: "hash" });
      const page = await open("/a", { body: `<a href="#/link">Link</a>` });
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
      for (const fragment of ["#/pushed?x=1", "#/located"]) {
        await page.evaluate(
          (to) =>
            new Promise<void>((resolve) => {
              addEventListener("hashchange", () => setTimeout(resolve), { once: true });
              location.replace(to);
            }),
          fragment,
        );
        await judge(page);
      }
      await expectViews([
        "/a",
        "/a#/link",
        "/a#/set",
        "/a#/pushed",
        "/a#/replaced",
        "/a#/pushed?filter=1",
        "/a#/located",
      ]);
    });

    for (const order of ["before", "after"])
      test(`By ${means}, views count beside a script that wraps the history ${order} the tracker, and takes its wrapper off again`, async ({
        open,
        expectViews,
      }) => {
        const wrap = `window.calls = [];
          window.originals = {};
          for (const method of ["pushState", "replaceState"]) {
            const original = originals[method] = history[method];
            history[method] = function (...args) {
              calls.push([this === history, args[2]]);
              original.apply(this, args);
              return method;
            };
          }`;
        const page = await open("/a", order === "before" ? { head: `<script>${wrap}</script>` } : {});
        await judge(page);
        if (order === "after") await run(page, wrap);
        expect(await page.evaluate(() => history.pushState({}, "", "/b") as unknown)).toBe("pushState");
        await judge(page);
        expect(await page.evaluate(() => history.replaceState({}, "", "/c") as unknown)).toBe("replaceState");
        await judge(page);
        expect(await page.evaluate("calls")).toEqual([
          [true, "/b"],
          [true, "/c"],
        ]);
        // Where the tracker has wrapped that one in its turn, its own wrapper is gone then, too.
        const isCounted = means === "navigation" || order === "after";
        await run(page, `Object.assign(history, originals); history.pushState({}, "", "/d")`);
        await judge(page);
        await expectViews(["/a", "/b", "/c", ...(isCounted ? ["/d"] : [])]);
      });

    test(`By ${means}, a page that is left before its URL has stood counts it, and of a redirect where it leads to`, async ({
      open,
      site,
      expectViews,
    }) => {
      const page = await open("/a");
      await judge(page);
      const left = page.waitForURL(`${site.url}/c`);
      await run(page, `history.pushState({}, "", "/old"); history.replaceState({}, "", "/b"); location.assign("/c")`);
      await left;
      await expectViews(["/a", "/b", "/c"]);
    });

    test(`By ${means}, a Back that the page blocks counts nothing`, async ({ open, expectViews }) => {
      const page = await open("/a");
      await judge(page);
      await run(page, `history.pushState({}, "", "/form")`);
      await judge(page);
      await page.evaluate(
        () =>
          new Promise<void>((resolve) => {
            // As routers block: the browser has gone back already, so they go forward again.
            const block = () => {
              if (location.pathname === "/form") resolve();
              else history.forward();
            };
            addEventListener("popstate", block);
            history.back();
          }),
      );
      await judge(page);
      await run(page, `history.pushState({}, "", "/sent")`);
      await expectViews(["/a", "/form", "/sent"]);
    });

    test(`By ${means}, a router's replaceState in its popstate listener hides no traversal`, async ({
      open,
      expectViews,
    }) => {
      // It stands before the snippet, so its listener runs first.
      const router = `<script>addEventListener("popstate", () => history.replaceState({ own: 1 }, "", location.href))</script>`;
      const page = await open("/list", { head: router });
      await judge(page);
      await run(page, `history.pushState({}, "", "?page=2")`);
      await judge(page);
      for (const direction of ["back", "forward"] as const) {
        await traverse(page, direction);
        await judge(page);
      }
      await expectViews(["/list", "/list?page=2", "/list", "/list?page=2"]);
    });
  });

test("While a router's navigation is under way, its URL waits, for 3 s at most", async ({
  page,
  site,
  expectViews,
}) => {
  // The page's clock in the hands of the test, which is quicker than any redirect on a busy machine.
  await page.clock.install({ time: Date.now() });
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(`${site.url}/a`);
  await page.clock.runFor(500);
  // As a router has it that asks the browser to wait for it: what `/old` loads says that the page is `/new`.
  await run(
    page,
    `navigation.addEventListener("navigate", (event) => {
      if (/old|stuck/.test(event.destination.url)) event.intercept({ handler: () => new Promise(() => {}) });
    });
    navigation.navigate("/old").finished.catch(() => {})`,
  );
  await page.clock.runFor(2_000);
  await run(page, `history.replaceState({}, "", "/new")`);
  await page.clock.runFor(500);
  await run(page, `navigation.navigate("/stuck").finished.catch(() => {})`);
  await page.clock.runFor(3_500);
  await run(page, `history.pushState({}, "", "/b")`);
  await page.clock.runFor(500);
  await page.clock.resume();
  await expectViews(["/a", "/new", "/stuck", "/b"]);
});
