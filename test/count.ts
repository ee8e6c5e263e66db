import type { PlaywrightReport, VitestReport } from "./reports.js";

/** Tests by outcome. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export const NONE: Counts = { passed: 0, failed: 0, skipped: 0 };

/** A file that failed without a failed test (it does not load, a hook threw) counts as one failure. */
const brokenFiles = ({ testResults }: VitestReport): number =>
  testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  ).length;

export const countVitest = (report: VitestReport): Counts => ({
  passed: report.numPassedTests,
  failed: report.numFailedTests + brokenFiles(report),
  skipped: report.numPendingTests + report.numTodoTests,
});

/** A test that passed only on a second try is not deterministic: it counts as failed. */
export const countPlaywright = ({ stats, errors }: PlaywrightReport): Counts => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky + errors.length,
  skipped: stats.skipped,
});

/** A stage that ended badly without naming a failed test (a file that does not load, a crash) is one failure. */
export const ofStage = (ok: boolean, counts: Counts): Counts =>
  ok || counts.failed > 0 ? counts : { ...counts, failed: 1 };

export const sum = (all: readonly Counts[]): Counts =>
  all.reduce(
    (total, one) => ({
      passed: total.passed + one.passed,
      failed: total.failed + one.failed,
      skipped: total.skipped + one.skipped,
    }),
    NONE,
  );

/** The last line of the whole run; skipped tests are named only when there are any. */
export const summary = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
