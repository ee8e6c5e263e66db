import { test as base, expect, type Page } from "playwright/test";
import { createGuard } from "../../../e2e/harness/guard.js";
import { type Demo, startDemo } from "./start-demo.js";

/** The demo, one a worker, and its live page; a script error in any page fails the test. */
export const test = base.extend<{ live: Page }, { demo: Demo }>({
  demo: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads a fixture's needs from this pattern
    async ({}, use) => {
      const demo = await startDemo();
      await use(demo);
      await demo.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  context: async ({ context }, use) => {
    const guard = createGuard();
    guard.watch(context);
    await use(context);
    expect(guard.objections(), "errors in the pages").toEqual([]);
  },
  /** The live page, open and connected. */
  live: async ({ context, demo }, use) => {
    const live = await context.newPage();
    await live.goto(`${demo.site}/live.html`);
    await expect(live.locator("[data-state=live]")).toBeVisible();
    await use(live);
  },
});
