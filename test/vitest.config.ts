import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts"],
    exclude: ["test/{service,upgrade}/**"],
    // Tests start the service as it runs, built, and pages of the simulation evaluate one bundle: both from the sources of now.
    globalSetup: ["src/service/build.ts", "test/simulation/bundles.ts"],
    environment: "node",
    // Files share their modules, which takes a third less time; each takes its stubs back.
    isolate: false,
    // By itself Vitest leaves a core free.
    maxWorkers: 2,
    // They only end what would hang for ever: a busy machine is no failure. What takes minutes says so itself.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    retry: 0,
  },
});
