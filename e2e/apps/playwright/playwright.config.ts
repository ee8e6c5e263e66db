import { defineConfig } from "playwright/test";

export default defineConfig({
  outputDir: ".results",
  reporter: "list",
  // They only end what would hang for ever: a busy machine is no failure.
  timeout: 120_000,
  expect: { timeout: 60_000 },
  webServer: { command: "node events.mjs", url: "http://localhost:4319" },
  use: {
    // Of the test that runs this one.
    baseURL: process.env.APP_URL,
    launchOptions: JSON.parse(process.env.LAUNCH_OPTIONS ?? "{}"),
  },
});
