import pg from "pg";
import { addressesOf } from "../../config/database-url.js";

/**
 * A Citus cluster of one's own that tests run against: a `DATABASE_URL` with the addresses of its nodes, the coordinator first.
 * Each test file makes a database of its own on all of them.
 */
export const CLUSTER = process.env.TRACKLET_TEST_CLUSTER;

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

/** Makes an empty database on each node of the cluster, and a cluster of these. */
export const openCluster = async () => {
  const given = addressesOf(CLUSTER!);
  const name = `tracklet_${process.pid}_${Date.now()}`;
  const urls = given.map((url) => inDatabase(url, name));
  for (const [at, url] of given.entries())
    await runAt(url, `CREATE DATABASE ${name}`).then(() => runAt(urls[at]!, "CREATE EXTENSION citus"));
  const places = given.map((url) => new URL(url)).map(({ hostname, port }) => `'${hostname}', ${port || 5432}`);
  const [coordinator, ...workers] = places;
  await runAt(
    urls[0]!,
    `SELECT citus_set_coordinator_host(${coordinator})`,
    ...workers.map((worker) => `SELECT citus_add_node(${worker})`),
  );
  const several = (hosts: readonly string[]): string => {
    const all = new URL(urls[0]!);
    const [before, behind] = all.href.split(all.host) as [string, string];
    return `${before}${hosts.join(",")}${behind}`;
  };
  return {
    /** One URL with all addresses. */
    url: several(given.map((url) => new URL(url).host)),
    /** The address of each node by itself, the coordinator's first. */
    urls,
    /** The same URL with other hosts. */
    several,
    leave: async () => {
      for (const url of given) await runAt(url, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

/** Spreads the tables over the nodes. */
export const spread = (coordinator: string): Promise<unknown> =>
  runAt(
    coordinator,
    "SELECT create_distributed_table('events', 'contact_id', shard_count => 12)",
    ...["account_contacts:contact_id", "contacts:id", "accounts:id"].map((table) => {
      const [relation, column] = table.split(":");
      return `SELECT create_distributed_table('${relation}', '${column}', colocate_with => 'events')`;
    }),
    "SELECT create_distributed_table('active_contacts', 'contact_id', colocate_with => 'none')",
    "SELECT create_distributed_table('active_accounts', 'account_id', colocate_with => 'none')",
    "SELECT create_distributed_table('sums', 'key', colocate_with => 'none')",
    ...[
      "service_state",
      "workspaces",
      "tokens",
      "users",
      "tombstones",
      "service_keys",
      "deletions",
      "dead_letters",
      "audit",
      "sums_followed",
      "sums_stale",
      "schema_migrations",
    ].map((table) => `SELECT create_reference_table('${table}')`),
  );
