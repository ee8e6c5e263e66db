import { describe, expect, it } from "vitest";
import { countPlaywright, countVitest, NONE, ofStage, sum, summary } from "../count.js";

describe("the count of a test run", () => {
  it("adds up both runners", () => {
    const unit = countVitest({
      numPassedTests: 3,
      numFailedTests: 1,
      numPendingTests: 1,
      numTodoTests: 1,
      testResults: [{ status: "failed", assertionResults: [{ status: "passed" }, { status: "failed" }] }],
    });
    const e2e = countPlaywright({ stats: { expected: 4, unexpected: 0, flaky: 1, skipped: 2 }, errors: [] });
    expect(sum([unit, e2e])).toEqual({ passed: 7, failed: 2, skipped: 4 });
  });

  it("counts a file that does not load as one failure of its own", () => {
    const unit = countVitest({
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [
        { status: "failed", assertionResults: [] },
        { status: "passed", assertionResults: [{ status: "passed" }] },
      ],
    });
    expect(unit.failed).toBe(1);
    const stats = { expected: 0, unexpected: 1, flaky: 0, skipped: 0 };
    expect(countPlaywright({ stats, errors: [{ message: "does not load" }] }).failed).toBe(2);
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
