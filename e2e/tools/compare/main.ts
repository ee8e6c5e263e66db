/*
 * `npm run compare`: what tracklet and other trackers lose and repeat in the same faults, and what they cost, in a real
 * Chromium. It prints the tables, and writes them into docs/compare.md. `-- --only posthog,segment --fault crash` measures
 * these alone, and `--no-cost` leaves the costs out; what is measured of a part is printed only.
 */
import { parseArgs } from "node:util";
import { brotliCompressSync } from "node:zlib";
import { launchChromium } from "../../harness/chromium.js";
import { measureCosts } from "./cost.js";
import { measureFault } from "./count.js";
import { FAULTS } from "./faults.js";
import { ALL } from "./peers/index.js";
import { type Result, report, writeReport } from "./report.js";

const { values } = parseArgs({
  options: { only: { type: "string" }, fault: { type: "string" }, cost: { type: "boolean", default: true } },
  allowNegative: true,
});

/** The chosen ones of a record. @throws Error when there is none of that name */
const chosen = <T>(all: Record<string, T>, names: string | undefined): [string, T][] =>
  (names?.split(",") ?? Object.keys(all)).map((name) => {
    if (!(name in all)) throw new Error(`${name} is none of ${Object.keys(all).join(", ")}`);
    return [name, all[name]!];
  });

/** So many trackers are measured beside each other, with all faults of each: their time is mostly waiting. */
const AT_ONCE = 2;

const faults = chosen(FAULTS, values.fault);
const results = await Promise.all(
  chosen(ALL, values.only).map(async ([, peer]): Promise<Result> => {
    const text = await peer.script();
    return { peer, text, bytes: brotliCompressSync(text).length, faults: {} };
  }),
);
const browser = await launchChromium();

const countAll = ({ peer, text, faults: counts }: Result): Promise<unknown> =>
  Promise.all(
    faults.map(async ([name, fault]) => {
      try {
        counts[name] = await measureFault(browser, peer, { script: text, fault });
      } catch (error) {
        // The others go on, and this one is no figure.
        console.error(`${peer.name}, ${name}:`, error);
        process.exitCode = 1;
      }
    }),
  );

try {
  for (let start = 0; start < results.length; start += AT_ONCE) {
    const group = results.slice(start, start + AT_ONCE);
    await Promise.all(group.map(countAll));
    console.error(`counted: ${group.map(({ peer }) => peer.name).join(", ")}`);
  }
  for (const result of values.cost ? results : []) {
    const tracklet = { peer: ALL.tracklet!, text: await ALL.tracklet!.script() };
    const [ours, own] = await measureCosts(browser, [tracklet, result]);
    result.cost = { own: own!, ours: ours! };
    console.error(`costs measured: ${result.peer.name}`);
  }
} finally {
  await browser.close();
}
const tables = report(browser.version(), results);
console.log(tables);
if (!values.only && !values.fault) writeReport(tables);
