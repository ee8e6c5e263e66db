/*
 * `npm run compare`: what tracklet and other trackers lose and repeat in the same faults, and what they cost, in a real
 * Chromium. It measures five times, half an hour in which nothing else should run on this machine, prints the tables, and writes
 * them into docs/compare.md. `-- --only posthog,segment --fault crash` measures these alone and once, and `--no-cost` leaves the
 * costs out; what is measured of a part is printed only.
 */
import { parseArgs } from "node:util";
import { launchChromium } from "../../harness/chromium.js";
import { measureCosts } from "./cost.js";
import { FAULTS, measureFault } from "./faults.js";
import { ALL } from "./peers.js";
import { ENOUGH, type Result, report, writeReport } from "./report.js";

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
const AT_ONCE = 3;
const isWhole = !values.only && !values.fault;
const runs = isWhole ? 5 : 1;

const faults = chosen(FAULTS, values.fault);
const peers = chosen(ALL, values.only);
const results = await Promise.all(
  peers.map(async ([, peer]): Promise<Result> => ({ peer, text: await peer.script(), faults: {}, costs: [] })),
);
const browser = await launchChromium();

const countAll = ({ peer, text, faults: counts }: Result): Promise<unknown> =>
  Promise.all(
    faults.map(async ([name, fault]) => {
      try {
        const count = await measureFault(browser, peer, { script: text, fault });
        counts[name] = [...(counts[name] ?? []), count];
      } catch (error) {
        // The others go on, and this one is no figure.
        console.error(`${peer.name}, ${name}:`, error);
        process.exitCode = 1;
      }
    }),
  );

try {
  for (let run = 1; run <= runs; run++) {
    for (let start = 0; start < results.length; start += AT_ONCE) {
      const group = results.slice(start, start + AT_ONCE);
      await Promise.all(group.map(countAll));
      console.error(`run ${run}, counted: ${group.map(({ peer }) => peer.name).join(", ")}`);
    }
    for (const result of values.cost ? results : []) {
      const first = { peer: ALL.unstamped!, text: await ALL.unstamped!.script() };
      const [ours, own] = await measureCosts(browser, [first, result]);
      result.costs.push({ own: own!, ours: ours! });
      console.error(`run ${run}, costs measured: ${result.peer.name}`);
    }
  }
} finally {
  await browser.close();
}
const tables = report(results, {
  chromium: browser.version(),
  faults: faults.map(([name]) => name),
  runs,
  enough: Math.min(ENOUGH, runs),
});
console.log(tables);
if (isWhole) writeReport(tables);
