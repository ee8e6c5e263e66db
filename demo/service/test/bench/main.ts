/*
 * `npm run bench:service`: what the service can take, on both engines. `start` times `npm run service`; `throughput`
 * compares what it stores a second with what limits it, by as many processes as `TRACKLET_PROCESSES` says; `batches` compares several events in a request with single ones;
 * `latency` fills a database with a million events and times each
 * look-up; `questions` times the numbers of the page over a million (`QUESTIONS_MILLIONS=10`);
 * `spread` compares a cluster of Citus, that of `DATABASE_URL` or one that it starts, with one PostgreSQL. Named as arguments, each runs alone, as does an engine (`pglite`, `postgresql`). It prints, and never fails on a
 * figure: figures depend on the machine and on what else it does, so ratios are of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missing, startPostgres } from "../support/postgres-server.js";
import { batches } from "./batches.js";
import { bytes } from "./bytes.js";
import { latency } from "./latency.js";
import { questions } from "./questions.js";
import { spread } from "./spread.js";
import { startUp } from "./start.js";
import { throughput } from "./throughput.js";

const BENCHES = { start: startUp, throughput, batches, bytes, latency, questions };

const ENGINES = ["pglite", "postgresql"];

const asked = process.argv.slice(2);
/** Those of them that were named, or all where none was. */
const chosen = (names: string[]): string[] => {
  const named = names.filter((name) => asked.includes(name));
  return named.length > 0 ? named : names;
};
const engines = chosen(ENGINES);

for (const name of chosen([...Object.keys(BENCHES), "spread"])) {
  // It has its own two databases.
  if (name === "spread") {
    await spread();
    continue;
  }
  const bench = BENCHES[name as keyof typeof BENCHES];
  if (engines.includes("pglite")) {
    const folder = await mkdtemp(join(tmpdir(), "tracklet-bench-"));
    await bench("PGlite", { dataFolder: folder, databaseUrl: undefined });
    await rm(folder, { recursive: true });
  }
  if (!engines.includes("postgresql")) continue;
  if (missing !== undefined) {
    console.log(`PostgreSQL: ${missing}`);
    continue;
  }
  // As in operation: it waits for the disk.
  const server = await startPostgres({ sync: true });
  await bench("PostgreSQL", { dataFolder: "", databaseUrl: server.url }, server.pid());
  await server.stop();
}
