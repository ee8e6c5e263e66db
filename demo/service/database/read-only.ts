import type { Database, Query } from "./database.js";

/** Says that a transaction is to be taken back. */
const TAKE_BACK = new Error("read only");

/** Runs statements that may change nothing: each in a transaction that only reads, and is taken back. */
export const readOnly =
  ({ transaction }: Database): Query =>
  async <Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> => {
    let rows: Row[] = [];
    await transaction(async (query) => {
      await query("SET TRANSACTION READ ONLY");
      rows = await query<Row>(sql, parameters);
      throw TAKE_BACK;
    }).catch((error) => {
      if (error !== TAKE_BACK) throw error;
    });
    return rows;
  };
