import type { Socket } from "node:net";
import pg from "pg";
import { errorCode, isUnavailable } from "../sql-state.js";

/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The same of a transaction in which nothing is asked: its process is frozen, or gone without a word (see `settled.ts`). */
const IDLE_TIMEOUT_MS = 10_000;
/** Milliseconds that what is under way has when the connections are closed: nobody waits for it any more. */
const CLOSE_MS = 300;

/** Of the connections to an address; its URL is the `connectionString`. */
export type Options = pg.PoolConfig & { max: number; pipeline?: boolean };

/** The connections to one address. */
export interface Connections {
  /**
   * Calls `work` with a connection.
   *
   * @throws TakeError when none can be had: nothing was asked
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** Does the address answer, as far as is known? */
  answers(): boolean;
  close(): Promise<void>;
}

/** There is no connection, for this cause. */
export class TakeError extends Error {
  override name = "TakeError";
  override cause: Error;

  constructor(cause: Error) {
    super(cause.message);
    this.cause = cause;
  }
}

/** What a server says about itself: it stops, or it only reads. */
const OF_ITSELF = /^(57P0|25006)/;
/** All connections of this process are in use. */
const NONE_FREE = /^timeout exceeded when trying to connect/;

/** Does an error say that an address does not answer? What a server answers about another one says nothing of its own. */
const isGone = (error: unknown): boolean =>
  error instanceof pg.DatabaseError ? OF_ITSELF.test(errorCode(error)) : isUnavailable(error);

/** @param begin is called with each new connection, which is refused where it fails */
export const openConnections = (options: Options, begin?: (client: pg.ClientBase) => Promise<void>): Connections => {
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
      throw new TakeError(error as Error);
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
