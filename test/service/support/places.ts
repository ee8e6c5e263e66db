import { rm } from "node:fs/promises";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { addressesOf } from "../../../src/service/config/options.js";
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
export const openServer = async (): Promise<{ url: string; leave(): Promise<void> }> => {
  if (GIVEN !== undefined) return { url: GIVEN, leave: () => empty(GIVEN) };
  const { startPostgres } = await import("./postgres-server.js");
  const { url, stop } = await startPostgres();
  return { url, leave: stop };
};

const TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = 'public'";

/** Works at the first address of a database: that of the coordinator, where it is a cluster. */
const over = async (url: string, work: (client: pg.Client) => Promise<void>): Promise<void> => {
  const client = new pg.Client(addressesOf(url)[0]);
  await client.connect();
  await work(client).finally(() => client.end());
};

/** Takes out what tests have made: the schema itself may hold an extension. */
const empty = (url: string) =>
  over(url, async (client) => {
    await client.query(`DROP SCHEMA IF EXISTS skewed CASCADE;
      DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET search_path', current_database()); END $$`);
    for (const { tablename } of (await client.query(TABLES)).rows) await client.query(`DROP TABLE public.${tablename}`);
  });

/** Before all tests. @throws Error where the database that is given holds something */
export const setup = async ({ provide }: TestProject): Promise<void> => {
  provide("isSpread", false);
  if (GIVEN === undefined) return;
  await over(GIVEN, async (client) => {
    if ((await client.query(TABLES)).rows.length > 0)
      throw new Error("the database of DATABASE_URL must be empty: what the tests leave in it is deleted");
    const { rows } = await client.query("SELECT 1 AS found FROM pg_extension WHERE extname = 'citus'");
    provide("isSpread", rows.length > 0);
  });
};

declare module "vitest" {
  interface ProvidedContext {
    /** Has the database that is given the extension Citus? */
    isSpread: boolean;
  }
}
