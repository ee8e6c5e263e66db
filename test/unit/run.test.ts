import { describe, expect, it } from "vitest";
import { countPlaywright, countVitest, NONE, ofStage, sum, summary } from "../count.js";
import { skippedSpecs, skippedUnits } from "../left-out.js";
import type { PlaywrightReport, PlaywrightSuite, VitestReport } from "../reports.js";
import { playwrightTimes, slowFiles, vitestTimes } from "../slow.js";

const unitReport = (passed: number, failed: number, skipped: number, files: VitestReport["testResults"] = []) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  testResults: files,
});

const unitFile = (status: string, ...tests: string[]) => ({
  name: "/project/test/a.test.ts",
  status,
  startTime: 1_000,
  endTime: 8_000,
  assertionResults: tests.map((one) => ({ status: one, fullName: `a test that ${one}` })),
});

const e2eReport = (
  stats: Partial<PlaywrightReport["stats"]>,
  suites: PlaywrightSuite[] = [],
  errors: unknown[] = [],
) => ({
  stats: { expected: 0, unexpected: 0, flaky: 0, skipped: 0, ...stats },
  errors,
  suites,
});

const spec = (projectName: string, status: string, duration: number, description?: string) => ({
  title: "a spec",
  tests: [
    {
      projectName,
      status,
      annotations: description === undefined ? [] : [{ type: "skip", description }],
      results: [{ duration }],
    },
  ],
});

describe("the count of a test run", () => {
  it("adds up both runners; a test that passed on a second try has failed", () => {
    const unit = countVitest(unitReport(3, 1, 2, [unitFile("failed", "passed", "failed")]));
    const e2e = countPlaywright(e2eReport({ expected: 4, flaky: 1, skipped: 2 }));
    expect(sum([unit, e2e])).toEqual({ passed: 7, failed: 2, skipped: 4 });
  });

  it("counts a file that does not load as one failure of its own", () => {
    const files = [unitFile("failed"), unitFile("passed", "passed")];
    expect(countVitest(unitReport(1, 0, 0, files)).failed).toBe(1);
    expect(countPlaywright(e2eReport({ unexpected: 1 }, [], [{ message: "does not load" }])).failed).toBe(2);
  });

  it("counts a stage that broke down without a failed test as one failure", () => {
    expect(ofStage(false, NONE).failed).toBe(1);
    expect(ofStage(false, { passed: 5, failed: 2, skipped: 0 }).failed).toBe(2);
    expect(ofStage(true, { passed: 5, failed: 0, skipped: 0 }).failed).toBe(0);
  });

  it("names skipped tests only when there are any", () => {
    expect(summary({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
    expect(summary({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
  });
});

describe("what a test run says besides", () => {
  const nested: PlaywrightSuite = {
    file: "delivery/a.spec.ts",
    specs: [spec("chromium", "expected", 4_000)],
    suites: [
      { file: "delivery/a.spec.ts", specs: [spec("chromium", "expected", 5_000), spec("firefox", "expected", 1_000)] },
    ],
  };

  it("names the files that took over 5 s, the slowest first, each engine by itself", () => {
    const times = [
      ...vitestTimes(unitReport(1, 0, 0, [unitFile("passed", "passed")]), "/project"),
      ...playwrightTimes(e2eReport({}, [nested])),
    ];
    expect(slowFiles(times)).toEqual(["    9.0 s  e2e/delivery/a.spec.ts (chromium)", "    7.0 s  test/a.test.ts"]);
  });

  it("names skipped tests with the engine and the reason", () => {
    expect(skippedUnits(unitReport(1, 0, 1, [unitFile("passed", "passed", "pending")]))).toEqual([
      "unit: a test that pending",
    ]);
    const skipped = spec("webkit", "skipped", 0, "it cannot do that");
    const suite = { file: "a.spec.ts", specs: [skipped, skipped, spec("webkit", "expected", 1)] };
    expect(skippedSpecs(e2eReport({ skipped: 2 }, [suite]))).toEqual(["webkit: a spec: it cannot do that (2)"]);
  });
});
