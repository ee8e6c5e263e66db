import { defineConfig } from "playwright/test";
import { ENGINES, findEngines } from "../test/support/engines.js";
import { CHROMIUM_ARGS } from "./harness/chromium.js";
import type { TestFixtures } from "./harness/fixtures.js";
import { isSecurePossible, trustArgs } from "./harness/secure.js";
import { commandMs } from "./harness/strain.js";

/*
 * Which tests run where, and when. This is the one place that says so.
 *
 * - A test with the tag `@engines` runs in Chromium, Firefox and WebKit, where they are installed: it takes its tabs from the
 *   fixture of `harness/engines.ts`. With the tag `@https` it runs there by HTTP/2 with TLS as well.
 * - Every other test runs in Chromium's shell, which has no windows and so costs half the time, or in Chromium where the
 *   shell is not installed. With the tag `@browser` it needs the whole browser: the shell has no back/forward cache.
 * - What needs the apps of `apps`, or their frameworks, runs once these are built.
 * - The core, `@core`, is what `npm test` runs. What it has of delivery and installation runs by HTTP/2 with TLS as well, in the
 *   project `h2`, by the shell.
 */
const found = findEngines();

const shell = (args: string[] = []) => ({
  executablePath: found.shell ?? found.chromium?.path,
  args: [...CHROMIUM_ARGS, ...args],
  slowMo: commandMs,
});

const APPS = ["**/e2e/pageviews/frameworks.spec.ts", "**/e2e/install/{own-tests,first-party}.spec.ts"];
const TAGS = { chromium: /@engines|@browser/, firefox: /@engines/, webkit: /@engines/ };

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
    // First, because it takes minutes. Two installations or builds at a time would disturb each other.
    { name: "builds", testMatch: "**/e2e/apps/apps.setup.ts", workers: 1, timeout: 1_200_000 },
    ...ENGINES.filter((engine) => found[engine]).flatMap((engine) =>
      (isSecurePossible() ? [false, true] : [false]).map((isSecure) => ({
        name: isSecure ? `${engine}-https` : engine,
        grep: isSecure ? /@https/ : TAGS[engine],
        use: {
          browserName: engine,
          isSecure,
          // Firefox as it is installed is driven by WebDriver BiDi.
          ...(found[engine]!.by === "bidi" && { channel: "moz-firefox" }),
          launchOptions: {
            executablePath: found[engine]!.path,
            args: engine === "chromium" ? [...CHROMIUM_ARGS, ...(isSecure ? trustArgs() : [])] : [],
            slowMo: commandMs,
          },
        },
      })),
    ),
    {
      name: "apps",
      testMatch: APPS,
      dependencies: ["builds"],
      use: { browserName: "chromium", launchOptions: shell() },
    },
    {
      name: "shell",
      testIgnore: APPS,
      grepInvert: /@engines|@browser/,
      use: { browserName: "chromium", launchOptions: shell() },
    },
    ...(isSecurePossible()
      ? [
          {
            name: "h2",
            grep: /@core/,
            grepInvert: /@browser|@https/,
            testMatch: "**/e2e/{delivery,install}/*.spec.ts",
            use: { browserName: "chromium" as const, isSecure: true, launchOptions: shell(trustArgs()) },
          },
        ]
      : []),
  ],
});
