import { openDatabase } from "../../../src/service/database/open-database.js";
import type { Place } from "./places.js";

/** Tables whose rows PostgreSQL has never counted, so that it plans as if they were empty. */
export const neverAnalyzed = async (place: Place): Promise<string[]> => {
  const { query, close } = await openDatabase(place, "tables");
  const never = await query<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples < 0",
  );
  await close();
  return never.map(({ name }) => name).filter((name) => name !== "schema_migrations");
};

/** Every row of every table, as text, by the table's name; not when migrations ran, nor when tasks are due. */
export const everyRow = async (place: Place): Promise<Record<string, string[]>> => {
  const { query, close } = await openDatabase(place, "tables");
  const tables: Record<string, string[]> = {};
  for (const { name } of await query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  ))
    tables[name] = (
      await query<{ row: string }>(
        `SELECT ${name === "schema_migrations" ? "name" : "t::text"} AS row FROM ${name} AS t`,
      )
    )
      .map(({ row }) => row)
      .filter((row) => !row.startsWith('("due '))
      .sort();
  await close();
  return tables;
};
