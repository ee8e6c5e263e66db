import { rm } from "node:fs/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { addressesOf } from "../../../src/service/config/options.js";
import type { Database, Query } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { turnOf } from "../../../src/service/days/count-task.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/event-rows.js";
import { exportRows } from "../../../src/service/records/read-rows.js";
import { dataFolder } from "../../support/data-folder.js";

/** Where a database is: the part of the service's configuration that says so. */
export interface Place {
  dataFolder: string;
  databaseUrl: string | undefined;
}

/**
 * A database of one's own that the tests run against, one file after another: an empty one, as which each file leaves it.
 * What is about an embedded folder, or ends the server, is left out then. It may be a cluster of Citus, by the addresses of its nodes.
 */
export const GIVEN = process.env.DATABASE_URL;

/** An empty place: a folder, or the database that is given. */
export const openPlace = async (): Promise<Place & { leave(): Promise<void> }> => {
  if (GIVEN !== undefined) return { dataFolder: "", databaseUrl: GIVEN, leave: () => empty(GIVEN) };
  const folder = await dataFolder();
  const leave = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return { dataFolder: folder, databaseUrl: undefined, leave };
};

/** An empty database at a URL: that which is given, or one of a server of its own. */
export const openServer = async (): Promise<{ dataFolder: ""; databaseUrl: string; leave(): Promise<void> }> => {
  if (GIVEN !== undefined) return { dataFolder: "", databaseUrl: GIVEN, leave: () => empty(GIVEN) };
  const { startPostgres } = await import("./postgres.js");
  const { url, stop } = await startPostgres();
  return { dataFolder: "", databaseUrl: url, leave: stop };
};

const TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";

/** Takes out what tests have made: the schema itself may hold an extension. */
const empty = async (url: string): Promise<void> => {
  const reset = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET search_path', current_database()); END $$";
  const tables = await runAt<{ tablename: string }>(url, "DROP SCHEMA IF EXISTS skewed CASCADE", reset, TABLES);
  await runAt(url, ...tables.map(({ tablename }) => `DROP TABLE public.${tablename}`));
};

/** Before all tests. @throws Error where the database that is given holds something */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  provide("isSpread", false);
  if (GIVEN === undefined) return;
  if ((await runAt(GIVEN, TABLES)).length > 0)
    throw new Error("the database of DATABASE_URL must be empty: what the tests leave in it is deleted");
  const found = await runAt(GIVEN, "SELECT FROM pg_extension WHERE extname = 'citus'");
  provide("isSpread", found.length > 0);
};

declare module "vitest" {
  interface ProvidedContext {
    /** Has the database that is given the extension Citus? */
    isSpread: boolean;
  }
}

/** The addresses of a cluster's nodes, its coordinator first, where the database that is given has several. */
export const CLUSTER = GIVEN !== undefined && addressesOf(GIVEN).length > 1 ? GIVEN : undefined;

/** Runs statements at the first address of a database: that of the coordinator, where it is a cluster. @returns the rows of the last */
export const runAt = async <Row extends pg.QueryResultRow>(url: string, ...statements: string[]): Promise<Row[]> => {
  const client = new pg.Client(addressesOf(url)[0]);
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query<Row>(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
};

const inDatabase = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = name;
  return other.href;
};

/**
 * Makes an empty database on each node of the cluster, and a cluster of these.
 *
 * @param hostOf by which host and port all know a node; the coordinator is the first. Default: as it is given
 */
