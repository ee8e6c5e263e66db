import pg from "pg";
import { addressesOf } from "../../../src/service/config/options.js";
import { GIVEN } from "./places.js";

/** The addresses of a cluster's nodes, its coordinator first, where the database that is given has several. */
export const CLUSTER = GIVEN !== undefined && addressesOf(GIVEN).length > 1 ? GIVEN : undefined;

/** Runs statements at one address. */
export const runAt = async <Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
};

const inDatabase = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = name;
  return other.href;
};

/**
 * Makes an empty database on each node of the cluster, and a cluster of these.
 *
 * @param hostOf by which host and port all know a node; the coordinator is the first. Default: as it is given
 */
export const openCluster = async (hostOf = (host: string, _at: number): string => host) => {
  const given = addressesOf(CLUSTER!);
  const name = `tracklet_${process.pid}_${Date.now()}`;
  for (const url of given) {
    await runAt(url, `CREATE DATABASE ${name}`);
    await runAt(inDatabase(url, name), "CREATE EXTENSION citus");
  }
  const hosts = given.map((url, at) => hostOf(new URL(url).host, at));
  const [coordinator, ...workers] = hosts.map((host) => new URL(`x://${host}`));
  const place = ({ hostname, port }: URL) => `'${hostname}', ${port || 5432}`;
  await runAt(
    inDatabase(given[0]!, name),
    `SELECT citus_set_coordinator_host(${place(coordinator!)})`,
    ...workers.map((worker) => `SELECT citus_add_node(${place(worker)})`),
  );
  return {
    /** The hosts of the nodes, the coordinator's first. */
    hosts,
    /** A URL of the database with these hosts. Default: all */
    url: (...some: string[]): string => {
      const [before, behind] = inDatabase(given[0]!, name).split(new URL(given[0]!).host) as [string, string];
      return `${before}${some.length > 0 ? some : hosts}${behind}`;
    },
    leave: async () => {
      for (const url of given) await runAt(url, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

export type Cluster = Awaited<ReturnType<typeof openCluster>>;
