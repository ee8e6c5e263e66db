import type { Socket } from "node:net";
import type pg from "pg";
import type { Submittable } from "pg";
import { from, to } from "pg-copy-streams";
import { addressesOf } from "../../config/options.js";
import type { Copying, Database, Query, Statement, Written } from "../database.js";
import { isUnavailable, repeated } from "../sql-state.js";
import { type Addresses, openAddresses } from "./pools.js";

/** What waits for a place, at most. */
const MAX_WAITING = 200;

/** As of a server that stops: whoever asks is answered 503. */
const refused = (text: string): Error => Object.assign(new Error(text), { code: "57P01" });

/** Gives so many places, so that what is not urgent leaves connections to events. */
const createBeside = (use: Addresses["use"], places: number) => {
  let free = places;
  let isOver = false;
  const waiting: (() => void)[] = [];
  const under = new Set<pg.PoolClient>();
  const take = async (): Promise<void> => {
    if (waiting.length >= MAX_WAITING) throw refused("too many questions wait already");
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const give = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    use: async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
      await take();
      try {
        if (isOver) throw refused("the service ends");
        return await use((client) => {
          if (isOver) throw refused("the service ends");
          under.add(client);
          return work(client).finally(() => under.delete(client));
        });
      } finally {
        give();
      }
    },
    /** Cancels what is under way, and refuses what waits or comes. */
    cancel: (): void => {
      isOver = true;
      for (const client of under) cancel(client);
    },
  };
};

interface Wire {
  connection: { stream: Socket };
}

/** Ends a connection; what it has asked, the server ends in its time. */
const cancel = (client: pg.PoolClient): void => {
  (client as unknown as Wire).connection.stream.destroy();
};

/** How statements get to the server and rows come back: one at a time, in a transaction, or all of a transaction in one packet. */

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

export const databaseAt = ({ use, close }: Addresses): Database => {
  const writeOnce = (statements: readonly Statement[], node?: number): Promise<Written> =>
    use(async (client) => {
      const { stream } = (client as unknown as Wire).connection;
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

/**
 * Runs `work` once in a transaction that sees one moment, by a connection of its own: what is copied has it for itself. It may
 * take as long as it needs.
 */
export const copyingAt =
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
