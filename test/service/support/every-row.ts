import { openDatabase } from "../../../src/service/database/open-database.js";
import type { Place } from "./places.js";

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
