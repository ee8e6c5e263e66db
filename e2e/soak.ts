/*
 * `npm run soak -- 20`: all browser tests twenty times under each strain; with more arguments, those that Playwright chooses
 * by them (`npm run soak -- 5 e2e/delivery/locks.spec.ts --project=firefox`). It tells how often each test has failed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JSONReport, JSONReportSuite } from "playwright/types/testReporter";
import { BUSY_LOOPS, STRAIN, STRAINS, type Strain } from "./harness/strain.js";

const CLI = new URL("../node_modules/playwright/cli.js", import.meta.url).pathname;

const [times = "1", ...chosen] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "tracklet-soak-"));

interface Outcome {
  runs: number;
  failures: number;
}

/** How often each test of a report has run and failed, by its whole name. */
const outcomesOf = (suites: readonly JSONReportSuite[], path = ""): [name: string, isFailed: boolean][] =>
  suites.flatMap(({ title, specs, suites: inner = [] }) => {
    const whole = [path, title].filter(Boolean).join(" › ");
    const own = specs.flatMap(({ title, tests }) =>
      tests
        .filter(({ status }) => status !== "skipped")
        .map(({ projectName, status }): [string, boolean] => [
          `${projectName}: ${whole} › ${title}`,
          status !== "expected",
        ]),
    );
    return [...own, ...outcomesOf(inner, whole)];
  });

const soak = async (strain: Strain): Promise<Map<string, Outcome>> => {
  const file = join(folder, `${strain}.json`);
  const loops: ChildProcess[] =
    strain === "busy machine"
      ? Array.from({ length: BUSY_LOOPS }, () => spawn(process.execPath, ["-e", "for (;;);"]))
      : [];
  try {
    const args = ["test", "--config", "e2e/playwright.config.ts", "--reporter=json", "--repeat-each", times, ...chosen];
    const run = spawn(process.execPath, [CLI, ...args], {
      env: { ...process.env, [STRAIN]: strain, PLAYWRIGHT_JSON_OUTPUT_NAME: file },
      stdio: ["ignore", "ignore", "inherit"],
    });
    await once(run, "exit");
  } finally {
    for (const loop of loops) loop.kill("SIGKILL");
  }
  const { suites, errors } = JSON.parse(await readFile(file, "utf8")) as JSONReport;
  for (const { message } of errors) console.error(message);
  const outcomes = new Map<string, Outcome>();
  for (const [name, isFailed] of outcomesOf(suites)) {
    const { runs, failures } = outcomes.get(name) ?? { runs: 0, failures: 0 };
    outcomes.set(name, { runs: runs + 1, failures: failures + Number(isFailed) });
  }
  return outcomes;
};

let isClean = true;
try {
  for (const strain of STRAINS) {
    const outcomes = [...(await soak(strain))];
    const runs = outcomes.reduce((sum, [, one]) => sum + one.runs, 0);
    const failing = outcomes.filter(([, { failures }]) => failures > 0);
    console.log(`${strain}: ${outcomes.length} tests, ${runs} runs, ${failing.length} tests that failed`);
    for (const [name, { runs, failures }] of failing) console.log(`  ${failures} of ${runs}  ${name}`);
    isClean &&= runs > 0 && failing.length === 0;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = isClean ? 0 : 1;
