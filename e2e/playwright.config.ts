import { defineConfig } from "playwright/test";
import { ENGINES, findEngines } from "../test/support/engines.js";
import { CHROMIUM_ARGS } from "./harness/chromium.js";
import type { TestFixtures } from "./harness/fixtures.js";
import { isSecurePossible, trustArgs } from "./harness/secure.js";
import { commandMs } from "./harness/strain.js";

/*
 * Which tests run where, and when. This is the one place that says so.
 *
 * - Every test runs in Chromium. A test with the tag `@engines` runs in Firefox and WebKit as well, where they are
 *   installed: it takes its tabs from the fixture of `harness/engines.ts`. So does one with `@whole`, which is no part of the core.
 * - The core runs in Chromium by HTTP/2 with TLS as well, in the project `chromium-h2`.
 * - `npm test` runs the core: the tests with the tag `@engines` or `@core`, in Chromium alone. `npm test -- --all` runs
 *   everything, and so does Playwright when it is called by hand.
 */
const found = findEngines();

export default defineConfig<TestFixtures>({
  testDir: "..",
  globalSetup: "./harness/global-setup.ts",
  testMatch: ["**/e2e/**/*.spec.ts", "**/demo/test/**/*.spec.ts"],
  outputDir: ".results/output",
  reporter: "list",
  fullyParallel: true,
  workers: 4,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  // Only ends what would hang for ever; some outages last a minute by themselves.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  use: { trace: "off" },
  projects: [
    ...ENGINES.filter((engine) => found[engine]).map((engine) => ({
      name: engine,
      ...(engine === "chromium" ? {} : { grep: /@engines|@whole/ }),
      use: {
        browserName: engine,
        launchOptions: {
          executablePath: found[engine]!.path,
          args: engine === "chromium" ? CHROMIUM_ARGS : [],
          slowMo: commandMs,
        },
      },
    })),
    ...(found.chromium && isSecurePossible()
      ? [
          {
            name: "chromium-h2",
            grep: /@core|@engines/,
            // The demo has servers of its own.
            testIgnore: "**/demo/test/**",
            use: {
              browserName: "chromium" as const,
              isSecure: true,
              launchOptions: {
                executablePath: found.chromium.path,
                args: [...CHROMIUM_ARGS, ...trustArgs()],
                slowMo: commandMs,
              },
            },
          },
        ]
      : []),
  ],
});
