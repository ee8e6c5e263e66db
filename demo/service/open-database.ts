import type { ServiceConfig } from "./config.js";
import type { Database } from "./database.js";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";

/** Opens the database that the configuration names. */
export const openDatabase = (config: Pick<ServiceConfig, "databaseUrl" | "dataFolder">): Promise<Database> =>
  config.databaseUrl === undefined ? openPglite(config.dataFolder) : openPostgres(config.databaseUrl);
