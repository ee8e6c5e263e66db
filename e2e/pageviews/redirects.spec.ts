import type { Page } from "playwright/test";
import { expect, judge, MEANS, prepare, run, test, traverse } from "./fixtures.js";

/* A page view is judged once its URL has stood for a while: what only passes by counts nothing. */

/** A URL that has stood for 250 ms is judged; the page's clock goes on by less, or by more. */
const SOON_MS = 100;
const LATER_MS = 500;

/** Puts the page's clock in the hands of the test, which is quicker than any redirect on a busy machine. */
const holdClock = async (page: Page): Promise<void> => {
  await page.clock.install({ time: Date.now() });
  await page.clock.pauseAt(Date.now() + 60_000);
};

for (const means of MEANS)
  test.describe(`by ${means}`, () => {
    test.use({ means });

    test("a redirect counts where it leads to, alone", async ({ page, site, expectViews }) => {
      await holdClock(page);
      await page.goto(`${site.url}/a`);
      await page.clock.runFor(LATER_MS);
      // At once, as most routers do, and after a request of theirs.
      await run(page, `history.pushState({}, "", "/old"); history.replaceState({}, "", "/new")`);
      await page.clock.runFor(LATER_MS);
      await run(page, `history.pushState({}, "", "/later/old")`);
      await page.clock.runFor(SOON_MS);
      await run(page, `history.replaceState({}, "", "/later/new")`);
      await page.clock.runFor(LATER_MS);
      // The same path: the push that brought it makes it count.
      await run(page, `history.pushState({}, "", "/list"); history.replaceState({}, "", "/list?page=1")`);
      await page.clock.runFor(LATER_MS);
      await page.clock.resume();
      await expectViews(["/a", "/new", "/later/new", "/list?page=1"]);
    });

    test("a page left before its URL has stood counts, too", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
      await judge(page);
      const left = page.waitForURL(`${site.url}/c`);
      await run(page, `history.pushState({}, "", "/old"); history.replaceState({}, "", "/b"); location.assign("/c")`);
      await left;
      await expectViews(["/a", "/b", "/c"]);
    });

    test("a Back that the page blocks counts nothing", async ({ page, site, expectViews }) => {
      await page.goto(`${site.url}/a`);
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

    test("a router's replaceState in its popstate listener hides no traversal", async ({ page, site, expectViews }) => {
      // It stands before the snippet, so its listener runs first.
      const router = `<script>addEventListener("popstate", () => history.replaceState({ own: 1 }, "", location.href))</script>`;
      site.page("/list", site.html({ head: router }));
      await page.goto(`${site.url}/list`);
      await judge(page);
      for (const number of [2, 3]) {
        await run(page, `history.pushState({}, "", "?page=${number}")`);
        await judge(page);
      }
      for (const direction of ["back", "back", "forward"] as const) {
        await traverse(page, direction);
        await judge(page);
      }
      await expectViews(["/list", "/list?page=2", "/list?page=3", "/list?page=2", "/list", "/list?page=2"]);
    });

    test("a fragment that routes, replaced by location, counts by its path", async ({ page, site, expectViews }) => {
      site.configure({ pageviews: "hash" });
      await page.goto(`${site.url}/app#/a`);
      await judge(page);
      for (const fragment of ["#/a?x=1", "#/b", "#/b?x=2"]) {
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
      await expectViews(["/app#/a", "/app#/b"]);
    });

    test("a page that was written anew, and calls the tracker, counts when it comes back from the back/forward cache", async ({
      launch,
      site,
      contact,
      expectViews,
    }) => {
      const { context, page } = await launch({ backForwardCache: true });
      await prepare(context, means);
      await page.goto(`${site.url}/a`);
      await judge(page);
      await run(
        page,
        `document.open(); document.write("<p>Written anew</p>"); document.close();
        tracklet.identify(${JSON.stringify(contact)})`,
      );
      await run(page, `addEventListener("pageshow", ({ persisted }) => { window.isRestored = persisted })`);
      await page.goto(`${site.url}/b`);
      await judge(page);
      await page.evaluate("history.back()").catch(() => {});
      await page.waitForURL(`${site.url}/a`, { waitUntil: "commit" });
      await expect.poll(() => page.evaluate("window.isRestored")).toBe(true);
      await judge(page);
      await expectViews(["/a", "/b", "/a"]);
    });
  });

test("while a router's navigation is under way, its URL waits, for 3 s at most", async ({
  page,
  site,
  expectViews,
}) => {
  await holdClock(page);
  await page.goto(`${site.url}/a`);
  await page.clock.runFor(LATER_MS);
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
  await page.clock.runFor(LATER_MS);
  await run(page, `navigation.navigate("/stuck").finished.catch(() => {})`);
  await page.clock.runFor(3_500);
  await run(page, `history.pushState({}, "", "/b")`);
  await page.clock.runFor(LATER_MS);
  await page.clock.resume();
  await expectViews(["/a", "/new", "/stuck", "/b"]);
});

test("a view that the page counts itself replaces the automatic one", async ({ page, site, expectRows }) => {
  await page.goto(`${site.url}/a`);
  await judge(page);
  await run(page, `history.pushState({}, "", "/b"); tracklet.pageview({ title: "B" })`);
  await judge(page);
  const rows = await expectRows(["pageview", "pageview"]);
  const views = rows.map(({ params }) => [String(params.visit_url).replace(site.url, ""), params.title]);
  expect(views.toSorted()).toEqual([
    ["/a", undefined],
    ["/b", "B"],
  ]);
});

test("a view belongs to whoever is named when it counts", async ({ page, site, service, contact, expectViews }) => {
  const second = `${contact}-second`;
  await page.goto(`${site.url}/log-in`);
  await judge(page);
  await run(page, `history.pushState({}, "", "/account"); tracklet.identify(${JSON.stringify(second)})`);
  await judge(page);
  await expectViews(["/log-in"]);
  const rows = await service.rows(second);
  expect(rows.map(({ params }) => params.visit_url)).toEqual([`${site.url}/account`]);
});

test("of the moves on a hidden page the last one counts when it is seen", async ({ page, site, expectViews }) => {
  await page.goto(`${site.url}/a`);
  await judge(page);
  const show = (state: string) =>
    page.evaluate((now) => {
      // On the prototype, because elements of the page may hide the members of `document` itself.
      Object.defineProperty(Document.prototype, "visibilityState", { configurable: true, value: now });
      Object.defineProperty(Document.prototype, "hidden", { configurable: true, value: now === "hidden" });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, state);
  await show("hidden");
  for (const url of ["/refreshed", "/expired"])
    await page.evaluate((to) => {
      history.pushState({}, "", to);
      // Longer than a URL has to stand on a page that is seen.
      return new Promise((resolve) => setTimeout(resolve, 400));
    }, url);
  await show("visible");
  await judge(page);
  await expectViews(["/a", "/expired"]);
});
