/*
 * What `npm test` runs: type check, lint, build, size, unit tests, then the end-to-end tests in a real browser. The
 * first four are the ground of the rest, so the first of them that fails ends the run; failing unit tests do not keep
 * the end-to-end tests from running. The last line printed counts all tests.
 */
import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBrowser } from "../e2e/harness/install-browser.js";
import { type Counts, countPlaywright, countVitest, NONE, ofStage, sum, summary } from "./count.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const UNIT_REPORT = join(ROOT, "test/.results/unit.json");
const E2E_REPORT = join(ROOT, "e2e/.results/e2e.json");

/** Runs one of the package's scripts, its output streaming through; resolves to whether it succeeded. */
const script = (name: string, args: string[] = [], env: Record<string, string> = {}): Promise<boolean> =>
  new Promise((resolve) => {
    const npm = process.env.npm_execpath;
    const command = npm === undefined ? "npm" : process.execPath;
    const before = npm === undefined ? [] : [npm];
    const child = spawn(command, [...before, "run", "--silent", name, ...(args.length > 0 ? ["--", ...args] : [])], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ["ignore", "inherit", "inherit"],
      shell: npm === undefined && process.platform === "win32",
    });
    child.on("error", (error) => {
      console.error(String(error));
      resolve(false);
    });
    child.on("exit", (code) => resolve(code === 0));
  });

const counted = async <Report>(file: string, count: (report: Report) => Counts): Promise<Counts> => {
  try {
    return count(JSON.parse(await readFile(file, "utf8")));
  } catch {
    // No report: the runner did not get as far as that.
    return NONE;
  }
};

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

const groundHolds = async (): Promise<boolean> =>
  (await stage("type check", () => script("check"))) &&
  (await stage("lint", () => script("lint"))) &&
  (await stage("build", () => script("build"))) &&
  (await stage("size", () => script("size")));

const unitTests = async (): Promise<Counts> => {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${UNIT_REPORT}`];
  const ok = await stage("unit tests", () => script("unit", reporters));
  return ofStage(ok, await counted(UNIT_REPORT, countVitest));
};

const endToEndTests = async (): Promise<Counts> => {
  let browser = "";
  const found = await stage("browser", () => {
    browser = ensureBrowser();
    console.log(browser);
    return true;
  });
  if (!found) return ofStage(false, NONE);
  const ok = await stage("end-to-end tests", () => script("e2e", [], { TRACKLET_CHROMIUM: browser }));
  return ofStage(ok, await counted(E2E_REPORT, countPlaywright));
};

// Reports of an earlier run must not be counted when this one writes none.
await Promise.all([UNIT_REPORT, E2E_REPORT].map((file) => rm(file, { force: true })));

const counts = (await groundHolds()) ? [await unitTests(), await endToEndTests()] : [ofStage(false, NONE)];
const total = sum(counts);
if (total.failed > 0) process.exitCode = 1;
console.log(`\n${summary(total)}`);
