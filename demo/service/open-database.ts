import type { ServiceConfig } from "./config.js";
import type { Database } from "./database.js";

/** Opens the database that the configuration names; of the two drivers only that one is loaded. */
export const openDatabase = async ({
  databaseUrl,
  dataFolder,
  seed,
}: Pick<ServiceConfig, "databaseUrl" | "dataFolder" | "seed">): Promise<Database> => {
  if (databaseUrl !== undefined) return (await import("./postgres.js")).openPostgres(databaseUrl, seed);
  return (await import("./pglite.js")).openPglite(dataFolder, seed);
};
