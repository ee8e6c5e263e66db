import { StartError } from "../base/start-error.js";
import manifest from "../package.json" with { type: "json" };
import type { Database, Query } from "./database.js";
import { isNewer, MIGRATE, MIGRATIONS, runsOn, SERVICE } from "./migrations.js";
import { TABLES } from "./postgres/spread-tables.js";
import { type Alone, runMigrations, type Tell } from "./run-migrations.js";

/** Brings the tables up to date, however long it takes, beside services that run. @param tell hears what is done */
export const migrate = async (database: Alone, tell: Tell): Promise<void> => {
  const { missing } = await look(database);
  for (const { name } of missing) tell(`brings in ${name}`);
  if (missing.length > 0) await runMigrations(database, missing.length, tell);
  if (missing.length > 0) await noteBuild(database.query);
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
  const { isNew, missing } = await look(database);
  if (missing.length === 0) return;
  if (!isNew) {
    const [row] = await database.query(`SELECT 1 AS found FROM events OFFSET ${MANY} LIMIT 1`);
    if (row !== undefined) throw older();
  }
  await runMigrations(database, missing.length);
  await noteBuild(database.query);
};

/** In `service_keys`: the version of the build that has changed the tables last. */
const BUILD = "build";

/** Says for who has gone back to an older build which one knows the tables. */
const noteBuild = async (query: Query): Promise<void> => {
  await query(
    "INSERT INTO service_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [BUILD, manifest.version],
  );
};

/** Which build knows all tables of a database: this one where that is not noted. */
export const buildOf = async (query: Query): Promise<string> =>
  (await query<{ value: string }>("SELECT value FROM service_keys WHERE name = $1", [BUILD]))[0]?.value ??
  manifest.version;

const older = () =>
  new StartError(`this data is of an older build: ${MIGRATE} brings it up to date, while the service runs`);

/** One of a number that this build has, with another text, was never released. */
const unknown = (name: string) =>
  new StartError(
    isNewer(name)
      ? `this data is of a newer build: start that one, or load a backup of this one into an empty database (${SERVICE} restore FILE)`
      : `this data is of an older build, from before 0.1.0: write it to files with that one (${SERVICE} export), and read them into an empty database with this one (import)`,
  );

/** Looks which tables there are. @throws StartError when they are not those that this version makes or can go on from */
const look = async ({ query }: Pick<Database, "query">, wanted = MIGRATIONS) => {
  const [log] = await query("SELECT 1 AS found WHERE to_regclass('schema_migrations') IS NOT NULL");
  const done = log === undefined ? [] : await query<{ name: string }>("SELECT name FROM schema_migrations");
  const moved = done.find(({ name }) => name.startsWith(MOVED));
  if (moved !== undefined)
    throw new StartError(
      `the database was moved to another one at ${moved.name.slice(MOVED.length)}: set DATABASE_URL to that one`,
    );
  const missing = wanted.filter(({ name }) => !done.some((one) => one.name === name));
  const other = done.find(({ name }) => !MIGRATIONS.some((known) => known.name === name) && !runsOn(name))?.name;
  if (other !== undefined) throw unknown(other);
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

/** The versions that the tables of a database have, oldest first. */
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
  if (other !== undefined) throw unknown(other);
  const { missing } = await look(database, wanted);
  if (missing.length > 0) await runMigrations(database, missing.length);
  const made = "SELECT name FROM unnest($1::text[]) AS listed (name) WHERE to_regclass(name) IS NOT NULL";
  for (const { name: table } of await database.query<{ name: string }>(made, [Object.keys(TABLES)])) {
    const [row] = await database.query(`SELECT 1 AS found FROM ${table} LIMIT 1`);
    if (row !== undefined && table !== "schema_migrations")
      throw new StartError(`the database must be empty, and there are rows in its table ${table}`);
  }
};

export const NO_TABLES = "the database has no tables of the service: start the service once, which makes them";

/** @throws StartError when the tables are not those of this version */
export const requireTables = async (database: Pick<Database, "query">): Promise<void> => {
  const { isNew, missing } = await look(database);
  if (isNew) throw new StartError(NO_TABLES);
  if (missing.length > 0) throw older();
};
