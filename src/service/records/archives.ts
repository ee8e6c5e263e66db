import { randomUUID } from "node:crypto";
import type { Query } from "../database/database.js";
import { idAt } from "../database/event-id.js";

/*
 * An archive keeps events outside the database. What is known of it here is where it is, and that what was stored before a time is in its files:
 * notices of what it has not seen yet must stay, and who is erased must be told of it.
 */

/** In `service_keys`. */
const DATABASE = "database";

/** The id of a database, by which an archive knows it, and which it keeps when it is restored or moved. The first call makes it. */
export const idOfDatabase = async (query: Query): Promise<string> => {
  const values = [DATABASE, randomUUID()];
  await query("INSERT INTO service_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", values);
  return (await query<{ value: string }>("SELECT value FROM service_keys WHERE name = $1", [DATABASE]))[0]!.value;
};

/** In front of the workspace and the place; the value is a time, in epoch milliseconds. */
const NAME = "archive ";

const nameOf = (workspace: string, place = ""): string => `${NAME}${workspace} ${place}`;

/** Says that all that was stored in a workspace before a time is in the files of an archive. */
export const knowArchive = async (query: Query, workspace: string, place: string, until: number): Promise<void> => {
  await query(
    "INSERT INTO service_state (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    [nameOf(workspace, place), until],
  );
};

/** Resolves to whether there was any. @param place Default: all of the workspace */
export const forgetArchives = async (query: Query, workspace: string, place?: string): Promise<boolean> => {
  const which = place === undefined ? "starts_with(name, $1)" : "name = $1";
  const gone = await query(`DELETE FROM service_state WHERE ${which} RETURNING name`, [nameOf(workspace, place)]);
  return gone.length > 0;
};

const readArchives = (query: Query, workspace: string) =>
  query<{ name: string; value: unknown }>(
    "SELECT name, value FROM service_state WHERE starts_with(name, $1) ORDER BY name",
    [nameOf(workspace)],
  );

/** Where the archives of a workspace are. */
export const placesOfArchives = async (query: Query, workspace: string): Promise<string[]> =>
  (await readArchives(query, workspace)).map(({ name }) => name.slice(nameOf(workspace).length));

/** Behind which id an archive may still ask for notices; nothing where there is no archive. */
export const neededByArchives = async (query: Query, workspace: string): Promise<string | undefined> => {
  const times = (await readArchives(query, workspace)).map(({ value }) => Number(value));
  return times.length === 0 ? undefined : idAt(Math.min(...times));
};
