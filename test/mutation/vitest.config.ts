import { defineConfig } from "vitest/config";

// The unit tests of what is mutated, and the simulation. They need no service, so it is not built.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: [
      "test/unit/{browser,api-client}/**/*.test.ts",
      "test/unit/{hub,script-tag}.test.ts",
      "test/contract/{read,users,send,retries,secrets}.test.ts",
      "test/simulation/*.test.ts",
    ],
    // It needs a page, and nothing that is mutated.
    exclude: ["test/unit/browser/page.test.ts"],
    // Of the random histories, only as many as each change has time for.
    env: { RUNS: "30" },
    setupFiles: ["test/support/take-back.ts"],
    globalSetup: "test/simulation/bundles.ts",
    isolate: false,
    testTimeout: 20_000,
    retry: 0,
  },
});
