import { setTimeout as sleep } from "node:timers/promises";
import { StartError } from "../../base/start-error.js";
import { addressesOf } from "../../config/database-url.js";
import type { Database } from "../database.js";
import { makeEmpty, migrate, prepare, requireKnownTables, requireTables } from "../migrate.js";
import type { Alone, Tell } from "../run-migrations.js";
import { openAddresses } from "./addresses.js";
import { copyOver } from "./copying.js";
import { prepareAt } from "./prepare-at.js";
import { createShards } from "./shards.js";
import { over } from "./statements.js";

/** Connections of one process to an address: one commits events, the others answer look-ups and live pages. */
export const MAX_CONNECTIONS = 8;
/** Milliseconds: below the 15 s after which a tracker gives up, so that it gets an answer instead of silence. */
const QUERY_TIMEOUT_MS = 10_000;
/**
 * Milliseconds after which the server itself ends a statement, and one that waits for a lock. Below ours: a query that
 * only we give up stays in its backend, and each attempt takes another one, until the server has none left for anybody.
 */
const STATEMENT_TIMEOUT_MS = 8_000;
const LOCK_TIMEOUT_MS = 3_000;
/** Milliseconds between two looks which addresses answer and where the shards are; the second one where there is nothing to choose. */
const [LOOK_MS, QUIET_MS] = [1_000, 30_000];

/**
 * Connects to a PostgreSQL server or anything that speaks its protocol. Any number of service processes may share it.
 *
 * @throws StartError when it cannot be reached or prepared
 */
export const openPostgres = (databaseUrl: string): Promise<Database> => usable(connectPostgres(databaseUrl));

/** The same; what the server says, and what becomes of a connection, is thrown as it is. */
export const connectPostgres = async (databaseUrl: string): Promise<Database> => {
  const urls = addressesOf(databaseUrl);
  await prepareAt(urls, openAlone, prepare);
  const addresses = openAddresses(urls, {
    max: MAX_CONNECTIONS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  const database = over(addresses);
  const shards = createShards(database.query);
  const look = async (): Promise<void> => {
    if (urls.length > 1) await addresses.look();
    await shards.read();
  };
  const every = () => (urls.length > 1 || shards.areSpread() ? LOOK_MS : QUIET_MS);
  // By a connection such as events take: a pooler in between may refuse what it asks for.
  await look().catch(async (error) => {
    await database.close();
    throw error;
  });
  const closing = new AbortController();
  void (async () => {
    while (await sleep(every(), true, { ref: false, signal: closing.signal }).catch(() => false))
      await look().catch(() => {});
  })();
  return {
    ...database,
    shardOf: shards.of,
    close: async () => {
      // Its look is not waited for: it may be behind what takes long.
      closing.abort();
      await database.close();
    },
  };
};

/**
 * Connects for a command, which may take as long as it needs.
 *
 * @throws StartError when the server cannot be reached, or the service has not made its tables there
 */
export const openExistingPostgres = (databaseUrl: string): Promise<Database> => usable(connectExisting(databaseUrl));

/** The same; what the server says, and what becomes of a connection, is thrown as it is. */
export const connectExisting = async (databaseUrl: string): Promise<Database> => {
  const database = connectAlone(databaseUrl);
  try {
    await requireTables(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
};

/**
 * The same to one that is empty, in which the tables of these versions are made.
 *
 * @throws StartError when it holds something
 */
export const openEmptyPostgres = (databaseUrl: string, versions: readonly string[]): Promise<Database> =>
  usable(connectEmpty(databaseUrl, versions));

/** The same; what the server says, and what becomes of a connection, is thrown as it is. */
export const connectEmpty = async (databaseUrl: string, versions: readonly string[]): Promise<Database> => {
  await prepareAt(addressesOf(databaseUrl), openAlone, (database) => makeEmpty(database, versions));
  return connectAlone(databaseUrl);
};

/** The same to one whose tables may be of an older version, as no service of this build may start on it yet. */
export const connectOlder = async (databaseUrl: string): Promise<Database> => {
  const database = connectAlone(databaseUrl);
  try {
    await requireKnownTables(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
};

/** Brings the tables up to date, at the coordinator of a cluster. @param tell hears what is done */
export const migratePostgres = (databaseUrl: string, tell: Tell): Promise<void> =>
  usable(prepareAt(addressesOf(databaseUrl), openAlone, (database) => migrate(database, tell)));

/** For what does not look at the tables. */
export const connectAlone = (databaseUrl: string): Database => ({
  ...over(openAddresses(addressesOf(databaseUrl), { max: 1 })),
  copying: copyOver(databaseUrl),
});

/** The tables of a large database take longer to change than a request may. One connection holds the lock, one changes them. */
const openAlone = (url: string): Alone => {
  const addresses = openAddresses([url], { max: 2 });
  return { ...over(addresses), use: addresses.use };
};

const usable = <T>(opening: Promise<T>): Promise<T> =>
  opening.catch((error) => {
    if (error instanceof StartError) throw error;
    // An AggregateError of several addresses has an empty message.
    const reason = (error as Error).message || String((error as { code?: string }).code);
    throw new StartError(`cannot use the database of DATABASE_URL (${reason}): ${adviceOn(reason)}`);
  });

const adviceOn = (reason: string): string => {
  const [, table] = /permission denied for table (\w+)/.exec(reason) ?? [];
  if (table !== undefined) return `GRANT SELECT ON ${table} to its role, which a role that only reads needs`;
  return /unsupported startup parameter/.test(reason)
    ? "give PgBouncer ignore_startup_parameters = statement_timeout, lock_timeout, idle_in_transaction_session_timeout"
    : "check that it runs and that the URL is right";
};
