import { randomUUID } from "node:crypto";
import type { Query } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import { readClock, writeState } from "../database/service-state.js";

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

/** In front of the workspace and the place; the value is when a run ended, in epoch milliseconds. */
const RUN = "archived ";

/** Says that a run has ended: all that was to be in an archive is in it. */
export const noteArchiveRun = async (query: Query, workspace: string, place: string): Promise<void> =>
  writeState(query, { [`${RUN}${workspace} ${place}`]: await readClock(query) });

/** When the archives of each workspace were run last, in epoch milliseconds: of several the one that is longest ago. */
export const archiveRuns = (state: Partial<Record<string, number>>): Map<string, number> => {
  const runs = new Map<string, number>();
  for (const [name, at] of Object.entries(state)) {
    const workspace = name.startsWith(RUN) && name.split(" ")[1];
    if (workspace) runs.set(workspace, Math.min(at!, runs.get(workspace) ?? at!));
  }
  return runs;
};

/** Resolves to whether there was any. @param place Default: all of the workspace */
export const forgetArchives = async (query: Query, workspace: string, place?: string): Promise<boolean> => {
  const which = place === undefined ? "starts_with(name, $1) OR starts_with(name, $2)" : "name IN ($1, $2)";
  const names = [NAME, RUN].map((kind) => `${kind}${workspace} ${place ?? ""}`);
  const gone = await query(`DELETE FROM service_state WHERE ${which} RETURNING name`, names);
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
