import { setTimeout as sleep } from "node:timers/promises";
import type { MigrationBuilder } from "node-pg-migrate";
import type pg from "pg";
import type { Database } from "./database.js";
import { FOLDER, MIGRATIONS } from "./migrations.js";
import { errorCode, tellFault } from "./sql-state.js";

/** A database over connections that last. */
export interface Alone extends Database {
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
}

/** Hears what it waits for. */
export type Tell = (text: string) => void;

/** Several processes that start at once take turns. */
const LOCK = 8_131_210;

/** While a statement waits for a lock, all others on that table wait behind it, and events with them: so not for long. */
const IN_TRANSACTION = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0";
/** What is done beside all others makes nobody wait, and may itself. */
const APART = "SET lock_timeout = 0; SET statement_timeout = 0";

/** Somebody holds a lock, or wanted ours. */
const HELD = /^(55P03|40P01)$/;
const LONGEST_WAIT_MS = 30_000;

const load = async () =>
  MIGRATIONS.map(({ name, statements, isApart }) => ({
    id: `${name}.sql`,
    filePaths: [],
    actions: {
      up: (builder: MigrationBuilder) => {
        if (isApart) builder.noTransaction();
        for (const statement of [isApart ? APART : IN_TRANSACTION, ...statements]) builder.sql(statement);
      },
    },
  }));

/**
 * Runs the first so many of the migrations that are missing. Each is committed by itself, with the row that says so; where
 * somebody holds a lock, it is tried again until it succeeds.
 */
export const runMigrations = async (database: Alone, count: number, tell: Tell): Promise<void> => {
  // What it needs besides is loaded only where something is missing.
  const { runner } = await import("node-pg-migrate");
  const schemas = await database.query<{ schema: string }>("SELECT current_schema() AS schema");
  const run = (client: pg.PoolClient) =>
    runner({
      dbClient: client,
      dir: FOLDER,
      direction: "up",
      count,
      migrationsTable: "schema_migrations",
      migrationsSchema: schemas[0]!.schema,
      migrationLoaderStrategies: [{ extensions: [".sql"], loader: load }],
      singleTransaction: false,
      // The lock of a session is another's behind PgBouncer; that of a transaction is not.
      noLock: true,
      log: () => {},
    }).catch(async (error) => {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    });
  await database.transaction(async (query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    for (let wait = 1_000; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS))
      try {
        return await database.use(run);
      } catch (error) {
        if (!HELD.test(errorCode(error))) throw error;
        tell(`${tellFault(error)}: the tables are changed in ${wait / 1_000} s`);
        await sleep(wait);
      }
  });
};
