import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../../test/support/launch.js";
import type { Count } from "./count.js";
import { FAULTS } from "./faults.js";
import type { Peer } from "./peer.js";
import { ALL } from "./peers/index.js";
import type { Result, Results } from "./results.js";

const PAGE = `${ROOT}docs/compare.md`;
const FAULT_KEYS = Object.keys(FAULTS);

const COSTS = [
  ["start", "start"],
  ["event", "an event"],
] as const;

/** `2 lost, 3 twice`; a star where the service could tell the repeats by an id. */
const cell = (count: Count | undefined): string => {
  if (!count) return "not measured";
  const { lost, repeated, unmarked } = count;
  const twice = repeated ? `${repeated} twice${unmarked ? "" : "\\*"}` : "";
  return [lost ? `**${lost} lost**` : "", twice].filter(Boolean).join(", ") || "0";
};

const ratio = (own: number, ours: number): string => `${(own / ours).toFixed(own / ours < 10 ? 1 : 0)} ×`;

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const tableOf = (head: readonly string[], rows: readonly string[][]): string =>
  [row(head), row(head.map((_, index) => (index ? "---:" : "---"))), ...rows.map(row)].join("\n");

const faultTable = (trackers: [Peer, Result][]): string =>
  tableOf(
    ["of 20 events", ...FAULT_KEYS.map((key) => FAULTS[key]!.title)],
    trackers.map(([{ name }, { faults }]) => [name, ...FAULT_KEYS.map((key) => cell(faults[key]))]),
  );

const costTable = (trackers: [Peer, Result][]): string => {
  // Bytes alone, where `--no-cost` has left the others out.
  const measured = trackers.every(([, { cost }]) => cost) ? COSTS : [];
  return tableOf(
    ["", "kB, brotli 11", ...measured.map(([, title]) => title)],
    trackers.map(([{ name }, { bytes = 0, cost }]) => [
      name,
      (bytes / 1_000).toFixed(1),
      ...measured.map(([what]) => ratio(cost!.own[what], cost!.ours[what])),
    ]),
  );
};

const settings = (trackers: [Peer, Result][]): string =>
  trackers
    .map(([{ name, version, docs, settings, note }]) =>
      [`- **${name}**, \`${version}\`. Set: ${settings} ([page](${docs})).`, note].filter(Boolean).join(" "),
    )
    .join("\n");

/** What was measured, as the document shows it. */
export const report = ({ chromium, trackers }: Results): string => {
  const found = Object.entries(ALL)
    .filter(([key]) => trackers[key])
    .map(([key, peer]): [Peer, Result] => [peer, trackers[key]!]);
  const faults = FAULT_KEYS.map((key) => `- **${FAULTS[key]!.title}**: ${FAULTS[key]!.what}`);
  return [`Chromium ${chromium}.`, faultTable(found), faults.join("\n"), costTable(found), settings(found)].join(
    "\n\n",
  );
};

const BETWEEN = /(<!-- begin: npm run compare -->\n).*(<!-- end: npm run compare -->)/s;

/** Writes the tables into the document, once every count of them is there; says what is missing. */
export const writeReport = (results: Results): string[] => {
  const missing = Object.keys(ALL).flatMap((key) =>
    FAULT_KEYS.filter((fault) => !results.trackers[key]?.faults[fault]).map((fault) => `${key}: ${fault}`),
  );
  if (missing.length === 0) {
    const page = readFileSync(PAGE, "utf8");
    writeFileSync(
      PAGE,
      page.replace(BETWEEN, (_, begin: string, end: string) => `${begin}\n${report(results)}\n\n${end}`),
    );
    execFileSync(process.execPath, [`${ROOT}node_modules/@biomejs/biome/bin/biome`, "format", "--write", PAGE]);
  }
  return missing;
};
