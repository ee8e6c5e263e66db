import type { Query } from "../../../src/service/database/database.js";

/** With what comes first in it instead of what is built in. */
const PATH = "search_path = skewed, pg_catalog, public";

const STATEMENTS = [
  "CREATE SCHEMA skewed",
  "CREATE TABLE skewed.clock (behind_ms BIGINT)",
  "INSERT INTO skewed.clock VALUES (0)",
  `CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
   'SELECT pg_catalog.clock_timestamp() - behind_ms * interval ''1 millisecond'' FROM skewed.clock'`,
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${PATH}', current_database()); END $$`,
];

/** Makes the clock of a database one that can be set, for the connections that are made after it. */
export const makeClock = async (query: Query): Promise<void> => {
  for (const statement of STATEMENTS) await query(statement);
};

/** Sets the clock back by so many milliseconds; forward where they are negative. */
export const setBack = (query: Query, milliseconds: number): Promise<unknown> =>
  query("UPDATE skewed.clock SET behind_ms = $1", [milliseconds]);
