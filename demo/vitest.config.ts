import { defineConfig } from "vitest/config";
import config from "../test/vitest.config.js";

/** The tests of the service and of `npm start`, some of which replace modules: all else is as for the others. */
export default defineConfig({
  test: { ...config.test, include: ["demo/**/*.test.ts"], globalSetup: "demo/service/build.ts", isolate: true },
});
