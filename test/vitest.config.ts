import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    // Tests start the service as it runs, built: from the sources of now.
    globalSetup: "demo/service/build.ts",
    environment: "node",
    // By itself Vitest leaves a core free.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    retry: 0,
  },
});
