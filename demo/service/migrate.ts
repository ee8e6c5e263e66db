import type { Database, Query } from "./database.js";
import { MIGRATIONS } from "./migrations/index.js";
import { errorCode, repeated } from "./sql-state.js";

/**
 * What PostgreSQL answers to the later of two processes that create the same table at the same time: the row of its
 * catalogue, the table, or the type of the table's rows exists already.
 */
const CREATED_MEANWHILE = /^(23505|42P07|42710|40001|40P01|XX000)$/;

const LOG = `CREATE TABLE IF NOT EXISTS schema_migrations (
  name       TEXT PRIMARY KEY,
  applied_at BIGINT NOT NULL
)`;
/** Row of the log that a process locks while it migrates. */
const LOCK = "lock";

/**
 * Brings the tables to the version that this code needs. Several processes may do it at once: one does it, the others
 * wait.
 *
 * @throws Error when the database is of a newer version
 */
export const migrate = async (database: Database): Promise<void> => {
  const done = await present(database);
  if (done !== undefined && pending(done).length === 0) return;
  await repeated(
    () => database.query(LOG),
    (error) => CREATED_MEANWHILE.test(errorCode(error)),
  );
  await database.query("INSERT INTO schema_migrations (name, applied_at) VALUES ($1, 0) ON CONFLICT DO NOTHING", [
    LOCK,
  ]);
  // Loaded where it is needed only: it takes longer than the rest of a start.
  const { Umzug } = await import("umzug");
  await database.transaction(async (query) => {
    await query("SELECT name FROM schema_migrations WHERE name = $1 FOR UPDATE", [LOCK]);
    const umzug = new Umzug({
      migrations: MIGRATIONS.map(({ name, up }) => ({ name, up: () => up(query) })),
      storage: {
        executed: () => applied(query),
        logMigration: async ({ name }) => {
          await query("INSERT INTO schema_migrations (name, applied_at) VALUES ($1, $2)", [name, Date.now()]);
        },
        unlogMigration: async () => {},
      },
      logger: undefined,
    });
    await umzug.up();
  });
};

/** @throws Error when the tables are not those of this version */
export const requireTables = async (database: Database): Promise<void> => {
  const done = await present(database);
  if (done === undefined) throw new Error("it has no tables of the service");
  const missing = pending(done);
  if (missing.length > 0) throw new Error(`it is of an older version, without ${missing.join(", ")}`);
};

/** What was applied; `undefined` where nothing ever was. */
const present = (database: Database): Promise<string[] | undefined> =>
  applied(database.query).catch((error) => {
    if (errorCode(error) === "42P01") return undefined; // undefined table
    throw error;
  });

const applied = async (query: Query): Promise<string[]> =>
  (await query<{ name: string }>("SELECT name FROM schema_migrations ORDER BY name"))
    .map(({ name }) => name)
    .filter((name) => name !== LOCK);

const pending = (done: string[]): string[] => {
  const known = MIGRATIONS.map(({ name }) => name);
  const newer = done.filter((name) => !known.includes(name));
  if (newer.length > 0) throw new Error(`it is of a newer version (${newer.join(", ")}): start that version`);
  return known.filter((name) => !done.includes(name));
};
