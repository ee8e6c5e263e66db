import type { Socket } from "node:net";
import pg from "pg";
import { StartError } from "../../base/start-error.js";
import { NO_TABLES } from "../migrations.js";
import { errorCode, isUnavailable } from "../sql-state.js";
import { TABLES } from "./spread.js";

// Numbers of 8 bytes, and sums of them, as numbers: each is a time, a size or a count, and none is beyond a double.
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);

/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The same of a transaction in which nothing is asked: its process is frozen, or gone without a word (see `settled.ts`). */
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
        for (const client of inUse)
          (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      }, CLOSE_MS);
      await pool.end().finally(() => clearTimeout(late));
    },
  };
};

/*
 * A database may have several addresses: those of a cluster's nodes, or of a server and its standbys. What is asked goes to one
 * that answers, is no standby, and has the tables, as a node has none before they are spread.
 */

export interface Addresses {
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

/** Which node of a cluster answers; nothing where there is no cluster. The coordinator is 0. */
export const askNode = async (client: pg.ClientBase): Promise<number | undefined> => {
  const ask = async (sql: string) => (await client.query<{ value: unknown }>(sql)).rows[0]?.value;
  if ((await ask("SELECT to_regclass('pg_dist_local_group') AS value")) === null) return undefined;
  return Number((await ask("SELECT groupid AS value FROM pg_dist_local_group")) ?? 0);
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
        address.node = await address.use(askNode);
      };
      // Those that do not answer are known by that.
      await Promise.allSettled(all.map(ask));
    },
    close: async () => {
      await Promise.all(all.map((address) => address.close()));
    },
  };
};
