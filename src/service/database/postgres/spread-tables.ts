import { StartError } from "../../base/start-error.js";
import type { Database, Query } from "../database.js";

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
  active_contacts: "contact_id",
  active_weeks: "contact_id",
  accounts: "id",
  active_accounts: "account_id",
  deletions: "id",
  dead_letters: "id",
  sums: "key",
  sums_anew: "key",
  schema_migrations: null,
  service_state: null,
  service_keys: null,
  workspaces: null,
  tokens: null,
  users: null,
  tombstones: null,
  audit: null,
  sums_followed: null,
  sums_stale: null,
  sums_renewed: null,
  left_out: null,
};

/** The table that those of the same type of column lie beside. */
const FIRST = "events";

/** Two processes that spread at once take turns. */
const LOCK = 8_131_209;

/** A table that was spread a moment ago, and by which column. */
interface Spread {
  table: string;
  /** Nothing where all of its rows are on all nodes. */
  column: string | null;
}

/**
 * Spreads the tables that are not spread yet, with the rows that they hold. Each goes in a transaction of its own: a call
 * that breaks off is gone on with by the next one.
 *
 * @returns those that it has spread
 * @throws StartError where the database has no Citus, or is not its coordinator
 */
export const spreadTables = async (database: Database): Promise<Spread[]> => {
  const coordinator = await isCoordinator(database.query);
  if (coordinator === undefined)
    throw new StartError("the database has no extension Citus: CREATE EXTENSION citus on each of its nodes first");
  if (!coordinator) throw new StartError("DATABASE_URL must name the coordinator of Citus, not a worker");
  const spread: Spread[] = [];
  for (const [table, column] of Object.entries(TABLES)) {
    const isMine = await database.transaction(async (query) => {
      await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
      if (await isSpread(query, table)) return false;
      if (column === null) await query("SELECT create_reference_table($1)", [table]);
      else {
        const beside = table === FIRST || column === "key" ? "default" : FIRST;
        await query("SELECT create_distributed_table($1, $2, colocate_with => $3)", [table, column, beside]);
      }
      return true;
    });
    if (isMine) spread.push({ table, column });
  }
  return spread;
};

/** The same at each start: a new database of Citus is spread at once, and one that is spread gets what a release adds. */
export const spreadNew = async (database: Database): Promise<void> => {
  if (!(await isCoordinator(database.query))) return;
  const isEmpty = (await database.query(`SELECT 1 AS found FROM ${FIRST} LIMIT 1`)).length === 0;
  if (isEmpty || (await isSpread(database.query, FIRST))) await spreadTables(database);
};

const isSpread = async (query: Query, table: string): Promise<boolean> =>
  (await query("SELECT 1 AS found FROM pg_dist_partition WHERE logicalrelid = $1::regclass", [table])).length > 0;

/** Nothing where the database has no Citus. */
const isCoordinator = async (query: Query): Promise<boolean | undefined> => {
  const found = await query("SELECT 1 AS found FROM pg_extension WHERE extname = 'citus'");
  if (found.length === 0) return undefined;
  const [group] = await query<{ id: unknown }>("SELECT groupid AS id FROM pg_dist_local_group");
  return Number(group!.id) === 0;
};
