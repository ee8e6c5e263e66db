import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type pg from "pg";
import { digest } from "../base/exact-text.js";
import { StartError } from "../base/start-error.js";
import type { Database, Query } from "./database.js";
import { TABLES } from "./postgres/spread.js";
import { errorCode } from "./sql-state.js";

/*
 * The schema is what the files of `migrations` make, in the order of their numbers. One that was released is never changed.
 * `0003-from-0002-x.sql` says that a build which knows 0002, and not this one, still runs on the tables; without `from` it
 * must know this one. That is the last one of the release before, also where a release has several. A release only adds what the build before can do without, and a later one takes away what nobody
 * needs any more: so the last build can be gone back to, and two run beside each other.
 */

interface Migration {
  /** As the database knows it: by its text, too, so that a build knows those tables alone that it would make. */
  name: string;
  statements: readonly string[];
  /** Each statement is committed by itself, as `CREATE INDEX CONCURRENTLY` must be; where one fails, all are run again. */
  isApart: boolean;
}

/** The first line of a file whose statements run outside a transaction; empty lines part them. */
const APART = "-- outside a transaction\n";

/** Beside this file, and beside what is built of it. */
const FOLDER = fileURLToPath(new URL("./migrations/", import.meta.url));

const readMigrations = (folder: string): Migration[] =>
  readdirSync(folder)
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8");
      const isApart = text.startsWith(APART);
      const statements = isApart
        ? text
            .slice(APART.length)
            .trim()
            .split(/\n\s*\n/)
        : [text];
      return { name: `${basename(file, ".sql")}-${digest(text).slice(0, 8)}`, statements, isApart };
    });

export const MIGRATIONS: readonly Migration[] = readMigrations(FOLDER);

export const SERVICE = "tracklet-service";
/** The command that changes the tables apart from a start. */
const MIGRATE = `${SERVICE} migrate`;

const numberOf = (name: string): number => Number(/^(\d{4})-/.exec(name)?.[1] ?? 0);

const isNewer = (name: string, known = MIGRATIONS): boolean => numberOf(name) > numberOf(known.at(-1)!.name);

