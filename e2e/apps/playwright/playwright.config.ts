import { defineConfig } from "playwright/test";

export default defineConfig({
  outputDir: ".results",
  reporter: "list",
  webServer: { command: "node events.mjs", url: "http://localhost:4319" },
  use: {
    // Of the test that runs this one.
    baseURL: process.env.APP_URL,
    launchOptions: JSON.parse(process.env.LAUNCH_OPTIONS ?? "{}"),
  },
});
