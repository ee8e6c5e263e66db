import { relative } from "node:path";
import { type PlaywrightReport, testsOf, type VitestReport } from "./reports.js";

/** Seconds of work from which on a file is named. */
const LIMIT_S = 5;

/** The seconds that a file's tests took, one after the other. */
export interface FileTime {
  file: string;
  seconds: number;
}

export const vitestTimes = ({ testResults }: VitestReport, root: string): FileTime[] =>
  testResults.map(({ name, startTime, endTime }) => ({
    file: relative(root, name),
    seconds: (endTime - startTime) / 1_000,
  }));

/** In each engine by itself. */
export const playwrightTimes = ({ suites }: PlaywrightReport): FileTime[] => {
  const times = new Map<string, number>();
  for (const { file, projectName, results } of testsOf(suites)) {
    const key = `e2e/${file} (${projectName})`;
    times.set(
      key,
      results.reduce((sum, { duration }) => sum + duration / 1_000, times.get(key) ?? 0),
    );
  }
  return [...times].map(([file, seconds]) => ({ file, seconds }));
};

/** A line for each slow file, the slowest first. */
export const slowFiles = (times: readonly FileTime[]): string[] =>
  times
    .filter(({ seconds }) => seconds > LIMIT_S)
    .toSorted((a, b) => b.seconds - a.seconds)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
