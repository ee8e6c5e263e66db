import type { Query } from "../database/database.js";
import { readClock, readState } from "../database/service-state.js";
import { archiveRuns } from "../records/archives.js";
import { PUT_RIGHT_AT } from "../records/restored.js";

/** How long ago things were done that nobody misses before they are needed; in seconds, by the clock of the database. */
export interface Upkeep {
  /** Since the database was made; what is restored or moved has the age that it had. */
  database: number;
  /** Since the last `backup` has ended, or the first was asked for and none has; absent where none ever was. */
  backup: number | undefined;
  /** Dumps that had to go before their time in that one. */
  dropped: number | undefined;
  /** Since a backup has found no dump of those before in its folder. */
  anew: number | undefined;
  /** Since the last trial of a dump that went well, and since the last that failed. */
  drill: number | undefined;
  failedDrill: number | undefined;
  /** Since a clock of the database was found to have been ahead; absent where none was. */
  clock: number | undefined;
  archives: { workspace: string; seconds: number }[];
}

export const readUpkeep = async (query: Query): Promise<Upkeep> => {
  const now = await readClock(query);
  const age = (at: number) => Math.max(0, now - at) / 1_000;
  const state = await readState(query);
  const { backup_asked, backup_done = backup_asked, backup_dropped, backup_anew, drill_done, drill_failed } = state;
  // That of the first start is never deleted.
  const [row] = await query<{ made: unknown }>("SELECT min(created_at) AS made FROM workspaces");
  return {
    database: age(Number(row!.made ?? now)),
    backup: backup_done && age(backup_done),
    dropped: backup_dropped,
    clock: state[PUT_RIGHT_AT] && age(state[PUT_RIGHT_AT]),
    anew: backup_anew && age(backup_anew),
    drill: drill_done && age(drill_done),
    failedDrill: drill_failed && age(drill_failed),
    archives: [...archiveRuns(state)].map(([workspace, at]) => ({ workspace, seconds: age(at) })),
  };
};
