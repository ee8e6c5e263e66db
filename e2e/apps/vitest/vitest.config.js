import { defineConfig } from "vitest/config";

/* The same tests in both environments that stand for a browser. */
export default defineConfig({
  test: { projects: ["jsdom", "happy-dom"].map((environment) => ({ test: { name: environment, environment } })) },
});
