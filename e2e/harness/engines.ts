import { fileURLToPath } from "node:url";
import type {
  BrowserContext,
  BrowserType,
  LaunchOptions,
  Page,
  PlaywrightTestOptions,
  PlaywrightWorkerOptions,
  TestType,
} from "playwright/test";
import { type Found, findEngines } from "../../test/support/engines.js";
import { test as base, type TestFixtures, type WorkerFixtures } from "./fixtures.js";
import type { Open, Tab } from "./tab.js";
import { startWebKit } from "./webkit.js";

/*
 * The same stage for specs that run in every engine: Playwright drives Chromium and Firefox, WebKitGTK's own driver the
 * third. Such a spec knows a tab only by what all of them can, and its tests bear the tag `@engines`.
 */

/** The tag of tests that run in all engines. */
export const EVERY_ENGINE = { tag: "@engines" };
/** The tags of those among them that `npm test` runs, in Chromium. */
export const CORE = { tag: ["@engines", "@core"] };

/** A browser, and how a visit of it begins: with a storage of its own. */
interface Engine {
  begin: (watch: (context: BrowserContext) => void) => Promise<{ open: Open; end: () => Promise<unknown> }>;
  close: () => Promise<void>;
}

/**
 * Firefox under Playwright ends as a whole when the process of a page dies: it is told so by a variable, which this program
 * takes away again.
 */
const FIREFOX = fileURLToPath(new URL("firefox.sh", import.meta.url));

const startPlaywright = async (type: BrowserType, by: Found["by"], options: LaunchOptions): Promise<Engine> => {
  const browser = await type.launch({
    ...options,
    ...(by === "bidi"
      ? {
          channel: "moz-firefox",
          executablePath: FIREFOX,
          env: { ...(process.env as Record<string, string>), FIREFOX: options.executablePath! },
        }
      : { ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
  });
  return {
    begin: async (watch) => {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      watch(context);
      const open: Open = async (url) => {
        const page = await context.newPage();
        await page.goto(url);
        return page;
      };
      return { open, end: () => context.close() };
    },
    close: () => browser.close(),
  };
};

export { expect } from "./fixtures.js";

type Shared = PlaywrightTestOptions & Omit<TestFixtures, "open">;

export const test = base.extend<object, { by: Found["by"]; engine: Engine }>({
  by: [({ browserName }, use) => use(findEngines()[browserName]!.by), { scope: "worker" }],

  engine: [
    async ({ by, browserName, playwright, launchOptions }, use) => {
      const engine =
        by === "webdriver"
          ? await startWebKit(launchOptions.executablePath!)
          : await startPlaywright(playwright[browserName], by, launchOptions);
      await use(engine);
      await engine.close();
    },
    { scope: "worker", timeout: 180_000 },
  ],

  // What WebKitGTK's driver does not tell, its pages tell by themselves.
  site: async ({ site, by, guard }, use) => {
    if (by === "webdriver") site.tellErrors(guard.report);
    await use(site);
  },

  // Named for its order: pages are closed before the rows are looked at for the last time.
  open: async ({ engine, guard, site, database: _ }, use) => {
    const { open, end } = await engine.begin(guard.watch);
    await use((path = "/") => open(site.url + path) as Promise<Page>);
    await end();
  },
}) as unknown as TestType<Shared & { open: (path?: string) => Promise<Tab> }, PlaywrightWorkerOptions & WorkerFixtures>;