/** Does a build that knows others run on tables that this one, which it does not know, has made? */
export const runsOn = (name: string, known = MIGRATIONS): boolean => {
  const from = Number(/^\d{4}-from-(\d{4})-/.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
  return isNewer(name, known) && from <= numberOf(known.at(-1)!.name);
};

/** A database over connections that last. */
export interface Alone extends Database {
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
}

export type Tell = (text: string) => void;

/** Several processes that start at once take turns: each asks for its own so often, in milliseconds. */
const [LOCK, TURN_MS] = [8_131_211, 100];

/** While a statement waits for a lock, all others on that table wait behind it, and events with them: so not for long. */
const IN_TRANSACTION = "BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0";
/** What is done beside all others makes nobody wait, and may itself. */
const ANY_TIME = "SET lock_timeout = 0; SET statement_timeout = 0";

/** Somebody holds a lock, or wanted ours. */
const HELD = /^(55P03|40P01)$/;
const LONGEST_PAUSE_MS = 30_000;
/** Of a start, which must say soon what is wrong. */
const ATTEMPTS = 3;

/** Of those that are done. Its name is looked for in each schema of the search path; IF NOT EXISTS would make another one in the first. */
const LOG = `DO $$ BEGIN IF to_regclass('schema_migrations') IS NULL THEN
  CREATE TABLE schema_migrations (id serial PRIMARY KEY, name varchar(255) NOT NULL, run_on timestamp NOT NULL);
END IF; END $$`;

const run = async (client: pg.PoolClient, missing: readonly Migration[]): Promise<void> => {
  await client.query(LOG);
  const done = (await client.query<{ name: string }>("SELECT name FROM schema_migrations")).rows;
  for (const { name, statements, isApart } of missing.filter((one) => !done.some((row) => row.name === one.name))) {
    for (const statement of [isApart ? ANY_TIME : IN_TRANSACTION, ...statements]) await client.query(statement);
    await client.query("INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())", [name]);
    if (!isApart) await client.query("COMMIT");
  }
};

/** Begins a transaction that has the lock; where another process has it, nothing is left. */
const isTaken = async (client: pg.PoolClient): Promise<boolean> => {
  // As one text: what is asked with parameters keeps its snapshot for the transaction.
  const asked = await client.query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SELECT pg_try_advisory_xact_lock(${LOCK}) AS mine`,
  );
  const isMine = (asked as unknown as pg.QueryResult<{ mine: boolean }>[])[2]!.rows[0]!.mine;
  if (!isMine) await client.query("COMMIT");
  return isMine;
};

/**
 * Runs migrations. Each is committed by itself, with the row that says so; where somebody holds a lock, it is tried again.
 *
 * @param tell hears of each attempt, and there is no last one; absent: there are three
 * @throws StartError when somebody has held a lock each time
 */
const runMigrations = async (database: Alone, missing: readonly Migration[], tell?: Tell): Promise<void> => {
  if (missing.length === 0) return;
  const once = (client: pg.PoolClient) =>
    run(client, missing).catch(async (error) => {
      await client.query("ROLLBACK").catch(() => {});
      throw error;
    });
  await database.use(async (holder) => {
    // Asked again and again: a statement that waits for the lock has a snapshot, and CONCURRENTLY waits for its end.
    while (!(await isTaken(holder))) await sleep(TURN_MS);
    try {
      await repeatedly(() => database.use(once), tell);
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
      const wait = Math.min(500 * 2 ** attempt, LONGEST_PAUSE_MS);
      tell?.(`somebody holds a lock on the tables: tries again in ${wait / 1_000} s`);
      await sleep(wait);
    }
};

/** Brings the tables up to date, however long it takes, beside services that run. @param tell hears what is done */
export const migrate = async (database: Alone, tell: Tell): Promise<void> => {
  const { missing } = await readVersions(database);
  for (const { name } of missing) tell(`brings in ${name}`);
  await runMigrations(database, missing, tell);
  tell(`the tables are those of ${MIGRATIONS.at(-1)!.name}`);
};

/** With as many events a change of the tables is no matter of a start, behind which nobody is served. */
const MANY = 100_000;

/**
 * Prepares a database for a service that starts: makes the tables of a new one, and changes those of a small one. Several
 * processes may do it at once.
 *
 * @throws StartError when its tables must be changed, and that is not quick
 */
export const prepare = async (database: Alone): Promise<void> => {
  const { isNew, missing } = await readVersions(database);
  if (missing.length === 0) return;
  if (!isNew) {
    const [row] = await database.query(`SELECT 1 AS found FROM events OFFSET ${MANY} LIMIT 1`);
    if (row !== undefined) throw older();
  }
  await runMigrations(database, missing);
};

const older = () =>
  new StartError(`this data is of an older build: ${MIGRATE} brings it up to date, while the service runs`);

const unknown = () =>
  new StartError(
    `this data is of another build: use that one, or load a backup of this one into an empty database (${SERVICE} restore FILE)`,
  );

/** Reads which tables there are. @throws StartError when they are not those that this version makes or can go on from */
const readVersions = async ({ query }: Pick<Database, "query">, wanted = MIGRATIONS) => {
  const [log] = await query("SELECT 1 AS found WHERE to_regclass('schema_migrations') IS NOT NULL");
  const done = log === undefined ? [] : await query<{ name: string }>("SELECT name FROM schema_migrations");
  const moved = done.find(({ name }) => name.startsWith(MOVED));
  if (moved !== undefined)
    throw new StartError(
      `the database was moved to another one at ${moved.name.slice(MOVED.length)}: set DATABASE_URL to that one`,
    );
  const missing = wanted.filter(({ name }) => !done.some((one) => one.name === name));
  const other = done.find(({ name }) => !MIGRATIONS.some((known) => known.name === name) && !runsOn(name))?.name;
  if (other !== undefined) throw unknown();
  return { isNew: done.length === 0, missing };
};

/** Before the time of a move, as a version that no build knows: none starts on a database whose data has gone to another one. */
const MOVED = "moved ";

/** Says for good, once the transaction is committed, that the data has gone to another database. */
export const markMoved = async (query: Query): Promise<void> => {
  const name = `${MOVED}${new Date().toISOString()}`;
  await query("INSERT INTO schema_migrations (name, run_on) VALUES ($1, now())", [name]);
};

/** Takes that back, so that a service starts on this one again. Resolves to whether it had been moved. */
export const takeBackMove = async (query: Query): Promise<boolean> =>
  (await query(`DELETE FROM schema_migrations WHERE name LIKE '${MOVED}%' RETURNING name`)).length > 0;

export const versionsOf = async (query: Query): Promise<string[]> => {
  const done = await query<{ name: string }>("SELECT name FROM schema_migrations ORDER BY name");
  return done.map(({ name }) => name);
};

/**
 * Makes the tables of some versions in a database that has none, or none with a row.
 *
 * @throws StartError when it holds something, or this build does not know the versions
 */
export const makeEmpty = async (database: Alone, versions: readonly string[]): Promise<void> => {
  const wanted = MIGRATIONS.slice(0, versions.length);
  const other = versions.find((name, at) => wanted[at]?.name !== name);
  if (other !== undefined) throw unknown();
  const { missing } = await readVersions(database, wanted);
  await runMigrations(database, missing);
  const made = "SELECT name FROM unnest($1::text[]) AS listed (name) WHERE to_regclass(name) IS NOT NULL";
  for (const { name: table } of await database.query<{ name: string }>(made, [Object.keys(TABLES)])) {
    const [row] = await database.query(`SELECT 1 AS found FROM ${table} LIMIT 1`);
    if (row !== undefined && table !== "schema_migrations")
      throw new StartError(`the database must be empty, and there are rows in its table ${table}`);
  }
};

export const NO_TABLES = "the database has no tables of the service: start the service once, which makes them";

export const requireTables = async (database: Pick<Database, "query">): Promise<void> => {
  const { isNew, missing } = await readVersions(database);
  if (isNew) throw new StartError(NO_TABLES);
  if (missing.length > 0) throw older();
};
