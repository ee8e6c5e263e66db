import type { Query } from "./database.js";

/**
 * Inserts rows in one statement; rows whose key exists already are left as they are.
 *
 * @param columns names, in the order of the rows' values
 * @param key the column or columns of the primary key
 */
export const insertMissing = async (
  query: Query,
  table: string,
  columns: readonly string[],
  key: string,
  rows: readonly (readonly unknown[])[],
): Promise<void> => {
  if (rows.length === 0) return;
  let number = 0;
  const values = rows.map((row) => `(${row.map(() => `$${++number}`).join(",")})`).join(",");
  await query(
    `INSERT INTO ${table} (${columns.join(",")}) VALUES ${values} ON CONFLICT (${key}) DO NOTHING`,
    rows.flat(),
  );
};
