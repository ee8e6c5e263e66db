import { listWorkspaces } from "../../access/token-store.js";
import { StartError } from "../../base/start-error.js";
import type { Database } from "../../database/database.js";
import { timeOf } from "../../database/event-id.js";
import { noteDeed } from "../../deletion/audit.js";
import { deleteBareRecords, deleteEventsBefore, forgetTraces, PARTS } from "../../deletion/retention.js";
import { compareArchive } from "./compare-archive.js";
import { openFolder } from "./folder-store.js";

export interface Wanted {
  place: string;
  /** Epoch milliseconds; what was received before is deleted. */
  before: number;
  say(line: string): void;
}

/**
 * Deletes events that are old and in files of an archive, once these are as they should be; then what goes with them where retention does it.
 *
 * @throws StartError where a file is not as it should be, or there is no archive
 */
export const deleteArchived = async (database: Database, { place, before, say }: Wanted): Promise<void> => {
  const { query } = database;
  const store = openFolder(place);
  try {
    const workspaces = await listWorkspaces(query);
    let found = 0;
    for (const workspace of workspaces) {
      const compared = await compareArchive(query, workspace, store, before);
      if (compared === undefined) continue;
      found += 1;
      const [wrong] = compared.wrong;
      if (wrong !== undefined) throw new StartError(`nothing of ${workspace} is deleted: ${store.place}/${wrong}`);
      const deleted = await deleteEventsBefore(database, workspace, before, timeOf(compared.manifest.place));
      const what = `deleted events that are in the archive ${store.place}`;
      await noteDeed(query, { workspace, what, events: deleted });
      say(`${workspace}: deleted ${deleted} events, which are in ${store.place}`);
    }
    if (found === 0) throw new StartError(`nothing is deleted: there is no archive in ${store.place}`);
    // What belongs to no workspace alone goes where all of them are kept so.
    if (found < workspaces.length) return;
    await forgetTraces(query, before);
    for (let part = 0; part < PARTS; part += 1) await deleteBareRecords(database, before, part);
  } finally {
    await store.close();
  }
};
