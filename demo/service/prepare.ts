import type { Database } from "./database.js";
import { LAST_EVENT_ID, SEEDED, TABLES } from "./schema.sql.js";
import { seed } from "./seed.js";
import { errorCode, repeated } from "./sql-state.js";

/**
 * What PostgreSQL answers to the later of two processes that create the same table at the same time: the row of its catalogue,
 * the table, or the type of the table's rows exists already.
 */
const CREATED_MEANWHILE = /^(23505|42P07|42710|40001|40P01|XX000)$/;

/**
 * Makes the tables and, in a database that never had them, the demo's records where `seeded`. Several processes may do
 * it at once.
 */
export const prepare = async (database: Database, seeded: boolean): Promise<void> => {
  const made = await database.query("SELECT name FROM service_state WHERE name = $1", [SEEDED]).catch((error) => {
    if (errorCode(error) === "42P01") return []; // undefined table
    throw error;
  });
  if (made.length > 0) return;
  for (const table of TABLES)
    await repeated(
      () => database.query(table),
      (error) => CREATED_MEANWHILE.test(errorCode(error)),
    );
  await database.transaction(async (query) => {
    // The second process waits here for the first one's commit, and then has nothing to do.
    const mine = await query(
      "INSERT INTO service_state (name, value) VALUES ($1, 1) ON CONFLICT (name) DO NOTHING RETURNING name",
      [SEEDED],
    );
    if (mine.length === 0) return;
    await query("INSERT INTO service_state (name, value) VALUES ($1, 0)", [LAST_EVENT_ID]);
    if (seeded) await seed(query);
  });
};
