/*
 * `npm run bench:service`: what the service can take, on both engines. `throughput` compares it with what limits it;
 * `latency` fills a database with a million events and times each look-up. Named as arguments, each runs alone. It prints,
 * and never fails on a figure: figures depend on the machine and on what else it does, so ratios are of one run.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missing, startPostgres } from "../postgres-server.js";
import { latency } from "./latency.js";
import { throughput } from "./throughput.js";

const BENCHES = { throughput, latency };

const asked = process.argv.slice(2);
const chosen = (name: string) => asked.every((argument) => !(argument in BENCHES)) || asked.includes(name);
const engines = ["pglite", "postgresql"].filter(
  (engine) => !asked.some((one) => /^p/.test(one)) || asked.includes(engine),
);

for (const [name, bench] of Object.entries(BENCHES)) {
  if (!chosen(name)) continue;
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
