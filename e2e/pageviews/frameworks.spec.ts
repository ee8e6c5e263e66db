import { APP_NAMES, type AppName } from "../apps/build.js";
import type { LINKS } from "../apps/links.js";
import { serveApp } from "../apps/serve.js";
import { loaded } from "../harness/install.js";
import { runAndGo } from "../harness/tab.js";
import { expect, type Means, test } from "./fixtures.js";

/* Real frameworks, built as an app is: one visit, and exactly its page views are stored. */

/** By wrapping, too: a router that wraps the history itself, one that is none, and one of fragments. */
const VISITS: { app: AppName; history?: "path" | "hash"; means?: Means }[] = [
  ...APP_NAMES.map((app) => ({ app })),
  { app: "vue-router", history: "hash" },
  ...(["next", "turbo"] as const).map((app) => ({ app, means: "wrapping" as const })),
  { app: "vue-router", history: "hash", means: "wrapping" },
];

for (const { app, history = "path", means = "navigation" } of VISITS)
  test.describe(() => {
    test.use({ means });

    test(`A visit of an app of ${app}${history === "hash" ? " with fragments" : ""} stores its views once each, by ${means}`, async ({
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
      const shows = async (view: string): Promise<void> => {
        await page.locator(`main[data-view=${JSON.stringify(view)}]`).waitFor({ state: "attached" });
        // Turbo shows what a redirect led to before it sets the address.
        await page.waitForURL(({ pathname, search, hash }) =>
          history === "hash" ? (hash.slice(1) || "/") === view : pathname + search === view,
        );
        await loaded(page);
        // Delivered before the next step, so that the views are stored in their order.
        await page.evaluate("tracklet.flush({ timeoutMs: 30_000 })");
      };
      const click = (id: keyof typeof LINKS) => page.locator(`#${String(id)}`).click();

      // As the app's router will have it: a page that loads slowly may be judged before the router has said so.
      const [before, after] = history === "hash" ? ["/#/", "/#"] : ["/", ""];
      await page.goto(site.url + before);
      await shows("/");
      await click("about");
      await shows("/about");
      await runAndGo(page, "history.back()");
      await shows("/");
      await runAndGo(page, "history.forward()");
      await shows("/about");
      await click("list");
      await shows("/list?page=1");
      await click("next");
      await shows("/list?page=2");
      await click("old");
      await shows("/new");
      await page.evaluate(`document.querySelector("#about").click(); document.querySelector("#list").click()`);
      await shows("/list?page=1");
      await click("list");
      await click("home");
      await shows("/");

      // Of a redirect and of two links in one task, only what is shown in the end.
      const views = ["/about", "/", "/about", "/list?page=1", "/list?page=2", "/new", "/list?page=1", "/"];
      await expectViews([before, ...views.map((view) => after + view)]);
    });
  });

test("The documents' consent banner in React asks until the visitor has chosen, in whichever tab", async ({
  page,
  context,
  site,
  gateway,
  contact,
}) => {
  site.configure({ consent: "pending", async: false });
  await serveApp("react-router", { site, contact, trackUrl: gateway.url, isConfigured: true });
  const other = await context.newPage();
  for (const tab of [page, other]) await tab.goto(site.url);
  const [banner, otherBanner] = [page, other].map((tab) => tab.getByRole("region", { name: "Consent" }));
  await otherBanner!.waitFor();
  await banner!.getByRole("button", { name: "Allow" }).click();
  for (const one of [banner!, otherBanner!]) await expect(one).toBeHidden();
  await gateway.waitForPosts(2, "pageview");
  await page.goto(`${site.url}/about`);
  // By then the app has asked.
  await gateway.waitForPosts(3, "pageview");
  await expect(banner!).toBeHidden();
});
