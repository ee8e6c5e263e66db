/*
 * `npm run compare`: what tracklet and other trackers lose and repeat in the same faults, in a real Chromium. It measures five
 * times, half an hour in which nothing else should run on this machine, prints the table, and writes it into docs/compare.md.
 * `-- --only posthog,segment --fault crash` measures these alone and once, and prints only.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ROOT } from "../../../test/support/launch.js";
import { launchChromium } from "../../harness/chromium.js";
import { type Count, FAULTS, measureFault } from "./faults.js";
import { ALL, type Peer } from "./peers.js";

const { values } = parseArgs({ options: { only: { type: "string" }, fault: { type: "string" } } });

/** The chosen ones of a record. @throws Error when there is none of that name */
const chosen = <T>(all: Record<string, T>, names: string | undefined): T[] =>
  (names?.split(",") ?? Object.keys(all)).map((name) => {
    if (!(name in all)) throw new Error(`${name} is none of ${Object.keys(all).join(", ")}`);
    return all[name]!;
  });

/** So many trackers are measured beside each other, with all faults of each: their time is mostly waiting. */
const AT_ONCE = 3;
const isWhole = !values.only && !values.fault;
const RUNS = isWhole ? 5 : 1;

const faults = chosen(FAULTS, values.fault);
const peers = chosen(ALL, values.only);
/** Of each tracker what was counted of each fault. */
const counts = new Map(peers.map((peer) => [peer, faults.map((): Count[] => [])]));
const browser = await launchChromium();
const measure = async (peer: Peer): Promise<void> => {
  const script = await peer.script();
  await Promise.all(
    faults.map(async (fault, at) => counts.get(peer)![at]!.push(await measureFault(browser, peer, { script, fault }))),
  );
};
try {
  for (let run = 1; run <= RUNS; run++)
    for (let start = 0; start < peers.length; start += AT_ONCE) {
      const group = peers.slice(start, start + AT_ONCE);
      await Promise.all(group.map(measure));
      console.error(`run ${run}, counted: ${group.map(({ name }) => name).join(", ")}`);
    }
} finally {
  await browser.close();
}

/** `4`, or `2 to 5` where the runs differ. */
const range = (figures: readonly number[]): string => {
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  return low === high ? `${low}` : `${low} to ${high}`;
};

/** `2 to 5 lost, 3 twice`; a star where the service could tell all repeats by an id. */
const cell = (all: readonly Count[]): string => {
  const lost = all.map((count) => count.lost);
  const repeated = all.map((count) => count.repeated);
  const star = all.some(({ unmarked }) => unmarked) ? "" : "\\*";
  const told = [
    lost.some(Boolean) && `**${range(lost)} lost**`,
    repeated.some(Boolean) && `${range(repeated)} twice${star}`,
  ];
  return told.filter(Boolean).join(", ") || "0";
};
const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const tables = [
  `Chromium ${browser.version()}, ${RUNS} runs. Where they differ, the lowest and the highest figure are given.`,
  [
    row(["of 20 events", ...faults.map(({ title }) => title)]),
    row(["---", ...faults.map(() => "---:")]),
    ...peers.map((peer) => row([peer.name, ...counts.get(peer)!.map(cell)])),
  ].join("\n"),
  faults.map(({ title, what }) => `- **${title}**: ${what}`).join("\n"),
  "What is set in each:",
  peers
    .map(({ name, version, docs, settings, note }) =>
      [`- **${name}**, \`${version}\`: ${settings} ([page](${docs})).`, note].filter(Boolean).join(" "),
    )
    .join("\n"),
].join("\n\n");
console.log(tables);
if (isWhole) {
  const page = `${ROOT}docs/compare.md`;
  const between = /(<!-- begin: npm run compare -->\n).*(<!-- end: npm run compare -->)/s;
  const text = readFileSync(page, "utf8").replace(
    between,
    (_, begin: string, end: string) => `${begin}\n${tables}\n\n${end}`,
  );
  writeFileSync(page, text);
  execFileSync(process.execPath, [`${ROOT}node_modules/@biomejs/biome/bin/biome`, "format", "--write", page]);
}
