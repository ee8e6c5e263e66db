// `npm run mutate`: changes the source in small ways, and tells which changes no unit test notices.
export default {
  testRunner: "vitest",
  // What `fresh` and the simulation evaluate is not found by following imports.
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  mutate: ["src/browser/{capture,state,delivery}/**/*.ts", "src/{api-client,shared}/**/*.ts"],
  ignorePatterns: ["/dist", "/docs", "/e2e", "/build", "/.data*"],
  coverageAnalysis: "perTest",
  // What is evaluated once, when a module is loaded, would need all tests for each change.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 8_000,
  incremental: true,
  incrementalFile: "test/.results/mutation/incremental.json",
  tempDirName: ".stryker",
  reporters: ["clear-text", "progress", "html", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: "test/.results/mutation/report.html" },
  jsonReporter: { fileName: "test/.results/mutation/report.json" },
  thresholds: { high: 95, low: 90, break: 90 },
};
