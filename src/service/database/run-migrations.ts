import { setTimeout as sleep } from "node:timers/promises";
import type { MigrationBuilder } from "node-pg-migrate";
import type pg from "pg";
import { StartError } from "../base/start-error.js";
import type { Database } from "./database.js";
import { FOLDER, MIGRATE, MIGRATIONS } from "./migrations.js";
import { errorCode } from "./sql-state.js";

/** A database over connections that last. */
export interface Alone extends Database {
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
}

/** Hears what is done, and what is waited for. */
export type Tell = (text: string) => void;

/** Several processes that start at once take turns. */
const LOCK = 8_131_211;

/** While a statement waits for a lock, all others on that table wait behind it, and events with them: so not for long. */
const IN_TRANSACTION = "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0";
/** What is done beside all others makes nobody wait, and may itself. */
const APART = "SET lock_timeout = 0; SET statement_timeout = 0";

/** Somebody holds a lock, or wanted ours. */
const HELD = /^(55P03|40P01)$/;
const LONGEST_WAIT_MS = 30_000;
/** Of a start, which must say soon what is wrong. */
const ATTEMPTS = 3;

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
 * somebody holds a lock, it is tried again.
 *
 * @param tell hears of each attempt, and there is no last one; absent: there are three
 * @throws StartError when somebody has held a lock each time
 */
export const runMigrations = async (database: Alone, count: number, tell?: Tell): Promise<void> => {
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
  await database.use(async (holder) => {
    // As one text: what is asked with parameters keeps its snapshot for the transaction, and CONCURRENTLY waits for its end.
    await holder.query(
      `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_advisory_xact_lock(${LOCK})`,
    );
    try {
      await repeatedly(() => database.use(run), tell);
    } finally {
      await holder.query("COMMIT").catch(() => {});
    }
  });
};

const repeatedly = async (run: () => Promise<unknown>, tell?: Tell): Promise<void> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return void (await run());
    } catch (error) {
      if (!HELD.test(errorCode(error))) throw error;
      if (tell === undefined && attempt === ATTEMPTS)
        throw new StartError(`the tables must be changed, and somebody holds a lock on them: ${MIGRATE} waits for it`);
      const wait = Math.min(500 * 2 ** attempt, LONGEST_WAIT_MS);
      tell?.(`somebody holds a lock on the tables: tries again in ${wait / 1_000} s`);
      await sleep(wait);
    }
};
