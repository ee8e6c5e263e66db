import { type ServiceConfig, tellDatabase } from "../config/options.js";
import type { Database } from "./database.js";
import { openEmbedded } from "./embedded/open-embedded.js";
import { isServed, type Needs, openGiven } from "./postgres/open-postgres.js";

export type Where = Pick<ServiceConfig, "databaseUrl" | "dataFolder">;

/**
 * Opens the database that the configuration names: the given PostgreSQL, or one of its own in the data folder. A command is told which
 * one it is where no service runs on it: it may not be the one that is meant.
 *
 * @param tell hears that, and what happens to a server of its own
 * @throws StartError when it cannot be used, or is not what is needed
 */
export const openDatabase = async (
  where: Where,
  needs: Needs = "service",
  tell: (text: string) => void = () => {},
): Promise<Database> => {
  const { databaseUrl, dataFolder } = where;
  const database = await (databaseUrl === undefined
    ? openEmbedded(dataFolder, needs, tell)
    : openGiven(databaseUrl, needs, tell));
  if (needs !== "service" && !(await isServed(database.query)))
    tell(`works on ${tellDatabase(where)}, where no service runs`);
  return database;
};
