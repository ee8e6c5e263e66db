import type { ServiceConfig } from "./config.js";
import type { Database } from "./database.js";

type Where = Pick<ServiceConfig, "databaseUrl" | "dataFolder" | "seed">;

/** Opens the database that the configuration names; of the two drivers only that one is loaded. */
export const openDatabase = async ({ databaseUrl, dataFolder, seed }: Where): Promise<Database> => {
  if (databaseUrl !== undefined) return (await import("./postgres.js")).openPostgres(databaseUrl, seed);
  return (await import("./pglite.js")).openPglite(dataFolder, seed);
};

/** Opens it for a command, which may take long, and only where the service has made it: nothing is created here. */
export const openExisting = async ({ databaseUrl, dataFolder }: Where): Promise<Database> => {
  if (databaseUrl !== undefined) return (await import("./postgres.js")).openExistingPostgres(databaseUrl);
  return (await import("./pglite.js")).openExistingPglite(dataFolder);
};
