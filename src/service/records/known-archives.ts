import { randomUUID } from "node:crypto";
import type { Query } from "../database/database.js";
import { idAt } from "../database/event-id.js";
import { keyNamed, readClock, readState, type State, writeState } from "../database/service-state.js";

/*
 * An archive keeps events outside the database. What is known of it here is where it is, and that what was stored before a time is in its files:
 * notices of what it has not seen yet must stay, and who is erased must be told of it.
 */

/** The id of a database, by which an archive knows it, and which it keeps when it is restored or moved. The first call makes it. */
export const idOfDatabase = (query: Query): Promise<string> => keyNamed(query, "database", randomUUID());

/** In front of the workspace and the place: up to when all that was stored is in the files; and when a run ended. In epoch milliseconds. */
const [UNTIL, RUN] = ["archive ", "archived "];

/** Says that all that was stored in a workspace before a time is in the files of an archive. */
export const knowArchive = (query: Query, workspace: string, place: string, until: number): Promise<void> =>
  writeState(query, { [`${UNTIL}${workspace} ${place}`]: until });

/** Says that a run has ended: all that was to be in an archive is in it. */
export const noteArchiveRun = async (query: Query, workspace: string, place: string): Promise<void> =>
  writeState(query, { [`${RUN}${workspace} ${place}`]: await readClock(query) });

/** When the archives of each workspace were run last, in epoch milliseconds: of several the one that is longest ago. */
export const archiveRuns = (state: State): Map<string, number> => {
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
  const names = [UNTIL, RUN].map((kind) => `${kind}${workspace} ${place ?? ""}`);
  const gone = await query(`DELETE FROM service_state WHERE ${which} RETURNING name`, names);
  return gone.length > 0;
};

/** The archives of a workspace: where each is, and up to when it has all. */
const archivesOf = async (query: Query, workspace: string): Promise<[place: string, until: number][]> => {
  const begin = `${UNTIL}${workspace} `;
  const all = Object.entries(await readState(query)).filter(([name]) => name.startsWith(begin));
  return all.sort().map(([name, until]) => [name.slice(begin.length), until!]);
};

export const placesOfArchives = async (query: Query, workspace: string): Promise<string[]> =>
  (await archivesOf(query, workspace)).map(([place]) => place);

/** Behind which id an archive may still ask for notices; nothing where there is no archive. */
export const neededByArchives = async (query: Query, workspace: string): Promise<string | undefined> => {
  const times = (await archivesOf(query, workspace)).map(([, until]) => until);
  return times.length === 0 ? undefined : idAt(Math.min(...times));
};
