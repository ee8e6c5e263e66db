/** The members read of vitest's JSON report. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  /** One entry a file. */
  testResults: {
    name: string;
    status: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/** A file, or a block in a file, of Playwright's JSON report. */
export interface PlaywrightSuite {
  file: string;
  specs: {
    title: string;
    tests: {
      projectName: string;
      status: string;
      annotations: { type: string; description?: string }[];
      results: { duration: number }[];
    }[];
  }[];
  suites?: PlaywrightSuite[];
}

/** The members read of Playwright's JSON report. */
export interface PlaywrightReport {
  stats: { expected: number; unexpected: number; flaky: number; skipped: number };
  /** What went wrong outside of any test, such as a file that does not load. */
  errors: unknown[];
  suites: PlaywrightSuite[];
}

/** Every test of a report, with the file that it stands in. */
export const testsOf = (
  suites: readonly PlaywrightSuite[],
): (PlaywrightSuite["specs"][number]["tests"][number] & {
  file: string;
  title: string;
})[] =>
  suites.flatMap(({ file, specs, suites: inner = [] }) => [
    ...specs.flatMap(({ title, tests }) => tests.map((test) => ({ ...test, file, title }))),
    ...testsOf(inner),
  ]);
