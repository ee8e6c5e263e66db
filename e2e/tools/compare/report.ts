import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { ROOT } from "../../../test/support/launch.js";
import type { Cost, Script } from "./cost.js";
import type { Count } from "./count.js";
import { FAULTS } from "./faults.js";

/** What was measured of one tracker. */
export interface Result extends Script {
  bytes: number;
  /** By the fault; one that could not be measured is missing. */
  faults: Record<string, Count>;
  /** Its own, and of `tracklet` in the same rounds. */
  cost?: { own: Cost; ours: Cost };
}

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

const faultTable = (results: readonly Result[]): string =>
  tableOf(
    ["of 20 events", ...FAULT_KEYS.map((key) => FAULTS[key]!.title)],
    results.map(({ peer, faults }) => [peer.name, ...FAULT_KEYS.map((key) => cell(faults[key]))]),
  );

const costTable = (results: readonly Result[]): string => {
  // Bytes alone, where `--no-cost` has left the others out.
  const measured = results.every(({ cost }) => cost) ? COSTS : [];
  return tableOf(
    ["", "kB, brotli 11", ...measured.map(([, title]) => title)],
    results.map(({ peer, bytes, cost }) => [
      peer.name,
      (bytes / 1_000).toFixed(1),
      ...measured.map(([what]) => ratio(cost!.own[what], cost!.ours[what])),
    ]),
  );
};

const settings = (results: readonly Result[]): string =>
  results
    .map(({ peer: { name, version, docs, settings, note } }) =>
      [`- **${name}**, \`${version}\`. Set: ${settings} ([page](${docs})).`, note].filter(Boolean).join(" "),
    )
    .join("\n");

/** What was measured, as the document shows it. */
export const report = (chromium: string, results: readonly Result[]): string => {
  const faults = FAULT_KEYS.map((key) => `- **${FAULTS[key]!.title}**: ${FAULTS[key]!.what}`);
  return [`Chromium ${chromium}.`, faultTable(results), faults.join("\n"), costTable(results), settings(results)].join(
    "\n\n",
  );
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
