import type { Socket } from "node:net";
import pg from "pg";
import { StartError } from "../config/start-error.js";
import type { Database, Query, Statement, Written } from "./database.js";
import { type Fill, prepare, requireTables } from "./migrate.js";
import { isUnavailable, repeated } from "./sql-state.js";

/** Connections of one process: one commits events, the others answer look-ups and live pages. */
const MAX_CONNECTIONS = 8;
/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;
/**
 * Milliseconds after which the server itself ends a statement, and one that waits for a lock. Below ours: a query that
 * only we give up stays in its backend, and each attempt takes another one, until the server has none left for anybody.
 */
const STATEMENT_TIMEOUT_MS = 8_000;
const LOCK_TIMEOUT_MS = 3_000;
/** The same of a transaction in which nothing is asked: its process is frozen, or gone without a word (see `settled.ts`). */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Connects to a PostgreSQL server or anything that speaks its protocol. Any number of service processes may share it.
 *
 * @param fill what a new database begins with
 * @throws StartError when it cannot be reached or prepared
 */
export const openPostgres = async (databaseUrl: string, fill?: Fill): Promise<Database> => {
  // The tables of a large database take longer to change than a request may.
  const patient = connect({ connectionString: databaseUrl, max: 1 });
  await usable(prepare(patient, fill)).finally(() => patient.close());
  const database = connect({
    connectionString: databaseUrl,
    max: MAX_CONNECTIONS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  // By a connection such as events take: a pooler in between may refuse what it asks for.
  await usable(database.query("SELECT 1")).catch(async (error) => {
    await database.close();
    throw error;
  });
  return database;
};

/**
 * Connects for a command, which may take as long as it needs.
 *
 * @throws StartError when the server cannot be reached, or the service has not made its tables there
 */
export const openExistingPostgres = async (databaseUrl: string): Promise<Database> => {
  const database = connect({ connectionString: databaseUrl, max: 1 });
  try {
    await usable(requireTables(database));
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
};

const usable = <T>(opening: Promise<T>): Promise<T> =>
  opening.catch((error) => {
    if (error instanceof StartError) throw error;
    // An AggregateError of several addresses has an empty message.
    const reason = (error as Error).message || String((error as { code?: string }).code);
    const advice = /unsupported startup parameter/.test(reason)
      ? "give PgBouncer ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout"
      : "check that it runs and that the URL is right";
    throw new StartError(`cannot use the database of DATABASE_URL (${reason}): ${advice}`);
  });

const connect = (options: pg.PoolConfig): Database => {
  // In a pipeline, statements that need not wait for each other's results are sent together.
  const pool = new pg.Pool({
    ...options,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TIMEOUT_MS,
    pipeline: true,
  });
  // A connection that breaks says so by an event besides the error of its query, and an event of this name that nobody
  // listens to ends the process. The pool itself listens only to those that are idle.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  const over =
    (source: pg.Pool | pg.PoolClient): Query =>
    async <Row>(text: string, values: unknown[] = []) =>
      // The extended protocol takes one statement: in a second one, a text from outside could end the transaction.
      (await source.query({ text, values, queryMode: "extended" } as pg.QueryConfig)).rows as Row[];

  const once = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query("BEGIN");
      const result = await work(over(client));
      await client.query("COMMIT");
      return result;
    } catch (error) {
      // A closed connection rolls back by itself, and one that did not answer in time would not answer this either.
      if (isUnavailable(error)) broken = error as Error;
      else
        await client.query("ROLLBACK").catch((failure: Error) => {
          broken = failure;
        });
      throw error;
    } finally {
      client.release(broken);
    }
  };

  const writeOnce = async (statements: readonly Statement[]): Promise<Written> => {
    const client = await pool.connect();
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
    // All in one packet.
    stream.cork();
    const sent = ["BEGIN", ...statements, "COMMIT"].map((statement) => client.query(statement as string));
    stream.uncork();
    const answers = await Promise.allSettled(sent);
    // After a statement that failed the server takes COMMIT for ROLLBACK.
    const error = answers.find((answer) => answer.status === "rejected")?.reason as Error | undefined;
    client.release(error !== undefined && isUnavailable(error) ? error : undefined);
    if (error !== undefined) throw error;
    return answers.slice(1, -1).map((answer) => (answer as PromiseFulfilledResult<pg.QueryResult>).value.rows);
  };

  return {
    query: over(pool),
    transaction: (work) => repeated(() => once(work)),
    write: (statements) => repeated(() => writeOnce(statements)),
    close: () => pool.end(),
  };
};
