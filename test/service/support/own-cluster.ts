import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runAt } from "./cluster.js";
import { findProgram, missing, startPostgres } from "./postgres-server.js";

const hasCitus = (): boolean => {
  const program = findProgram("pg_config");
  if (program === undefined) return false;
  const folder = execFileSync(program, ["--sharedir"], { encoding: "utf8" }).trim();
  return existsSync(join(folder, "extension/citus.control"));
};

/** Why no cluster can be had here; `undefined` when one can. */
export const noCluster: string | undefined = missing ?? (hasCitus() ? undefined : "Citus is not installed");

/** What docs/service/scale.md asks of each node. */
const OPTIONS = [
  "shared_preload_libraries=citus",
  "wal_level=logical",
  "max_connections=300",
  "max_prepared_transactions=300",
  "citus.shard_count=12",
].flatMap((option) => ["-c", option]);

/**
 * Starts a cluster of Citus on this machine, as docs/service/scale.md tells it.
 *
 * @param workers how many belong to it
 * @param spare how many more have been started and do not belong to it yet. Default: none
 * @param sync see `startPostgres`
 */
export const startCluster = async (workers: number, { spare = 0, sync = false } = {}) => {
  const nodes: Awaited<ReturnType<typeof startPostgres>>[] = [];
  for (let node = 0; node <= workers + spare; node += 1)
    nodes.push(await startPostgres({ isInstalled: true, options: OPTIONS, sync }));
  const placeOf = (node: number): string => {
    const { hostname, port } = new URL(nodes[node]!.url);
    return `'${hostname}', ${port}`;
  };
  for (const { url } of nodes) await runAt(url, "CREATE EXTENSION citus");
  await runAt(nodes[0]!.url, `SELECT citus_set_coordinator_host(${placeOf(0)})`);
  const add = (node: number): Promise<unknown> => runAt(nodes[0]!.url, `SELECT citus_add_node(${placeOf(node)})`);
  for (let node = 1; node <= workers; node += 1) await add(node);
  const hosts = nodes.slice(0, workers + 1).map(({ url }) => new URL(url).host);
  return {
    /** The coordinator's first. */
    nodes,
    /** With the addresses of all nodes that belong to it, the coordinator's first. */
    url: nodes[0]!.url.replace(hosts[0]!, hosts.join(",")),
    /** Adds one of the spare nodes. */
    add,
    stop: async () => {
      for (const node of nodes) await node.stop();
    },
  };
};
