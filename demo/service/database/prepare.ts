import { StartError } from "../config/start-error.js";
import type { Database, Query } from "./database.js";
import { look, migrate } from "./migrate.js";

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

/** @throws StartError when the tables are not those of this version */
export const requireTables = async (database: Database): Promise<void> => {
  const { isNew, missing } = await look(database);
  if (isNew)
    throw new StartError("the database has no tables of the service: start the service once, which makes them");
  if (missing.length > 0)
    throw new StartError(`the database is of an older version, without ${missing[0]!.name}: start the service once`);
};
