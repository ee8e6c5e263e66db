/*
 * `npm run attack`: does to a service what strangers and operators do, on both engines, and prints what was answered with
 * 200, what is stored, lost and there twice. Rows, and engines (`pglite`, `postgresql`), that are named as arguments run
 * alone. It ends with 1 where something was lost or is there twice.
 */
import { existsSync } from "node:fs";
import { noCluster } from "../support/own-cluster.js";
import { missing } from "../support/postgres-server.js";
import { IN_CONTAINER } from "../support/service-process.js";
import { cannotMount } from "../support/small-disk.js";
import { cluster } from "./cluster.js";
import { FAKETIME, fullDisk, kills, lock, namespaces, noConnection, slowDatabase, wrongClock } from "./faults.js";
import { type Engine, type Outcome, readStored } from "./scene.js";
import { fuzz, heldBodies } from "./strangers.js";

interface Row {
  run(engine: Engine): Promise<Outcome>;
  /** The one engine that can have it. */
  only?: Engine;
  /** Why it cannot run on this machine. */
  cannot?: string | undefined;
}

const unlessLinux = process.platform === "linux" ? undefined : "needs Linux";

const ROWS: Record<string, Row> = {
  fuzz: { run: fuzz },
  held: { run: heldBodies, cannot: unlessLinux },
  kills: { run: kills },
  lock: { run: lock, only: "PostgreSQL" },
  disk: { run: fullDisk, cannot: cannotMount },
  connections: { run: noConnection, only: "PostgreSQL" },
  cluster: { run: cluster, only: "PostgreSQL", cannot: noCluster },
  slow: { run: slowDatabase, only: "PostgreSQL" },
  clock: { run: wrongClock, cannot: existsSync(FAKETIME) ? undefined : "libfaketime is not installed" },
  namespaces: {
    run: namespaces,
    only: "PGlite",
    cannot: IN_CONTAINER.length > 0 ? undefined : "needs Linux and its administrator",
  },
};

const ENGINES: Engine[] = ["PGlite", "PostgreSQL"];
const asked = process.argv.slice(2);
const known = [...Object.keys(ROWS), ...ENGINES.map((engine) => engine.toLowerCase())];
const unknown = asked.find((name) => !known.includes(name));
if (unknown !== undefined) {
  console.error(`attack: there is no ${unknown}: name ${known.join(", ")}`);
  process.exit(1);
}
/** Those of them that were named, or all where none was. */
const chosen = <Name extends string>(names: Name[]): Name[] => {
  const named = names.filter((name) => asked.includes(name.toLowerCase()));
  return named.length > 0 ? named : names;
};

const print = (cells: readonly (string | number)[]): void => console.log(`| ${cells.join(" | ")} |`);

let isBroken = false;
print(["Attack", "Engine", "200", "Other answers", "Stored", "Lost", "Twice", "What was seen"]);
print(Array.from({ length: 8 }, () => "---"));
for (const name of chosen(Object.keys(ROWS)))
  for (const engine of chosen(ENGINES)) {
    const { run, only, cannot } = ROWS[name]!;
    if (only !== undefined && only !== engine) continue;
    const reason = cannot ?? (engine === "PostgreSQL" ? missing : undefined);
    if (reason !== undefined) {
      print([name, engine, "", "", "", "", "", `not run: ${reason}`]);
      continue;
    }
    const { scene, traffic, note } = await run(engine);
    const stored = await readStored(scene);
    const unique = new Set(stored);
    const lost = [...traffic.acknowledged].filter((stamp) => !unique.has(stamp)).length;
    const twice = stored.length - unique.size;
    isBroken ||= lost + twice > 0;
    const others = [...traffic.others].sort().map(([answer, times]) => `${answer} ${times}`);
    print([name, engine, traffic.acknowledged.size, others.join(", "), stored.length, lost, twice, note]);
    await scene.close();
  }
process.exit(isBroken ? 1 : 0);
