/** How statements get to the server and rows come back: one at a time, in a transaction, or all of a transaction in one packet. */
import type { Socket } from "node:net";
import type pg from "pg";
import type { Database, Query, Statement, Written } from "../database.js";
import { isUnavailable, repeated } from "../sql-state.js";
import type { Addresses } from "./addresses.js";
import { createBeside } from "./beside.js";

const asking =
  (client: pg.ClientBase): Query =>
  async <Row>(text: string, values: unknown[] = []) =>
    // The extended protocol takes one statement: in a second one, a text from outside could end the transaction.
    (await client.query({ text, values, queryMode: "extended" } as pg.QueryConfig)).rows as Row[];

/** What is asked by one connection after another, as `use` gives them. */
const askingBy = (use: Addresses["use"]): Pick<Database, "query" | "transaction"> => {
  const once = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    use(async (client) => {
      try {
        await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
        const result = await work(asking(client));
        await client.query("COMMIT");
        return result;
      } catch (error) {
        // A connection that is given up rolls back by itself; one that fails here is given up, too.
        if (!isUnavailable(error)) await client.query("ROLLBACK").catch(() => {});
        throw error;
      }
    });
  return {
    query: (text, values) => use((client) => asking(client)(text, values)),
    transaction: (work) => repeated(() => once(work)),
  };
};

/** What is asked and written at these addresses. */
export const over = ({ use, close }: Addresses): Database => {
  const writeOnce = (statements: readonly Statement[], node?: number): Promise<Written> =>
    use(async (client) => {
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
      // All in one packet.
      stream.cork();
      // Each statement sees what was committed before it, whatever the server's configuration says, see `generation.ts`.
      const sent = ["BEGIN ISOLATION LEVEL READ COMMITTED", ...statements, "COMMIT"].map((statement) =>
        client.query(statement as string),
      );
      stream.uncork();
      const answers = await Promise.allSettled(sent);
      // After a statement that failed the server takes COMMIT for ROLLBACK.
      const failed = answers.find((answer) => answer.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      return answers.slice(1, -1).map((answer) => (answer as PromiseFulfilledResult<pg.QueryResult>).value.rows);
    }, node);

  return {
    ...askingBy(use),
    write: (statements, node) => repeated(() => writeOnce(statements, node)),
    beside: (most) => {
      const beside = createBeside(use, most);
      return { ...askingBy(beside.use), cancel: beside.cancel };
    },
    close,
  };
};
