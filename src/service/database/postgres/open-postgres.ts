import { StartError } from "../../base/start-error.js";
import { againAndAgain } from "../../base/times.js";
import { addressesOf } from "../../config/options.js";
import type { Database, Query } from "../database.js";
import { askNode } from "../event-id.js";
import {
  type Alone,
  makeEmpty,
  migrate,
  NO_TABLES,
  prepare,
  requireTables,
  SERVICE,
  type Tell,
} from "../migrations.js";
import { copyingAt, databaseAt, openAddresses } from "./addresses.js";
import { createShards, spreadNew } from "./spread.js";

/** What an address is good for at the start. */
type Role = "maker" | "worker" | "standby";

const askRole = async ({ query }: Alone): Promise<Role> => {
  const [asked] = await query<{ standby: boolean }>("SELECT pg_is_in_recovery() AS standby");
  if (asked!.standby) return "standby";
  return ((await askNode(query)) ?? 0) === 0 ? "maker" : "worker";
};

type Make = (database: Alone) => Promise<void>;

/**
 * Makes and fills the tables at the first address that may do so: in a cluster at its coordinator, for what another node makes
 * is on that node alone. Where only others answer, the tables must be there.
 *
 * @throws StartError when they are not
 */
const prepareAt = async (urls: readonly string[], open: (url: string) => Alone, make: Make): Promise<void> => {
  const others: Partial<Record<Role, string>> = {};
  const failures: unknown[] = [];
  const at = async <T>(url: string, work: (database: Alone) => Promise<T>): Promise<T> => {
    const database = open(url);
    return work(database).finally(() => database.close());
  };
  for (const url of urls) {
    const role = await at(url, askRole).catch((error) => void failures.push(error));
    if (role === "maker") return at(url, (database) => make(database).then(() => spreadNew(database)));
    if (role !== undefined) others[role] ??= url;
  }
  const { worker, standby } = others;
  if (worker !== undefined) return at(worker, requireTables).catch(nameCoordinator);
  if (failures.length > 0) throw failures[0];
  return at(standby!, make);
};

const nameCoordinator = (error: unknown): never => {
  if (!(error instanceof StartError)) throw error;
  const text = error.message === NO_TABLES ? "the database has no tables of the service" : error.message.split(":")[0];
  throw new StartError(
    `${text}, and no address of DATABASE_URL that answers is the coordinator of its cluster, which makes them: name the coordinator among them`,
  );
};

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
 * What whoever opens a database needs of it. A service: its tables, made where they are missing. A command, which may take as long as it
 * needs, and makes none: the tables of this build, the same brought up to date first, nothing at all, or a database that is
 * empty but for the tables of some versions, which are made.
 */
export type Needs = "service" | "tables" | "newest tables" | "nothing" | { empty: readonly string[] };

/**
 * Connects to a PostgreSQL server or anything that speaks its protocol. Any number of service processes may share it.
 *
 * @throws StartError when it cannot be reached, or is not what is needed
 */
export const openGiven = (databaseUrl: string, needs: Needs, tell: Tell): Promise<Database> =>
  usable(connect(databaseUrl, needs, tell));

/** The same; what the server says, and what becomes of a connection, is thrown as it is. */
export const connect = async (databaseUrl: string, needs: Needs, tell: Tell): Promise<Database> => {
  const urls = addressesOf(databaseUrl);
  if (needs === "service") return connectService(urls);
  if (needs === "newest tables") await prepareAt(urls, openAlone, (database) => migrate(database, tell));
  if (typeof needs === "object") await prepareAt(urls, openAlone, (database) => makeEmpty(database, needs.empty));
  const database = { ...databaseAt(openAddresses(urls, { max: 1 })), copying: copyingAt(databaseUrl) };
  if (needs === "tables")
    await requireTables(database).catch(async (error) => {
      await database.close();
      throw error;
    });
  return database;
};

export const answers = async (url: string): Promise<boolean> => {
  const { query, close } = databaseAt(openAddresses([url], { max: 1 }));
  return query("SELECT 1")
    .then(
      () => true,
      () => false,
    )
    .finally(close);
};

/** Does a service run on a database? By the name of its connections, of which it has one at least. */
export const isServed = async (query: Query): Promise<boolean> =>
  (
    await query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 LIMIT 1", [
      SERVICE,
    ])
  ).length > 0;

const connectService = async (urls: readonly string[]): Promise<Database> => {
  await prepareAt(urls, openAlone, prepare);
  const addresses = openAddresses(urls, {
    application_name: SERVICE,
    max: MAX_CONNECTIONS,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
  });
  const database = databaseAt(addresses);
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
  const stop = againAndAgain(look, every);
  return {
    ...database,
    shardOf: shards.of,
    close: async () => {
      // Its look is not waited for: it may be behind what takes long.
      void stop();
      await database.close();
    },
  };
};

/** The tables of a large database take longer to change than a request may. One connection holds the lock, one changes them. */
const openAlone = (url: string): Alone => {
  const addresses = openAddresses([url], { max: 2 });
  return { ...databaseAt(addresses), use: addresses.use };
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
