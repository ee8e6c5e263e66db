/*
 * `npm run compare`: what tracklet and other trackers lose and repeat in the same faults, and what they cost, in a real
 * Chromium. It prints the tables, and writes them into docs/compare.md once all counts are there, perhaps from several
 * runs. `-- --only posthog,segment --fault crash` measures these alone, `--no-cost` leaves the costs out, `--no-count` the
 * faults.
 */
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import type { Browser } from "playwright";
import { launchChromium } from "../harness/chromium.js";
import { measureCosts, type Script } from "./cost.js";
import { measureFault } from "./count.js";
import { FAULTS } from "./faults.js";
import { ALL } from "./peers/index.js";
import { report, writeReport } from "./report.js";
import { type Result, readResults, writeResults } from "./results.js";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    fault: { type: "string" },
    cost: { type: "boolean", default: true },
    count: { type: "boolean", default: true },
  },
  allowNegative: true,
});

/** The chosen ones of a record. @throws Error when there is none of that name */
const chosen = <T>(all: Record<string, T>, names: string | undefined): [string, T][] =>
  (names?.split(",") ?? Object.keys(all)).map((name) => {
    if (!(name in all)) throw new Error(`${name} is none of ${Object.keys(all).join(", ")}`);
    return [name, all[name]!];
  });

const peers = chosen(ALL, values.only);
const faults = chosen(FAULTS, values.fault);
const results = readResults();
const scripts = await Promise.all(
  peers.map(async ([key, peer]): Promise<[string, Script]> => [key, { peer, text: await peer.script() }]),
);

/** So many trackers are measured beside each other, with all faults of each: their time is mostly waiting. */
const AT_ONCE = 2;

const resultOf = (key: string, { peer, text }: Script): Result => {
  const result = results.trackers[key] ?? { faults: {} };
  results.trackers[key] = Object.assign(result, { version: peer.version, bytes: brotliCompressSync(text).length });
  return result;
};

const countAll = (browser: Browser, group: [string, Script][]): Promise<unknown> =>
  Promise.all(
    group.flatMap(([key, { peer, text }]) =>
      faults.map(async ([name, fault]) => {
        try {
          resultOf(key, { peer, text }).faults[name] = await measureFault(browser, peer, { script: text, fault });
        } catch (error) {
          // The others go on, and this one is no figure.
          console.error(`${key}, ${name}:`, error);
          process.exitCode = 1;
        }
      }),
    ),
  );

const browser = await launchChromium();
results.chromium = browser.version();
try {
  for (let start = 0; values.count && start < scripts.length; start += AT_ONCE) {
    const group = scripts.slice(start, start + AT_ONCE);
    await countAll(browser, group);
    writeResults(results);
    console.error(`counted: ${group.map(([key]) => key).join(", ")}`);
  }
  for (const [key, script] of values.cost ? scripts : []) {
    const [ours, own] = await measureCosts(browser, [
      { peer: ALL.tracklet!, text: await ALL.tracklet!.script() },
      script,
    ]);
    resultOf(key, script).cost = { own: own!, ours: ours! };
    writeResults(results);
    console.error(`costs measured: ${key}`);
  }
} finally {
  await browser.close();
}
console.log(report(results));
const missing = writeReport(results);
if (missing.length) console.error(`docs/compare.md is as it was; not measured yet: ${missing.join(", ")}`);
