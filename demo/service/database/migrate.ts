import { StartError } from "../config/start-error.js";
import type { Database, Query } from "./database.js";
import { MIGRATIONS } from "./migrations.js";
import { errorCode, repeated } from "./sql-state.js";

/** What PostgreSQL answers to the later of two processes that make the same tables: a row of its catalogue is there already. */
const MADE_MEANWHILE = /^(23505|42P07|42710|40001|40P01|XX000)$/;

/** Makes what is missing, all or nothing. Several processes may do it at once: one does it, the others wait. */
const migrate = (database: Database): Promise<void> =>
  repeated(
    async () => {
      const { isNew, missing } = await look(database);
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
const look = async ({ query }: Pick<Database, "query">) => {
  const [{ log, events }] = (await query<{ log: boolean; events: boolean }>(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS log, to_regclass('events') IS NOT NULL AS events",
  )) as [{ log: boolean; events: boolean }];
  const done = log ? await query<{ name: string }>("SELECT name FROM schema_migrations") : [];
  const other = done.find(({ name }) => !MIGRATIONS.some((known) => known.name === name))?.name;
  if ((!log && events) || /^\d{3}-/.test(other ?? ""))
    throw new StartError(
      "the database was made before 0.1.0: export it with the version that made it, and import that into a new one",
    );
  if (other !== undefined)
    throw new StartError(
      `the database has tables of the version ${other}, which this build does not know (it makes ${MIGRATIONS.at(-1)!.name}): start the build that made them, or a newer one`,
    );
  return { isNew: !log, missing: MIGRATIONS.filter(({ name }) => !done.some((one) => one.name === name)) };
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

/** @throws StartError when the tables are not those of this version */
export const requireTables = async (database: Pick<Database, "query">): Promise<void> => {
  const { isNew, missing } = await look(database);
  if (isNew) throw new StartError(NO_TABLES);
  if (missing.length > 0)
    throw new StartError(`the database is of an older version, without ${missing[0]!.name}: start the service once`);
};
