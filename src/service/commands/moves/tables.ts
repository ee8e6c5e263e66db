import { pipeline } from "node:stream/promises";
import type { Copying, Query } from "../../database/database.js";
import { TABLES } from "../../database/postgres/spread-tables.js";

/** A table with all of its columns, as COPY names it. */
export interface Table {
  name: string;
  columns: string;
}

/** The versions of the tables are those of a database itself: they are not copied. */
const OWN = "schema_migrations";

/** All tables of the schema: also what a newer build has made, which was gone back from. Of others there, those that can be read. */
export const listTables = (query: Query): Promise<Table[]> =>
  query<Table>(
    `SELECT relname::text AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('events')) AND relkind = 'r'
       AND relname <> $1 AND (relname = ANY($2) OR has_table_privilege(attrelid, 'SELECT'))
       AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = attrelid AND deptype = 'e') AND attnum > 0 AND NOT attisdropped
     GROUP BY 1 HAVING bool_and(relname || attname ~ '^[a-z0-9_]+$') ORDER BY 1`,
    [OWN, Object.keys(TABLES)],
  );

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

/** Copies all tables into others, which are empty; what is not there is none of the service. @returns how many rows each has, there as here */
export const copyTables = async (from: Copying, to: Copying): Promise<Counts> => {
  const made = new Set((await listTables(to.query)).map(({ name }) => name));
  const tables = (await listTables(from.query)).filter(({ name }) => made.has(name));
  for (const table of tables) await pipeline(from.read(copied(table)), to.write(copied(table)));
  const counts = await countRows(from.query, tables);
  requireCounts(await countRows(to.query, tables), counts);
  return counts;
};

/** As the user is told it. */
export const tellCounts = (counts: Counts): string => {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return `${all} rows of ${Object.keys(counts).length} tables, ${counts.events} of them events`;
};
