import type { Socket } from "node:net";
import pg, { type Submittable } from "pg";
import { from, to } from "pg-copy-streams";
import { StartError } from "../../base/start-error.js";
import { addressesOf } from "../../config/options.js";
import type { Copying, Database, Query, Statement, Written } from "../database.js";
import { askNode } from "../event-id.js";
import { NO_TABLES } from "../migrations.js";
import { errorCode, isUnavailable, repeated } from "../sql-state.js";
import { TABLES } from "./spread.js";

// Numbers of 8 bytes, and sums of them, as numbers: each is a time, a size or a count, and none is beyond a double.
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);

/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The same of a transaction in which nothing is asked: its process is frozen, or gone without a word (see `event-id.ts`). */
const IDLE_TIMEOUT_MS = 10_000;
/** Milliseconds that what is under way has when the connections are closed: nobody waits for it any more. */
const CLOSE_MS = 300;

type Options = pg.PoolConfig & { max: number; pipeline?: boolean };

interface Connections {
  /**
   * Calls `work` with a connection.
   *
   * @throws TakeError when none can be had: nothing was asked
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  answers(): boolean;
  close(): Promise<void>;
}

/** The socket of a connection. */
const streamOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** There is no connection, for a cause. */
class TakeError extends Error {}

/** What a server says about itself: it stops, or it only reads. */
const OF_ITSELF = /^(57P0|25006)/;
const NONE_FREE = /^timeout exceeded when trying to connect/;

/** Does an error say that an address does not answer? What a server answers about another one says nothing of its own. */
const isGone = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? OF_ITSELF.test(errorCode(error)) : isUnavailable(error);

/** @param begin is called with each new connection, which is refused where it fails */
const openConnections = (options: Options, begin?: (client: pg.ClientBase) => Promise<void>): Connections => {
  const pool = new pg.Pool({
    // Statements that need not wait for each other's results are sent together.
    pipeline: true,
    ...options,
    ...(begin && { onConnect: begin as (client: pg.ClientBase) => void }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
  });
  // A connection that breaks says so by an event besides the error of its query, and an event of this name that nobody
  // listens to ends the process. The pool itself listens only to those that are idle.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  let answers = true;
  const inUse = new Set<pg.PoolClient>();
  const take = async (): Promise<pg.PoolClient> => {
    try {
      const client = await pool.connect();
      answers = true;
      return client;
    } catch (error) {
      answers = NONE_FREE.test((error as Error).message) && answers;
      throw new TakeError("no connection", { cause: error });
    }
  };
  return {
    use: async (work) => {
      const client = await take();
      inUse.add(client);
      let broken: Error | undefined;
      try {
        return await work(client);
      } catch (error) {
        if (isGone(error)) answers = false;
        // One that did not answer in time would not answer the next one either.
        if (isUnavailable(error)) broken = error as Error;
        throw error;
      } finally {
        inUse.delete(client);
        client.release(broken);
      }
    },
    answers: () => answers,
    close: async () => {
      const late = setTimeout(() => {
        for (const client of inUse) streamOf(client).destroy();
      }, CLOSE_MS);
      await pool.end().finally(() => clearTimeout(late));
    },
  };
};

/*
 * A database may have several addresses: those of a cluster's nodes, or of a server and its standbys. What is asked goes to one
 * that answers, is no standby, and has the tables, as a node has none before they are spread.
 */

interface Addresses {
  /**
   * Calls `work` with a connection: to a node where it is named and answers, or else to the first address that answers. Once
   * `work` has begun, no other address is tried: nobody knows what it has done.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>, node?: number): Promise<T>;
  /** Asks each address whether it answers, and which node it is. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** Asked of each new connection where there are several addresses. Tables are spread one after another, this one last. */
const ASK = `SELECT pg_is_in_recovery() AS standby, to_regclass('${Object.keys(TABLES).at(-1)}') IS NULL AS bare`;

const refuseOthers = async (client: pg.ClientBase): Promise<void> => {
  const { standby, bare } = (await client.query<{ standby: boolean; bare: boolean }>(ASK)).rows[0]!;
  if (standby) throw Object.assign(new Error("the server is a standby"), { code: "25006" });
  if (bare) throw new StartError(NO_TABLES);
};

/** @param urls of one database; the first of them that answers is used where it does not matter */
export const openAddresses = (urls: readonly string[], options: Options): Addresses => {
  const begin = urls.length > 1 ? refuseOthers : undefined;
  const all = urls.map((connectionString): Connections & { node?: number | undefined } =>
    openConnections({ ...options, connectionString }, begin),
  );
  const inOrder = (node?: number) => {
    const right = node === undefined ? undefined : all.find((one) => one.node === node && one.answers());
    const rank = (one: (typeof all)[number]) => (one === right ? 0 : one.answers() ? 1 : 2);
    return all.length === 1 ? all : all.toSorted((a, b) => rank(a) - rank(b));
  };
  return {
    use: async (work, node) => {
      const causes: unknown[] = [];
      for (const address of inOrder(node))
        try {
          return await address.use(work);
        } catch (error) {
          if (!(error instanceof TakeError)) throw error;
          causes.push(error.cause);
        }
      // Who is away may be back soon: said rather than what is wrong with another one.
      throw causes.find(isUnavailable) ?? causes[0];
    },
    look: async () => {
      const ask = async (address: (typeof all)[number]) => {
        address.node = await address.use((client) => askNode(asking(client)));
      };
      // Those that do not answer are known by that.
      await Promise.allSettled(all.map(ask));
    },
    close: async () => {
      await Promise.all(all.map((address) => address.close()));
    },
  };
};

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
      // What a connection has asked, the server ends in its time.
      for (const client of under) streamOf(client).destroy();
    },
  };
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
      const stream = streamOf(client);
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
