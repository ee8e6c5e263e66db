/*
 * What `npm test` runs. Alone: type check, lint, build, size, unit tests and the core of the end-to-end tests, in Chromium.
 * With `--all`: every test, on all engines that are installed. What is left out is said. The first three are the ground of
 * the rest, so the first of them that fails ends the run; of the others, none keeps the next from running. The last line
 * printed counts all tests.
 */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Counts, countPlaywright, countVitest, NONE, ofStage, sum, summary } from "./count.js";
import { CORE_LEAVES_OUT, missingEngines, skippedSpecs, skippedUnits } from "./left-out.js";
import type { PlaywrightReport, VitestReport } from "./reports.js";
import { type FileTime, playwrightTimes, slowFiles, vitestTimes } from "./slow.js";
import { ensureChromium } from "./support/install-chromium.js";
import { ROOT } from "./support/launch.js";

const UNIT_REPORT = join(ROOT, "test/.results/unit.json");
const E2E_REPORT = join(ROOT, "e2e/.results/e2e.json");

const isAll = process.argv.includes("--all");
// Tests that are slow by their nature look at it.
if (isAll) process.env.TEST_ALL = "1";
else delete process.env.TEST_ALL;

/** Runs one of the package's scripts, its output streaming through; resolves to whether it succeeded. */
const script = (name: string, args: string[] = []): Promise<boolean> =>
  new Promise((resolve) => {
    const npm = process.env.npm_execpath;
    const command = npm === undefined ? "npm" : process.execPath;
    const before = npm === undefined ? [] : [npm];
    const child = spawn(command, [...before, "run", "--silent", name, ...(args.length > 0 ? ["--", ...args] : [])], {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit"],
      shell: npm === undefined && process.platform === "win32",
    });
    child.on("error", (error) => {
      console.error(String(error));
      resolve(false);
    });
    child.on("exit", (code) => resolve(code === 0));
  });

/** Runs a stage and prints its name, whether it succeeded, and how long it took. */
const stage = async (name: string, action: () => boolean | Promise<boolean>): Promise<boolean> => {
  console.log(`\n▶ ${name}`);
  const start = performance.now();
  let ok = false;
  try {
    ok = await action();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
  }
  console.log(`${ok ? "✔" : "✘"} ${name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return ok;
};

const groundHolds = async (): Promise<boolean> => {
  const types = stage("type check", () => script("check"));
  const built = (await stage("lint", () => script("lint"))) && (await stage("build", () => script("build")));
  return (await types) && built;
};

/** What the tests of one runner came to. */
interface Outcome {
  counts: Counts;
  times: FileTime[];
  skipped: string[];
}

/** Reads a runner's report, and what it says. A runner that did not get as far as that has none. */
const outcomeOf = async <Report>(ok: boolean, file: string, read: (report: Report) => Outcome): Promise<Outcome> => {
  const outcome = await readFile(file, "utf8").then(
    (text) => read(JSON.parse(text)),
    (): Outcome => ({ counts: NONE, times: [], skipped: [] }),
  );
  return { ...outcome, counts: ofStage(ok, outcome.counts) };
};

const size = async (): Promise<Outcome> => ({
  counts: ofStage(await stage("size", () => script("size")), NONE),
  times: [],
  skipped: [],
});

const unitTests = async (): Promise<Outcome> => {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${UNIT_REPORT}`];
  // Vitest leaves a core free, which the databases need where everything is tested.
  const workers = isAll ? [] : ["--maxWorkers=2"];
  const ok = await stage("unit tests", () => script("unit", [...reporters, ...workers]));
  return outcomeOf(ok, UNIT_REPORT, (report: VitestReport) => ({
    counts: countVitest(report),
    times: vitestTimes(report, ROOT),
    skipped: skippedUnits(report),
  }));
};

const endToEndTests = async (): Promise<Outcome> => {
  const found = await stage("browsers", () => {
    console.log(ensureChromium());
    const missing = isAll ? missingEngines() : [];
    if (missing.length > 0) console.error(`not installed: ${missing.join(", ")}`);
    // Where everything is to be tested, on a machine that is there for it, a missing engine is no excuse.
    return missing.length === 0 || !process.env.CI;
  });
  const args = isAll ? [] : ["--project=chromium", "--grep=@core|@engines"];
  const ok = (await stage("end-to-end tests", () => script("e2e", args))) && found;
  return outcomeOf(ok, E2E_REPORT, (report: PlaywrightReport) => ({
    counts: countPlaywright(report),
    times: playwrightTimes(report),
    skipped: skippedSpecs(report),
  }));
};

const tell = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join("\n")}`);
};

// Reports of an earlier run must not be counted when this one writes none.
await Promise.all([UNIT_REPORT, E2E_REPORT].map((file) => rm(file, { force: true })));

const broken: Outcome = { counts: ofStage(false, NONE), times: [], skipped: [] };
const outcomes = (await groundHolds()) ? [await size(), await unitTests(), await endToEndTests()] : [broken];
const total = sum(outcomes.map(({ counts }) => counts));

tell("Files that took over 5 s:", slowFiles(outcomes.flatMap(({ times }) => times)));
tell(
  "Skipped:",
  outcomes.flatMap(({ skipped }) => skipped),
);
if (isAll)
  tell(
    "Left out:",
    missingEngines().map((engine) => `${engine}: it is not installed`),
  );
else tell("Left out (npm test -- --all runs it):", CORE_LEAVES_OUT);

if (total.failed > 0) process.exitCode = 1;
console.log(`\n${summary(total)}`);
