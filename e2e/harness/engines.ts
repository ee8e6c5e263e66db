import { type Found, findEngines } from "../../test/support/engines.js";
import { test as base } from "./fixtures.js";
import { startPlaywright } from "./playwright.js";
import type { Open } from "./tab.js";
import { startWebKit } from "./webkit.js";

/*
 * One fixture for specs that run in every engine: Playwright drives Chromium and Firefox, WebKitGTK's own driver the
 * third. Such a spec takes `open` in place of `page` and `context`, and its tests bear the tag of EVERY_ENGINE.
 */

/** The tag of tests that run in all engines; in Chromium they are part of the core as well. */
export const EVERY_ENGINE = { tag: "@engines" };

interface TestFixtures {
  /** Opens tabs of one visitor, whose storage was empty before the test. */
  open: Open;
}

interface WorkerFixtures {
  /** How the browser of this project is driven. */
  by: Found["by"];
  engine: Awaited<ReturnType<typeof startPlaywright>> | Awaited<ReturnType<typeof startWebKit>>;
}

export { expect } from "./fixtures.js";

export const test = base.extend<TestFixtures, WorkerFixtures>({
  by: [({ browserName }, use) => use(findEngines()[browserName]!.by), { scope: "worker" }],

  engine: [
    async ({ by, browserName, playwright, launchOptions }, use) => {
      const engine =
        by === "webdriver"
          ? await startWebKit(launchOptions.executablePath!)
          : await startPlaywright(playwright[browserName], { by, options: launchOptions });
      await use(engine);
      await engine.close();
    },
    { scope: "worker", timeout: 60_000 },
  ],

  // What WebKitGTK's driver does not tell, its pages tell by themselves.
  site: async ({ site, by, guard }, use) => {
    if (by === "webdriver") site.tellErrors(guard.report);
    await use(site);
  },

  // Named for its order: pages are closed before the rows are looked at for the last time.
  open: async ({ engine, guard, site: _, database: __ }, use) => {
    const { open, end } = await engine.begin(guard);
    await use(open);
    await end();
  },
});
