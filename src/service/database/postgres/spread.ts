import { StartError } from "../../base/start-error.js";
import type { Database, Query, Shard } from "../database.js";
import { askNode } from "../event-id.js";

/*
 * PostgreSQL's hash of a UUID, by which Citus finds the shard of a row: `hash_bytes` in src/common/hashfn.c, which is
 * lookup3 of Bob Jenkins, here over 16 bytes. A server whose processor puts the high byte first has another one.
 */

/** The golden ratio, the number of bytes, and a number that PostgreSQL adds. */
const SEED = (0x9e3779b9 + 16 + 3923095) | 0;

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** @returns a signed number of 32 bits */
export const hashUuid = (uuid: string): number => {
  const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex");
  let a = (SEED + bytes.readInt32LE(0)) | 0;
  let b = (SEED + bytes.readInt32LE(4)) | 0;
  let c = (SEED + bytes.readInt32LE(8)) | 0;
  a = (a - c) ^ rotated(c, 4);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 6);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 8);
  b = (b + a) | 0;
  a = (a - c) ^ rotated(c, 16);
  c = (c + b) | 0;
  b = (b - a) ^ rotated(a, 19);
  a = (a + c) | 0;
  c = (c - b) ^ rotated(b, 4);
  b = (b + a) | 0;
  // The last four bytes.
  a = (a + bytes.readInt32LE(12)) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
};

/** Where the rows of keys lie. It is believed for the way alone: a row is stored right by whichever way it comes. */
interface Shards {
  of(key: string): Shard | undefined;
  areSpread(): boolean;
  read(): Promise<void>;
}

/** With two copies of a shard, one of them. */
const SHARDS = `SELECT shardid AS id, min(groupid) AS node, shardminvalue::int AS from
FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
WHERE logicalrelid = to_regclass('events') AND shardminvalue IS NOT NULL
GROUP BY shardid, shardminvalue ORDER BY shardminvalue::int`;

export const createShards = (query: Query): Shards => {
  let shards: (Shard & { from: number })[] = [];
  return {
    areSpread: () => shards.length > 0,
    of: (key) => {
      if (shards.length === 0) return undefined;
      const hash = hashUuid(key);
      let [low, high] = [0, shards.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (shards[middle]!.from <= hash) low = middle;
        else high = middle - 1;
      }
      return shards[low];
    },
    read: async () => {
      const isCluster = (await askNode(query)) !== undefined;
      const rows = isCluster ? await query<Record<"id" | "node" | "from", unknown>>(SHARDS) : [];
      shards = rows.map(({ id, node, from }) => ({ id: Number(id), node: Number(node), from: Number(from) }));
    },
  };
};

/*
 * A PostgreSQL with the extension Citus spreads tables over its nodes. A row lies in the shard that the digest of one of its
 * columns says; shards of the same digests lie on the same node and move together. So an event, its contact and the
 * contact's memberships are written by one transaction on one node.
 */

/** By which column the rows of a table are spread; `null`: all rows are on all nodes, as they are few, and read everywhere. */
export const TABLES: Readonly<Record<string, string | null>> = {
  events: "contact_id",
  contacts: "id",
  account_contacts: "contact_id",
  accounts: "id",
  deletions: "id",
  active: "contact",
  active_anew: "contact",
  hours: "contact",
  hours_anew: "contact",
  account_names: "account",
  account_names_anew: "account",
  contact_names: "contact",
  contact_names_anew: "contact",
  days: "key",
  days_anew: "key",
  schema_migrations: null,
  service_state: null,
  service_keys: null,
  workspaces: null,
  tokens: null,
  users: null,
  tombstones: null,
  audit: null,
  left_out: null,
  counted: null,
  days_stale: null,
  totals: null,
};

/** The table that those of the same type of column lie beside. */
const FIRST = "events";

/** Two processes that spread at once take turns. */
const LOCK = 8_131_209;

/** Spreads, at each start, a new database of Citus at once, and what a release adds to one that is spread. */
export const spreadNew = async (database: Database): Promise<void> => {
  if ((await askNode(database.query)) !== 0) return;
  const isEmpty = (await database.query(`SELECT 1 AS found FROM ${FIRST} LIMIT 1`)).length === 0;
  if (isEmpty || (await isSpread(database.query, FIRST))) await spreadTables(database);
};

/**
 * Spreads the tables that are not spread yet, with the rows that they hold. Each goes in a transaction of its own: a call that breaks off
 * is gone on with by the next one.
 *
 * @throws StartError where the database is no coordinator of Citus
 */
export const spreadTables = async (database: Database): Promise<void> => {
  if ((await askNode(database.query)) !== 0)
    throw new StartError(
      "DATABASE_URL names no coordinator of Citus: CREATE EXTENSION citus on each node first, and name the coordinator",
    );
  for (const [table, column] of Object.entries(TABLES))
    await database.transaction(async (query) => {
      await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      if (await isSpread(query, table)) return;
      if (column === null) return void (await query("SELECT create_reference_table($1)", [table]));
      const beside = table === FIRST || column === "key" ? "default" : FIRST;
      await query("SELECT create_distributed_table($1, $2, colocate_with => $3)", [table, column, beside]);
    });
};

const isSpread = async (query: Query, table: string): Promise<boolean> =>
  (await query("SELECT 1 AS found FROM pg_dist_partition WHERE logicalrelid = $1::regclass", [table])).length > 0;
