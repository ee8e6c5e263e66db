import type { ServiceConfig } from "./config.js";
import type { Database } from "./database.js";
import { openPglite } from "./pglite.js";
import { openPostgres } from "./postgres.js";

/** Opens the database that the configuration names. */
export const openDatabase = (config: Pick<ServiceConfig, "databaseUrl" | "dataFolder" | "seed">): Promise<Database> =>
  config.databaseUrl === undefined
    ? openPglite(config.dataFolder, config.seed)
    : openPostgres(config.databaseUrl, config.seed);
