import { StartError } from "../base/start-error.js";
import type { Database, Query } from "./database.js";
import { MIGRATIONS } from "./migrations.js";
import { TABLES } from "./postgres/spread-tables.js";
import { errorCode, repeated } from "./sql-state.js";

/** What PostgreSQL answers to the later of two processes that make the same tables: a row of its catalogue is there already. */
const MADE_MEANWHILE = /^(23505|42P07|42710|40001|40P01|XX000)$/;

/**
 * Makes what is missing, all or nothing. Several processes may do it at once: one does it, the others wait.
 *
 * @param wanted the versions up to which tables are made. Default: all
 */
const migrate = (database: Database, wanted = MIGRATIONS): Promise<void> =>
  repeated(
    async () => {
      const { isNew, missing } = await look(database, wanted);
      if (missing.length === 0) return;
      await database.transaction(async (query) => {
        if (isNew) await query("CREATE TABLE schema_migrations (name TEXT PRIMARY KEY)");
        for (const { name, statements } of missing) {
          // Whoever is second waits here, and looks anew.
          await query("INSERT INTO schema_migrations (name) VALUES ($1)", [name]);
          for (const statement of statements) await query(statement);
        }
      });
    },
    (error) => MADE_MEANWHILE.test(errorCode(error)),
  );

/** Looks which tables there are. @throws StartError when they are not those that this version makes or can go on from */
const look = async ({ query }: Pick<Database, "query">, wanted = MIGRATIONS) => {
  const [{ log, events }] = (await query<{ log: boolean; events: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS log, to_regclass('events') IS NOT NULL AS events",
  )) as [{ log: boolean; events: boolean }];
  const done = log ? await query<{ name: string }>("SELECT name FROM schema_migrations") : [];
  const moved = done.find(({ name }) => name.startsWith(MOVED));
  if (moved !== undefined)
    throw new StartError(
      `the database was moved to another one at ${moved.name.slice(MOVED.length)}: set DATABASE_URL to that one`,
    );
  const other = done.find(({ name }) => !MIGRATIONS.some((known) => known.name === name))?.name;
  if ((!log && events) || /^\d{3}-/.test(other ?? ""))
    throw new StartError(
      "the database was made before 0.1.0: export it with the version that made it, and import that into a new one",
    );
  if (other !== undefined)
    throw new StartError(
      `the database has tables of the version ${other}, which this build does not know (it makes ${MIGRATIONS.at(-1)!.name}): start the build that made them, or a newer one`,
    );
  return { isNew: !log, missing: wanted.filter(({ name }) => !done.some((one) => one.name === name)) };
};

/** Before the time of a move, as a version that no build knows: none starts on a database whose data has gone to another one. */
const MOVED = "moved ";

/** Says for good, once the transaction is committed, that the data has gone to another database. */
export const markMoved = async (query: Query): Promise<void> => {
  await query("INSERT INTO schema_migrations (name) VALUES ($1)", [`${MOVED}${new Date().toISOString()}`]);
};

/** The versions that the tables of a database have, oldest first. */
export const versionsOf = async (query: Query): Promise<string[]> => {
  const done = await query<{ name: string }>("SELECT name FROM schema_migrations");
  return MIGRATIONS.map(({ name }) => name).filter((known) => done.some(({ name }) => name === known));
};

/**
 * Makes the tables of some versions in a database that has none, or none with a row.
 *
 * @throws StartError when it holds something, or this build does not know the versions
 */
export const makeEmpty = async (database: Database, versions: readonly string[]): Promise<void> => {
  const wanted = MIGRATIONS.slice(0, versions.length);
  const other = versions.find((name, at) => wanted[at]?.name !== name);
  if (other !== undefined) throw new StartError(`this build does not know the tables of the version ${other}`);
  await migrate(database, wanted);
  const made = "SELECT name FROM unnest($1::text[]) AS listed (name) WHERE to_regclass(name) IS NOT NULL";
  for (const { name: table } of await database.query<{ name: string }>(made, [Object.keys(TABLES)])) {
    const [row] = await database.query(`SELECT 1 AS found FROM ${table} LIMIT 1`);
    if (row !== undefined && table !== "schema_migrations")
      throw new StartError(`the database must be empty, and there are rows in its table ${table}`);
  }
};

/** Stores the first records of a new database. */
export type Fill = (query: Query) => Promise<void>;

/** Row of `service_state` that exists since the first start. */
const SEEDED = "seeded";

/**
 * Brings the tables up to date. Several processes may do it at once.
 *
 * @param fill what a new database begins with
 */
export const prepare = async (database: Database, fill: Fill | undefined): Promise<void> => {
  await migrate(database);
  const made = await database.query("SELECT name FROM service_state WHERE name = $1", [SEEDED]);
  if (made.length > 0) return;
  await database.transaction(async (query) => {
    // The second process waits here for the first one's commit, and then has nothing to do.
    const mine = await query(
      "INSERT INTO service_state (name, value) VALUES ($1, 1) ON CONFLICT (name) DO NOTHING RETURNING name",
      [SEEDED],
    );
    if (mine.length > 0) await fill?.(query);
  });
};

export const NO_TABLES = "the database has no tables of the service: start the service once, which makes them";

/** @throws StartError when the tables are not those of this version or an older one */
export const requireKnownTables = async (database: Pick<Database, "query">): Promise<{ name: string }[]> => {
  const { isNew, missing } = await look(database);
  if (isNew) throw new StartError(NO_TABLES);
  return missing;
};

/** @throws StartError when the tables are not those of this version */
export const requireTables = async (database: Pick<Database, "query">): Promise<void> => {
  const missing = await requireKnownTables(database);
  if (missing.length > 0)
    throw new StartError(`the database is of an older version, without ${missing[0]!.name}: start the service once`);
};
