import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The same tests in both environments that stand for a browser: one will do.
    projects: ["jsdom", "happy-dom"].map((environment) => ({
      // It only ends what would hang for ever: a busy machine is no failure.
      test: { name: environment, environment, testTimeout: 120_000 },
    })),
  },
});
