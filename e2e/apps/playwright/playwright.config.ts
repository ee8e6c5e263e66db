import { defineConfig } from "playwright/test";

export default defineConfig({
  outputDir: ".results",
  reporter: "list",
  use: {
    // Of the test that runs this one.
    baseURL: process.env.APP_URL,
    launchOptions: JSON.parse(process.env.LAUNCH_OPTIONS ?? "{}"),
  },
});
