/** What the runners of tests have come to, as their own reports tell it. */
import type { JSONReport, JSONReportSuite } from "playwright/types/testReporter";
import type { JsonTestResults } from "vitest/node";

export interface Counts {
  passed: number;
  failed: number;
  /** Tests that were skipped, a line each. */
  skipped: string[];
}

export const countsOfVitest = ({ numPassedTests, numFailedTests, testResults }: JsonTestResults): Counts => ({
  passed: numPassedTests,
  failed: numFailedTests,
  skipped: testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "skipped")
    .map(({ fullName }) => fullName),
});

const skippedIn = (suites: readonly JSONReportSuite[] = []): string[] =>
  suites.flatMap(({ specs, suites: inner }) => [
    ...specs.flatMap(({ title, tests }) =>
      tests
        .filter(({ status }) => status === "skipped")
        .map(({ projectName, annotations: [reason] }) =>
          [projectName, title, reason?.description].filter(Boolean).join(": "),
        ),
    ),
    ...skippedIn(inner),
  ]);

/** A test that passed only on a second try, and an error beside all tests, count as failed. */
export const countsOfPlaywright = ({ stats, errors, suites }: JSONReport): Counts => ({
  passed: stats.expected,
  failed: stats.unexpected + stats.flaky + errors.length,
  skipped: skippedIn(suites),
});