export const openCluster = async (hostOf = (host: string, _at: number): string => host) => {
  const given = addressesOf(CLUSTER!);
  const name = `tracklet_${process.pid}_${Date.now()}`;
  for (const url of given) {
    await runAt(url, `CREATE DATABASE ${name}`);
    await runAt(inDatabase(url, name), "CREATE EXTENSION citus");
  }
  const hosts = given.map((url, at) => hostOf(new URL(url).host, at));
  const [coordinator, ...workers] = hosts.map((host) => new URL(`x://${host}`));
  const place = ({ hostname, port }: URL) => `'${hostname}', ${port || 5432}`;
  await runAt(
    inDatabase(given[0]!, name),
    `SELECT citus_set_coordinator_host(${place(coordinator!)})`,
    ...workers.map((worker) => `SELECT citus_add_node(${place(worker)})`),
  );
  return {
    /** The hosts of the nodes, the coordinator's first. */
    hosts,
    /** A URL of the database with these hosts. Default: all */
    url: (...some: string[]): string => {
      const [before, behind] = inDatabase(given[0]!, name).split(new URL(given[0]!).host) as [string, string];
      return `${before}${some.length > 0 ? some : hosts}${behind}`;
    },
    leave: async () => {
      for (const url of given) await runAt(url, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
};

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

/** Works on the tables of a place, by connections of its own. */
export const withQuery = async <T>(place: Place, work: (query: Query) => Promise<T>): Promise<T> => {
  const { query, close } = await openDatabase(place, "tables");
  return work(query).finally(close);
};

const namesOf = async (query: Query, sql: string): Promise<string[]> =>
  (await query<{ name: string }>(sql)).map(({ name }) => name);

/** Tables whose rows PostgreSQL has never counted, so that it plans as if they were empty. */
export const neverAnalyzed = async (place: Place): Promise<string[]> => {
  const sql = `SELECT relname AS name FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples < 0 AND relname <> 'schema_migrations'`;
  return withQuery(place, (query) => namesOf(query, sql));
};

/** Every row of every table, as text, by the table's name; not when migrations ran, nor when tasks are due. */
export const everyRow = (place: Place): Promise<Record<string, string[]>> =>
  withQuery(place, async (query) => {
    const tables: Record<string, string[]> = {};
    for (const table of await namesOf(query, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")) {
      const row = table === "schema_migrations" ? "name" : "t::text";
      const rows = await namesOf(query, `SELECT ${row} AS name FROM ${table} AS t`);
      tables[table] = rows.filter((row) => !row.startsWith('("due ')).sort();
    }
    return tables;
  });

let stored = 0;
/**
 * Stores events without an answer, under ids of when they were received.
 *
 * @param idsAt another time that their ids are of
 * @returns the ids, in their order
 */
export const storeEvents = async (
  { write }: Database,
  some: readonly Partial<NewEvent>[],
  idsAt?: number,
): Promise<string[]> => {
  const plain = {
    workspace: "default",
    contactUid: "contact-0",
    eventUid: "seen",
    params: "{}",
    receivedAt: Date.now(),
  };
  const absent = { accountUid: undefined, stamp: undefined, occurredAt: undefined };
  const events = some.map((one) => ({ ...plain, ...absent, ...one }));
  const ids = events.map(({ receivedAt }) =>
    idAt(idsAt ?? receivedAt).replace(/.{12}$/, (stored++).toString(16).padStart(12, "0")),
  );
  await write(insertEvents(ids, events));
  return ids;
};

/** Counts a workspace as the follower does, until there is nothing more to do; all events are settled. */
export const followSums = async (database: Database, workspace = "default", rows?: number): Promise<void> => {
  while (await turnOf(database, workspace, idAt(Date.now() + 1), rows));
};

/** With what comes first in it instead of what is built in. */
const PATH = "search_path = skewed, pg_catalog, public";

const STATEMENTS = [
  "CREATE SCHEMA skewed",
  "CREATE TABLE skewed.clock (behind_ms BIGINT)",
  "INSERT INTO skewed.clock VALUES (0)",
  `CREATE FUNCTION skewed.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
   'SELECT pg_catalog.clock_timestamp() - behind_ms * interval ''1 millisecond'' FROM skewed.clock'`,
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${PATH}', current_database()); END $$`,
];

/** Makes the clock of a database one that can be set, for the connections that are made after it. */
export const makeClock = async (query: Query): Promise<void> => {
  for (const statement of STATEMENTS) await query(statement);
};

/** Sets the clock back by so many milliseconds; forward where they are negative. */
export const setBack = (query: Query, milliseconds: number): Promise<unknown> =>
  query("UPDATE skewed.clock SET behind_ms = $1", [milliseconds]);

/** Every event of the default workspace, by its id, whether it is settled or not. */
export const storedEvents = (place: Place, eventUid?: string) =>
  withQuery(place, async (query) => {
    const events: { event_uid: string; params: Record<string, unknown> }[] = [];
    for await (const { event_uid, params } of exportRows(query, { table: "events", workspace: "default", eventUid }))
      events.push({ event_uid: String(event_uid), params: JSON.parse((params as { json: string }).json) });
    return events;
  });
