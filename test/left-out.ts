import { type PlaywrightReport, testsOf, type VitestReport } from "./reports.js";
import { ENGINES, findEngines } from "./support/engines.js";

/** What the core leaves to `npm test -- --all`. */
export const CORE_LEAVES_OUT = [
  "end-to-end tests beyond the core, and all of them in Firefox and WebKit",
  "unit tests that take long by their nature (random histories, a PostgreSQL server)",
];

/** The engines that are not here. */
export const missingEngines = (): string[] => {
  const found = findEngines();
  return ENGINES.filter((engine) => found[engine] === undefined);
};

const counted = (lines: readonly string[]): string[] =>
  [...new Set(lines)].map((line) => {
    const times = lines.filter((one) => one === line).length;
    return times > 1 ? `${line} (${times})` : line;
  });

/** The unit tests that were skipped, a line each. */
export const skippedUnits = ({ testResults }: VitestReport): string[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== "passed" && status !== "failed")
      .map(({ fullName }) => `unit: ${fullName.trim()}`),
  );

/** The end-to-end tests that were skipped, by engine and reason. */
export const skippedSpecs = ({ suites }: PlaywrightReport): string[] =>
  counted(
    testsOf(suites)
      .filter(({ status }) => status === "skipped")
      .map(({ projectName, title, annotations }) => {
        const reason = annotations.find(({ type }) => type === "skip" || type === "fixme")?.description;
        return `${projectName}: ${title}${reason ? `: ${reason}` : ""}`;
      }),
  );
