import type { ServiceConfig } from "../config/service-config.js";
import { type Database, type Query, readOnly } from "./database.js";
import {
  migrateEmbedded,
  openEmbedded,
  openEmptyEmbedded,
  openExistingEmbedded,
  openMovedEmbedded,
} from "./embedded/embedded.js";
import {
  connectAlone,
  migratePostgres,
  openEmptyPostgres,
  openExistingPostgres,
  openPostgres,
} from "./postgres/postgres.js";

export type Where = Pick<ServiceConfig, "databaseUrl" | "dataFolder">;

/**
 * Opens the database that the configuration names: the given PostgreSQL, or one of its own in the data folder.
 *
 * @param tell hears what happens to a server of its own
 */
export const openDatabase = (
  { databaseUrl, dataFolder, demo }: Where & Partial<Pick<ServiceConfig, "demo">>,
  tell?: (text: string) => void,
): Promise<Database> =>
  databaseUrl === undefined
    ? openEmbedded(dataFolder, { isDemo: demo === "on", ...(tell && { tell }) })
    : openPostgres(databaseUrl);

/** Opens it for a command, which may take long, and only where the service has made it: nothing is created here. */
export const openExisting = ({ databaseUrl, dataFolder }: Where): Promise<Database> =>
  databaseUrl === undefined ? openExistingEmbedded(dataFolder) : openExistingPostgres(databaseUrl);

/** Opens one that is empty, with the tables of these versions. @throws StartError when it holds something */
export const openEmpty = (
  { databaseUrl, dataFolder }: Where,
  versions: readonly string[],
  tell?: (text: string) => void,
): Promise<Database> =>
  databaseUrl === undefined ? openEmptyEmbedded(dataFolder, versions, tell) : openEmptyPostgres(databaseUrl, versions);

/** Opens one whose data has gone to another one, and on which no service starts. */
export const openMoved = async ({ databaseUrl, dataFolder }: Where): Promise<Database> =>
  databaseUrl === undefined ? openMovedEmbedded(dataFolder) : connectAlone(databaseUrl);

/** Brings its tables up to date, while the service runs, too. @param tell hears what is done */
export const migrateDatabase = ({ databaseUrl, dataFolder }: Where, tell: (text: string) => void): Promise<void> =>
  databaseUrl === undefined ? migrateEmbedded(dataFolder, tell) : migratePostgres(databaseUrl, tell);

/** What a reading command needs. */
export interface Reading extends Pick<Database, "query" | "folder" | "close"> {
  /** Writes what was read, by whom: the rest only reads. */
  note: Query;
}

/** Opens it for a command that only reads. @param limitMs ends a statement that takes longer. Default: none */
export const openForReading = async (where: Where, limitMs?: number): Promise<Reading> => {
  const database = await openExisting(where);
  return { ...database, query: readOnly(database, limitMs), note: database.query };
};
