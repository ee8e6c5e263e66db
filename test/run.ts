/*
 * What `npm test` runs. Alone: type check, lint, build, size, unit tests and the core of the end-to-end tests, in Chromium.
 * With `--all`: every test, on all engines that are installed. The first three are the ground of the rest, so the first of
 * them that fails ends the run; of the others, none keeps the next from running. The last line printed counts all tests.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COUNTS, leave, sumOf } from "./report.js";
import { ENGINES, findEngines } from "./support/engines.js";
import { ensureChromium } from "./support/install-chromium.js";
import { ROOT } from "./support/launch.js";

const isAll = process.argv.includes("--all");
// Tests that are slow by their nature look at it.
if (isAll) process.env.TEST_ALL = "1";
else delete process.env.TEST_ALL;

const folder = mkdtempSync(join(tmpdir(), "tracklet-test-"));
const counts = join(folder, "counts");
process.env[COUNTS] = counts;
writeFileSync(counts, "");

/** Runs one of the package's scripts, its output streaming through; resolves to whether it succeeded. */
const script = async (name: string, ...args: string[]): Promise<boolean> => {
  const npm = process.env.npm_execpath;
  const [command, before] = npm ? [process.execPath, [npm]] : ["npm", []];
  const child = spawn(command, [...before, "run", "--silent", name, "--", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    shell: !npm && process.platform === "win32",
  });
  const [code] = await once(child, "exit");
  return code === 0;
};

/** Runs a stage and says how it went. One that fails without a failed test counts as one that failed. */
const stage = async (name: string, action: () => boolean | Promise<boolean>): Promise<boolean> => {
  console.log(`\n▶ ${name}`);
  const start = performance.now();
  const [, failedBefore] = sumOf(counts);
  const isOk = await Promise.resolve()
    .then(action)
    .catch((error: unknown) => {
      console.error(String(error));
      return false;
    });
  console.log(`${isOk ? "✔" : "✘"} ${name}: ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  if (!isOk && sumOf(counts)[1] === failedBefore) leave({ passed: 0, failed: 1, times: new Map(), skipped: [] });
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
  const told = ["--reporter=default", "--reporter=./test/vitest-reporter.ts"];
  await stage("unit tests", () => script("unit", ...told));
  if (isAll) await stage("tests of the service", () => script("test:service", ...told));
  await stage("browsers", findBrowsers);
  await stage("end-to-end tests", () =>
    script("e2e", ...(isAll ? [] : ["--project=chromium", "--grep=@core|@engines"])),
  );
}
if (!isAll)
  console.log(
    "\nLeft out is what `npm test -- --all` runs: the rest in Chromium, all in Firefox and WebKit, slow unit tests, the service's.",
  );

const [passed, failed, skipped] = sumOf(counts);
rmSync(folder, { recursive: true });
if (failed > 0) process.exitCode = 1;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
