import { defineConfig } from "vitest/config";

// The unit tests of what is mutated, and the histories that are quickly told. They need no service, so nothing is built.
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: [
      "test/unit/{browser,server,shared}/**/*.test.ts",
      "test/unit/{hub,snippet}.test.ts",
      "test/contract/{read,users,send,retries,secrets}.test.ts",
      "test/simulation/*.test.ts",
    ],
    exclude: ["test/simulation/histories.test.ts"],
    environment: "node",
    // One bundle for the pages of all files: most of a run's time.
    isolate: false,
    testTimeout: 20_000,
    retry: 0,
  },
});
