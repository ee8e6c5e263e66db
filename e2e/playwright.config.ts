import { defineConfig } from "playwright/test";
import { findBrowser } from "./harness/browser.js";
import { CHROMIUM_ARGS } from "./harness/chromium.js";

// `npm test` has looked for it already, and fetched one if there was none.
const executablePath = process.env.TRACKLET_CHROMIUM ?? findBrowser();

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.spec.ts",
  outputDir: ".results/output",
  reporter: [["list"], ["json", { outputFile: ".results/e2e.json" }]],
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Only ends what would hang for ever; some outages last a minute by themselves.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: {
    browserName: "chromium",
    trace: "off",
    launchOptions: { args: CHROMIUM_ARGS, ...(executablePath === undefined ? {} : { executablePath }) },
  },
});
