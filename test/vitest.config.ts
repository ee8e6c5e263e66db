import { defineConfig } from "vitest/config";

/** What all tests by Vitest have in common. */
export const COMMON = {
  root: new URL("..", import.meta.url).pathname,
  setupFiles: ["test/support/take-back.ts"],
  // By itself Vitest leaves a core free.
  maxWorkers: 2,
  // They only end what would hang for ever: a busy machine is no failure. What takes minutes says so itself.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  retry: 0,
};

/** The globals of these are a page, on which they and what they test leave names: each file has a process of its own. */
const PAGES = ["unit/{add-ons,inspector/watch}/*", "unit/browser/page", "package/instance"].map(
  (file) => `test/${file}.test.ts`,
);

export default defineConfig({
  test: {
    // Tests start the service as it runs, built, and pages of the simulation evaluate one bundle: both from the sources of now.
    globalSetup: ["src/service/build.ts", "test/simulation/bundles.ts"],
    maxWorkers: COMMON.maxWorkers,
    projects: [
      { test: { ...COMMON, name: "page", include: PAGES, environment: "happy-dom" } },
      {
        test: {
          ...COMMON,
          name: "node",
          include: ["test/**/*.test.ts"],
          exclude: ["test/service/**", ...PAGES],
          // Files share their modules, which takes a third less time.
          isolate: false,
        },
      },
    ],
  },
});
