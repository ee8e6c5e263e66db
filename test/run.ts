/*
 * What `npm test` runs. Alone: type check, lint, build, size, unit tests, the model of the service, and the core of the end-to-end
 * tests, in Chromium. With `--all`: every test, on all engines that are installed. The first three are the ground of the rest, so the
 * first of them that fails ends the run; of the others, none keeps the next from running. The last line printed counts all tests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JSONReport, JSONReportSuite } from "playwright/types/testReporter";
import type { JsonTestResults } from "vitest/node";
import { ENGINES, findEngines } from "./support/engines.js";
import { ensureChromium } from "./support/install-chromium.js";
import { ROOT } from "./support/launch.js";
import { NPM } from "./support/npm.js";

interface Counts {
  passed: number;
  /** Names, a line each: the end of the output tells them, too. */
  failed: string[];
  skipped: string[];
}

const countsOfVitest = ({ numPassedTests, testResults }: JsonTestResults): Counts => {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const named = (wanted: string) => all.filter(({ status }) => status === wanted).map(({ fullName }) => fullName);
  return { passed: numPassedTests, failed: named("failed"), skipped: named("skipped") };
};

/** The tests of a status: a test that passed only on a second try ("flaky") counts as failed. */
const namedIn = (wanted: readonly string[], suites: readonly JSONReportSuite[] = []): string[] =>
  suites.flatMap(({ specs, suites: inner }) => [
    ...specs.flatMap(({ title, tests }) =>
      tests
        .filter(({ status }) => wanted.includes(status))
        .map(({ projectName, annotations: [reason] }) =>
          [projectName, title, reason?.description].filter(Boolean).join(": "),
        ),
    ),
    ...namedIn(wanted, inner),
  ]);

/** An error beside all tests counts as failed, too. */
const countsOfPlaywright = ({ stats, errors, suites }: JSONReport): Counts => ({
  passed: stats.expected,
  failed: [...namedIn(["unexpected", "flaky"], suites), ...errors.map(({ message }) => message ?? "an error")],
  skipped: namedIn(["skipped"], suites),
});

const isAll = process.argv.includes("--all");
// Tests that are slow by their nature look at it.
if (isAll) process.env.TEST_ALL = "1";
else delete process.env.TEST_ALL;

const total: Counts = { passed: 0, failed: [], skipped: [] };

/** Runs one of the package's scripts, its output streaming through; resolves to whether it succeeded. */
const script = async (name: string, ...args: string[]): Promise<boolean> => {
  const [command, ...before] = NPM;
  const child = spawn(command, [...before, "run", "--silent", name, "--", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  return code === 0;
};

/** Runs a stage and says how it went. One that fails without a failed test counts as one that failed. */
const stage = async (name: string, action: () => boolean | Promise<boolean>): Promise<boolean> => {
  console.log(`\n▶ ${name}`);
  const start = performance.now();
  const before = total.failed.length;
  const isOk = await Promise.resolve()
    .then(action)
    .catch((error: unknown) => {
      console.error(String(error));
      return false;
    });
  console.log(`${isOk ? "✔" : "✘"} ${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  if (!isOk && total.failed.length === before) total.failed.push(name);
  return isOk;
};

const folder = mkdtempSync(join(tmpdir(), "tracklet-test-"));
/** Where the runner of the stage leaves its report. */
const file = join(folder, "report.json");
process.env.PLAYWRIGHT_JSON_OUTPUT_FILE = file;

/** Runs tests, and adds what their runner has counted. */
const tests = async <Report>(countsOf: (report: Report) => Counts, name: string, ...args: string[]) => {
  rmSync(file, { force: true });
  const isOk = await script(name, ...args);
  const { passed, failed, skipped } = countsOf(JSON.parse(readFileSync(file, "utf8")));
  total.passed += passed;
  total.failed.push(...failed);
  total.skipped.push(...skipped);
  return isOk;
};

const findBrowsers = (): boolean => {
  console.log(ensureChromium());
  const found = findEngines();
  const missing = isAll ? ENGINES.filter((engine) => !found[engine]) : [];
  if (missing.length > 0) console.error(`not installed: ${missing.join(", ")}`);
  // Where everything is to be tested, on a machine that is there for it, a missing engine is no excuse.
  return missing.length === 0 || !process.env.CI;
};

const types = stage("type check", () => script("check"));
const isBuilt = (await stage("lint", () => script("lint"))) && (await stage("build", () => script("build")));
if ((await types) && isBuilt) {
  await stage("size", () => script("size"));
  const told = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  await stage("unit tests", () => tests(countsOfVitest, "unit", ...told));
  const some = isAll ? [] : ["service/model"];
  await stage("tests of the service", () => tests(countsOfVitest, "test:service", ...some, ...told));
  await stage("browsers", findBrowsers);
  const core = isAll ? [] : ["--project=chromium", "--project=shell", "--grep=@core"];
  await stage("end-to-end tests", () => tests(countsOfPlaywright, "e2e", "--reporter=list,json", ...core));
}
rmSync(folder, { recursive: true });
const { passed, failed, skipped } = total;
if (skipped.length > 0) console.log(["\nSkipped:", ...new Set(skipped)].join("\n  "));
if (failed.length > 0) console.log(["\nFailed:", ...failed].join("\n  "));
if (!isAll)
  console.log(
    "\nLeft out is what `npm test -- --all` runs: the rest in Chromium, Firefox and WebKit, slow unit tests, and all of the service but its model.",
  );

if (failed.length > 0) process.exitCode = 1;
console.log(`\n${passed} passed, ${failed.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`);
