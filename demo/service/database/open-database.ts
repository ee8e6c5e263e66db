import type { ServiceConfig } from "../config/options.js";
import type { Database, Query } from "./database.js";
import { readOnly } from "./database.js";
import type { Fill } from "./migrate.js";
import { readThroughService } from "./pglite/readers.js";

type Where = Pick<ServiceConfig, "databaseUrl" | "dataFolder">;

/**
 * Opens the database that the configuration names; of the two drivers only that one is loaded.
 *
 * @param fill what a new one begins with
 */
export const openDatabase = async ({ databaseUrl, dataFolder }: Where, fill?: Fill): Promise<Database> => {
  if (databaseUrl !== undefined) return (await import("./postgres/postgres.js")).openPostgres(databaseUrl, fill);
  return (await import("./pglite/pglite.js")).openPglite(dataFolder, fill);
};

/** Opens it for a command, which may take long, and only where the service has made it: nothing is created here. */
export const openExisting = async ({ databaseUrl, dataFolder }: Where): Promise<Database> => {
  if (databaseUrl !== undefined) return (await import("./postgres/postgres.js")).openExistingPostgres(databaseUrl);
  return (await import("./pglite/pglite.js")).openExistingPglite(dataFolder);
};

/** What a reading command needs. */
export interface Reading {
  query: Query;
  close(): Promise<void>;
}

/** Opens it for a command that only reads: through the running service where that has the embedded database. */
export const openForReading = async (where: Where): Promise<Reading> => {
  if (where.databaseUrl === undefined) {
    const query = await readThroughService(where.dataFolder);
    if (query !== undefined) return { query, close: async () => {} };
  }
  const database = await openExisting(where);
  return { query: readOnly(database), close: database.close };
};
