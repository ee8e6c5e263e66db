import type pg from "pg";
import type { Submittable } from "pg";
import { from, to } from "pg-copy-streams";
import { addressesOf } from "../../config/database-url.js";
import type { Copying, Query } from "../database.js";
import { openAddresses } from "./addresses.js";

/**
 * Runs `work` once in a transaction that sees one moment, by a connection of its own: what is copied has it for itself. It may
 * take as long as it needs.
 */
export const copyOver =
  (databaseUrl: string) =>
  async <T>(work: (copying: Copying) => Promise<T>): Promise<T> => {
    const addresses = openAddresses(addressesOf(databaseUrl), { max: 1, pipeline: false });
    try {
      return await addresses.use(async (client) => {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
        await client.query("SET LOCAL idle_in_transaction_session_timeout = 0");
        const result = await work(copyingBy(client));
        await client.query("COMMIT");
        return result;
      });
    } finally {
      // A transaction that failed ends with its connection.
      await addresses.close();
    }
  };

const copyingBy = (client: pg.PoolClient): Copying => {
  const begin = <Stream extends Submittable>(stream: Stream): Stream => client.query(stream);
  return {
    query: (async (text, values) => (await client.query(text, values)).rows) as Query,
    read: (what) => begin(to(`COPY ${what} TO STDOUT`)),
    write: (what) => begin(from(`COPY ${what} FROM STDIN`)),
  };
};
