import type { Page } from "playwright/test";
import { APP_NAMES, type AppName } from "../apps/build.js";
import type { LINKS } from "../apps/links.js";
import { serveApp } from "../apps/serve.js";
import { loaded } from "../harness/install.js";
import { expect, MEANS, test } from "./fixtures.js";

/* Real frameworks, built as an app is: one visit, and exactly its page views are stored. */

/** Keeps what the app does to the history, as `push /a`, for whoever wants to know what a framework really does. */
const recordCalls = async (page: Page): Promise<void> => {
  await page.addInitScript(() => {
    window.moves = [];
    for (const kind of ["push", "replace"] as const) {
      const method = `${kind}State` as const;
      const original = History.prototype[method];
      History.prototype[method] = function (...args) {
        original.apply(this, args);
        window.moves.push(`${kind} ${location.href.replace(location.origin, "")}`);
      };
    }
    addEventListener(
      "popstate",
      () => window.moves.push(`popstate ${location.href.replace(location.origin, "")}`),
      true,
    );
  });
};

interface Visit {
  app: AppName;
  history?: "path" | "hash";
}

const VISITS: Visit[] = [...APP_NAMES.map((app) => ({ app })), { app: "vue-router", history: "hash" }];

// The first test of an app waits until the frameworks are installed and the app is built, behind those before it.
test.describe.configure({ timeout: 1_200_000 });

for (const { app, history = "path" } of VISITS)
  for (const means of MEANS)
    test.describe(() => {
      test.use({ means });

      test(`${app}${history === "hash" ? " with fragments" : ""}, by ${means}`, async ({
        page,
        site,
        gateway,
        contact,
        expectViews,
        guard,
      }) => {
        // Astro catches no promise of a view transition that a second click has skipped.
        if (app === "astro") guard.allow(/Transition was skipped/);
        // Not async: the tracker is there before the app changes the address, whose view is judged once it stands.
        site.configure({ pageviews: history === "hash" ? "hash" : "auto", async: false, stamp: false });
        await serveApp(app, { site, contact, trackUrl: gateway.url, history });
        await recordCalls(page);
        const measured: string[] = [];
        const shows = async (step: string, view: string): Promise<void> => {
          await page.locator(`main[data-view=${JSON.stringify(view)}]`).waitFor({ state: "attached" });
          // Turbo shows what a redirect led to before it sets the address.
          await page.waitForURL(({ pathname, search, hash }) =>
            history === "hash" ? (hash.slice(1) || "/") === view : pathname + search === view,
          );
          const calls = await page.evaluate(() => window.moves.splice(0));
          measured.push(`${step}: ${calls.join(", ") || "no call"}`);
          await loaded(page);
          // Delivered before the next step, so that the views are stored in their order.
          await page.evaluate("tracklet.flush()");
        };
        const click = (id: keyof typeof LINKS) => page.locator(`#${String(id)}`).click();

        // As the app's router will have it: a page that loads slowly may be judged before the router has said so.
        const [before, after] = history === "hash" ? ["/#/", "/#"] : ["/", ""];
        await page.goto(site.url + before);
        await shows("load", "/");
        await click("about");
        await shows("link", "/about");
        await page.evaluate("history.back()");
        await shows("back", "/");
        await page.evaluate("history.forward()");
        await shows("forward", "/about");
        await click("list");
        await shows("link with a query", "/list?page=1");
        await click("next");
        await shows("only the query", "/list?page=2");
        await click("old");
        await shows("redirect", "/new");
        await page.evaluate(`document.querySelector("#about").click(); document.querySelector("#list").click()`);
        await shows("two links at once", "/list?page=1");
        await click("list");
        await click("home");
        await shows("the same link, then home", "/");

        // Of a redirect and of two links in one task, only what is shown in the end.
        const views = ["/about", "/", "/about", "/list?page=1", "/list?page=2", "/new", "/list?page=1", "/"];
        test.info().annotations.push({ type: "history", description: measured.join("\n") });
        if (process.env.TEST_MEASURE) console.log(`${app} ${history}\n  ${measured.join("\n  ")}`);
        await expectViews([before, ...views.map((view) => after + view)]);
        expect(measured).toHaveLength(9);
      });
    });

test("the documents' banner in React asks until the visitor has chosen", async ({ page, site, gateway, contact }) => {
  site.configure({ consent: "pending", async: false });
  await serveApp("react-router", { site, contact, trackUrl: gateway.url, isConfigured: true });
  await page.goto(site.url);
  const banner = page.getByRole("region", { name: "Consent" });
  await banner.getByRole("button", { name: "Allow" }).click();
  await gateway.waitForPosts(1, "pageview");
  await page.goto(`${site.url}/about`);
  // By then the app has asked.
  await gateway.waitForPosts(2, "pageview");
  await expect(banner).toBeHidden();
});
