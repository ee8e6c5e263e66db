/*
 * `npm run bench:service`: what the service can take, over a PostgreSQL of its own and over a given one. `throughput`
 * compares what it stores a second with what limits it, by as many processes as `TRACKLET_PROCESSES` says; `batches` compares several events in a request with single ones;
 * `latency` fills a database with a million events and times each
 * look-up; `questions` times the numbers of the page over a million (`QUESTIONS_MILLIONS=10`);
 * `busy` posts a thousand page views a second and tells how far the sums are behind (`BUSY_MINUTES=60`);
 * `columns` puts a million events into files of an archive, and asks the questions of docs/service/sql.md of both (`COLUMNS_MILLIONS=10`);
 * `spread` compares a cluster of Citus, that of `DATABASE_URL` or one that it starts, with one PostgreSQL. Named as arguments, each runs alone, as does `own` or `given`. It prints, and never fails on a
 * figure: figures depend on the machine and on what else it does, so ratios are of one run.
 */
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../support/postgres-server.js";
import { batches } from "./batches.js";
import { busy } from "./busy.js";
import { bytes } from "./bytes.js";
import { columns } from "./columns.js";
import { latency } from "./latency.js";
import { questions } from "./questions.js";
import { spread } from "./spread.js";
import { throughput } from "./throughput.js";

const BENCHES = { throughput, batches, bytes, latency, questions, busy, columns };

const SERVERS = ["own", "given"];

const asked = process.argv.slice(2);
/** Those of them that were named, or all where none was. */
const chosen = (names: string[]): string[] => {
  const named = names.filter((name) => asked.includes(name));
  return named.length > 0 ? named : names;
};
const servers = chosen(SERVERS);

for (const name of chosen([...Object.keys(BENCHES), "spread"])) {
  // It has its own two databases.
  if (name === "spread") {
    await spread();
    continue;
  }
  const bench = BENCHES[name as keyof typeof BENCHES];
  if (servers.includes("own")) {
    const folder = await mkdtemp(join(tmpdir(), "tracklet-bench-"));
    await chmod(folder, 0o755);
    await bench("a PostgreSQL of its own", { dataFolder: join(folder, "data"), databaseUrl: undefined });
    await rm(folder, { recursive: true });
  }
  if (!servers.includes("given")) continue;
  // As in operation: it waits for the disk.
  const server = await startPostgres({ sync: true });
  await bench("a given PostgreSQL", { dataFolder: "", databaseUrl: server.url }, server.pid());
  await server.stop();
}
