import { DuckDBInstance } from "@duckdb/node-api";
import { NAMES } from "../../../../src/service/commands/archive/parquet.js";
import type { Query } from "../../../../src/service/database/database.js";

export type Told = Record<string, unknown>;

/** Asks DuckDB. */
export const askDuck = async (sql: string): Promise<Told[]> => {
  const duck = await DuckDBInstance.create();
  const connection = await duck.connect();
  const rows = await connection.runAndReadAll(`SELECT to_json(answer)::VARCHAR AS row FROM (${sql}) AS answer`);
  connection.closeSync();
  duck.closeSync();
  return rows.getRows().map(([row]) => JSON.parse(String(row)));
};

const isTime = (name: string) => name.endsWith("_at");

/** All events in the files of a folder by id, as DuckDB reads them. */
export const eventsInFiles = (folder: string, more = ""): Promise<Told[]> =>
  askDuck(
    `SELECT ${NAMES.map((name) => (isTime(name) ? `epoch_ms(${name}) AS ${name}` : name))}${more}
     FROM '${folder}/workspace=*/day=*/*.parquet' ORDER BY id`,
  );

/** The same in the database. */
export const eventsInTable = async (query: Query): Promise<Told[]> =>
  (
    await query<{ row: string }>(
      `SELECT row_to_json(answer)::text AS row FROM (SELECT ${NAMES} FROM events WHERE workspace = 'default' ORDER BY id) AS answer`,
    )
  ).map(({ row }) => JSON.parse(row));
