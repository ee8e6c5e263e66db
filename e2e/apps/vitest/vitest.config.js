import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The same tests in both environments that stand for a browser: one will do.
    projects: ["jsdom", "happy-dom"].map((environment) => ({ test: { name: environment, environment } })),
  },
});
