/*
 * `npm run attack`: does to a service what strangers, operators and machines do, and prints what was answered with 200, what is
 * stored, lost and there twice. Rows that are named as arguments run alone; with `--short`, those that CI runs, in a minute. It ends with 1 where something was lost or is there
 * twice, or where a 200 came before its event was on the disk.
 */
import { existsSync } from "node:fs";
import { noCluster } from "../support/own-cluster.js";
import { cluster } from "./cluster.js";
import { FAKETIME, kills, slowDatabase, wrongClock } from "./faults.js";
import { powerCut } from "./power-cut.js";
import { type Outcome, readLost } from "./scene.js";
import { stranger } from "./stranger.js";
import { fuzz, heldBodies } from "./strangers.js";
import { upgrade } from "./upgrade.js";

interface Row {
  /** @param part of what a whole attack does */
  run(part: number): Promise<Outcome>;
  isShort?: true;
  /** Why it cannot run on this machine. */
  cannot?: string | undefined;
}

/** The part of an attack that CI has time for. */
const SHORT = 0.1;

const unlessLinux = process.platform === "linux" ? undefined : "needs Linux";

const ROWS: Record<string, Row> = {
  fuzz: { run: fuzz, isShort: true },
  stranger: { run: stranger, cannot: unlessLinux, isShort: true },
  held: { run: heldBodies, cannot: unlessLinux },
  kills: { run: kills, cannot: unlessLinux, isShort: true },
  power: { run: powerCut, cannot: unlessLinux, isShort: true },
  clock: { run: wrongClock, cannot: existsSync(FAKETIME) ? undefined : "libfaketime is not installed" },
  // Over a server that is given.
  cluster: { run: cluster, cannot: noCluster },
  slow: { run: slowDatabase },
  upgrade: { run: () => upgrade(1_000_000) },
};

const isShort = process.argv.includes("--short");
const asked = process.argv.slice(2).filter((name) => name !== "--short");
const unknown = asked.find((name) => !(name in ROWS));
if (unknown !== undefined) {
  console.error(`attack: there is no ${unknown}: name ${Object.keys(ROWS).join(", ")}`);
  process.exit(1);
}

const print = (cells: readonly (string | number)[]): void => console.log(`| ${cells.join(" | ")} |`);

let isBroken = false;
print(["Attack", "200", "Other answers", "Stored", "Lost", "Twice", "What was seen"]);
print(Array.from({ length: 7 }, () => "---"));
for (const [name, { run, cannot, ...row }] of Object.entries(ROWS)) {
  if (asked.length > 0 ? !asked.includes(name) : isShort && !row.isShort) continue;
  if (cannot !== undefined) {
    print([name, "", "", "", "", "", `not run: ${cannot}`]);
    continue;
  }
  const outcome = await run(isShort ? SHORT : 1);
  const { scene, traffic, note, isWrong = false } = outcome;
  const { stored, lost, twice } = await readLost(outcome);
  isBroken ||= isWrong || lost + twice > 0;
  const others = [...traffic.others].sort().map(([answer, times]) => `${answer} ${times}`);
  print([name, traffic.acknowledged.size, others.join(", "), stored, lost, twice, note]);
  await scene.close();
}
process.exit(isBroken ? 1 : 0);
