import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../../../test/support/launch.js";
import { median } from "../../../test/support/median.js";
import type { Cost, Script } from "./cost.js";
import { type Count, FAULTS } from "./faults.js";

/** What was measured of one tracker, a figure a run. A run that could not be measured has none. */
export interface Result extends Script {
  /** By the fault. */
  faults: Record<string, Count[]>;
  /** Its own, and of the table's first line in the same run. */
  costs: { own: Cost; ours: Cost }[];
}

export interface Measured {
  chromium: string;
  /** The faults that were measured, by name. */
  faults: readonly string[];
  runs: number;
  /** With fewer figures than this, a tracker has no row. */
  enough: number;
}

/** So many of five runs make a figure. */
export const ENOUGH = 3;

const PAGE = `${ROOT}docs/compare.md`;

const COSTS = [
  ["start", "start"],
  ["event", "an event"],
] as const;

/** `4`, or `2 to 5` where the runs differ. */
const range = (values: readonly number[]): string => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? `${low}` : `${low} to ${high}`;
};

/** `2 to 5 lost, 3 twice`; a star where the service could tell all repeats by an id. */
const countCell = (counts: readonly Count[]): string => {
  const lost = counts.map((count) => count.lost);
  const repeated = counts.map((count) => count.repeated);
  const star = counts.some(({ unmarked }) => unmarked) ? "" : "\\*";
  return (
    [
      lost.some(Boolean) ? `**${range(lost)} lost**` : "",
      repeated.some(Boolean) ? `${range(repeated)} twice${star}` : "",
    ]
      .filter(Boolean)
      .join(", ") || "0"
  );
};

/** What it costs, as a multiple of the first line's. A difference of two measurements may be nothing, and then tells nothing. */
const ratiosOf = ({ costs }: Result, what: keyof Cost): number[] =>
  costs.filter(({ own, ours }) => own[what] > 0 && ours[what] > 0).map(({ own, ours }) => own[what] / ours[what]);

const costCell = (ratios: readonly number[]): string => median(ratios).toFixed(1);

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const tableOf = (head: readonly string[], rows: readonly string[][]): string =>
  [row(head), row(head.map((_, index) => (index ? "---:" : "---"))), ...rows.map(row)].join("\n");

const faultTable = (results: readonly Result[], names: readonly string[]): string =>
  tableOf(
    ["of 20 events", ...names.map((name) => FAULTS[name]!.title)],
    results.map(({ peer, faults }) => [peer.name, ...names.map((name) => countCell(faults[name]!))]),
  );

const costTable = (results: readonly Result[]): string =>
  [
    "Processor time of the page's main thread, as a multiple of the first line's: to run the script and start, and for each of 50 events until it is delivered. The median of all runs.",
    tableOf(
      ["", ...COSTS.map(([, title]) => title)],
      results.map((result) => [result.peer.name, ...COSTS.map(([what]) => costCell(ratiosOf(result, what)))]),
    ),
  ].join("\n\n");

const settings = (results: readonly Result[]): string =>
  results
    .map(({ peer: { name, version, docs, settings, note } }) =>
      [`- **${name}**, \`${version}\`: ${settings} ([page](${docs})).`, note].filter(Boolean).join(" "),
    )
    .join("\n");

/** What was measured, as the document shows it. A tracker has a row of a table where it has enough figures for each of its cells. */
export const report = (results: readonly Result[], { chromium, faults, runs, enough }: Measured): string => {
  const counted = results.filter((result) => faults.every((name) => (result.faults[name]?.length ?? 0) >= enough));
  const costed = results.filter((result) => COSTS.every(([what]) => ratiosOf(result, what).length >= enough));
  const left = results.filter((result) => !counted.includes(result)).map(({ peer }) => peer.name);
  return [
    `Chromium ${chromium}, ${runs} runs. Where they differ, the lowest and the highest figure are given.`,
    faultTable(counted, faults),
    left.length ? `Not in the table, because it could not be measured in every fault: ${left.join(", ")}.` : "",
    faults.map((name) => `- **${FAULTS[name]!.title}**: ${FAULTS[name]!.what}`).join("\n"),
    costed.length ? costTable(costed) : "",
    `What is set in each:\n\n${settings(results)}`,
  ]
    .filter(Boolean)
    .join("\n\n");
};

const BETWEEN = /(<!-- begin: npm run compare -->\n).*(<!-- end: npm run compare -->)/s;

/** Writes the tables into the document. */
export const writeReport = (tables: string): void => {
  const page = readFileSync(PAGE, "utf8");
  writeFileSync(
    PAGE,
    page.replace(BETWEEN, (_, begin: string, end: string) => `${begin}\n${tables}\n\n${end}`),
  );
  execFileSync(process.execPath, [`${ROOT}node_modules/@biomejs/biome/bin/biome`, "format", "--write", PAGE]);
};
