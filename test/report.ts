/*
 * What the runners of tests tell `npm test`: each has a reporter of its own beside this file, which says at its end which files
 * were slow and which tests were skipped, and leaves its counts in the file that the variable names.
 */
import { appendFileSync, readFileSync } from "node:fs";

/** The environment variable that names the file of counts. */
export const COUNTS = "TEST_COUNTS";
/** Seconds of work from which on a file is named. */
const SLOW_S = 5;

/** What one runner has come to. */
export interface Report {
  passed: number;
  failed: number;
  /** Seconds of work by file. */
  times: Map<string, number>;
  /** Tests that were skipped, a line each. */
  skipped: string[];
}

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join("\n")}`);
};

/** Says and leaves what a runner has come to. */
export const leave = ({ passed, failed, times, skipped }: Report): void => {
  const slow = [...times].filter(([, seconds]) => seconds > SLOW_S).sort(([, a], [, b]) => b - a);
  list(
    `Files that took over ${SLOW_S} s:`,
    slow.map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`),
  );
  list("Skipped:", [...new Set(skipped)]);
  const file = process.env[COUNTS];
  if (file) appendFileSync(file, `${JSON.stringify([passed, failed, skipped.length])}\n`);
};

/** The sum of all that was left: passed, failed, skipped. */
export const sumOf = (file: string): [number, number, number] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line): [number, number, number] => JSON.parse(line))
    .reduce((sum, one) => [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]], [0, 0, 0]);
