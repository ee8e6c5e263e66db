import type { Query } from "../../database/database.js";
import { TABLES } from "../../database/postgres/spread.js";

/** A table with all of its columns, as COPY names it. */
export interface Table {
  name: string;
  columns: string;
}

/** The versions of the tables are those of a database itself: they are not copied. */
const OWN = "schema_migrations";

/** All tables that are copied, as they are in a database. */
export const listTables = async (query: Query): Promise<Table[]> => {
  const rows = await query<Table>(
    `SELECT relname::text AS name, string_agg(attname, ', ' ORDER BY attnum) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE attrelid = ANY($1::regclass[]) AND attnum > 0 AND NOT attisdropped GROUP BY 1 ORDER BY 1`,
    [Object.keys(TABLES).filter((name) => name !== OWN)],
  );
  return rows;
};

/** What COPY is told of a table. */
export const copied = ({ name, columns }: Table): string => `${name} (${columns})`;

/** How many rows each table has. */
export type Counts = Record<string, number>;

export const countRows = async (query: Query, tables: readonly Table[]): Promise<Counts> => {
  const counts: Counts = {};
  for (const { name } of tables)
    counts[name] = Number((await query(`SELECT count(*) AS count FROM ${name}`))[0]!.count);
  return counts;
};

/** @throws Error that names a table which has not as many rows as it must have */
export const requireCounts = (counts: Counts, expected: Counts): void => {
  for (const [name, rows] of Object.entries(expected))
    if (counts[name] !== rows) throw new Error(`the table ${name} has ${counts[name]} rows in place of ${rows}`);
};

/** As the user is told it. */
export const tellCounts = (counts: Counts): string => {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return `${all} rows of ${Object.keys(counts).length} tables, ${counts.events} of them events`;
};
