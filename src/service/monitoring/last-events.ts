import { decodeText, encodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import { readState } from "../database/service-state.js";
import { archiveRuns } from "../records/known-archives.js";
import { PUT_RIGHT_AT } from "../records/lost-places.js";
import { ofName } from "../records/read-rows.js";

/** Newest events of a workspace, and of each name that is watched, that are looked at when the service begins. */
const NEWEST = 1_000;

/** Names that are remembered, and characters of each. Beyond, one that is not among them is new each time: so a flood of names is seen to its end. */
const [NAMES, NAME_LENGTH] = [10_000, 64];

/** How long ago the last event came; `event_uid` is empty for all names together. */
interface Age {
  workspace: string;
  event_uid: string;
  seconds: number;
}

/**
 * When events came last, by workspace and by name, as this process has seen it.
 *
 * @param watched the names that are told each by itself: the operator lists them, for who has the public token may send any name
 * @param newName is called for each name that comes for the first time, as far as is remembered
 */
export const createEventAges = (watched: readonly string[], newName: () => void = () => {}) => {
  const workspaces = new Map<string, Map<string, number>>();
  const names = new Set<string>();

  const isNew = (workspace: string, name: string): boolean => {
    const key = `${workspace}/${name.slice(0, NAME_LENGTH)}`;
    if (names.has(key)) return false;
    if (names.size < NAMES) names.add(key);
    return true;
  };
  const seen = (workspace: string, name: string, at?: number): void => {
    if (isNew(workspace, name) && at === undefined) newName();
    tell(workspace, name, at ?? Date.now());
  };
  const tell = (workspace: string, name: string, at: number): void => {
    const last = workspaces.get(workspace) ?? new Map<string, number>();
    workspaces.set(workspace, last);
    for (const key of watched.includes(name) ? ["", name] : [""]) last.set(key, Math.max(last.get(key) ?? at, at));
  };
  return {
    seen,
    /** Learns from the database what came before this process began; what was imported has come elsewhere. */
    load: async (query: Query, names: readonly string[]): Promise<void> => {
      const newest = (which: string, ...values: string[]) =>
        query<{ event_uid: string; received_at: number }>(
          `SELECT event_uid, received_at FROM (
             SELECT event_uid, received_at, origin_id FROM events WHERE workspace = $1 ${which} ORDER BY id DESC LIMIT ${NEWEST}
           ) AS newest WHERE origin_id IS NULL`,
          values,
        );
      for (const workspace of names) {
        const rows = [await newest("", workspace)];
        // Page views have no index by name, and are seldom rare.
        for (const name of watched.filter((one) => one !== "pageview"))
          rows.push(await newest(`AND ${ofName("$2")}`, workspace, encodeText(name)));
        for (const { event_uid, received_at } of rows.flat()) seen(workspace, decodeText(event_uid), received_at);
      }
    },
    list: (now = Date.now()): Age[] =>
      [...workspaces].flatMap(([workspace, last]) =>
        [...last].map(([event_uid, at]) => ({ workspace, event_uid, seconds: Math.max(0, now - at) / 1_000 })),
      ),
  };
};

export type Upkeep = Awaited<ReturnType<typeof readUpkeep>>;

/** How long ago things were done that nobody misses before they are needed; in seconds, by the clock of the database, and nothing where they never were. */
export const readUpkeep = async (query: Query) => {
  const state = await readState(query);
  const { now } = state;
  const age = (at: number) => Math.max(0, now - at) / 1_000;
  const { backup_asked, backup_done = backup_asked, backup_dropped, backup_anew, drill_done, drill_failed } = state;
  // That of the first start is never deleted.
  const [row] = await query<{ made: number | null }>("SELECT min(created_at) AS made FROM workspaces");
  return {
    /** Since the database was made; what is restored or moved has the age that it had. */
    database: age(row!.made ?? now),
    /** Since the last `backup` has ended, or the first was asked for and none has. */
    backup: backup_done && age(backup_done),
    /** Dumps that had to go before their time in that one. */
    dropped: backup_dropped,
    /** Since a clock of the database was found to have been ahead. */
    clock: state[PUT_RIGHT_AT] && age(state[PUT_RIGHT_AT]),
    /** Since a backup has found no dump of those before in its folder. */
    anew: backup_anew && age(backup_anew),
    /** Since the last trial of a dump that went well, and since the last that failed. */
    drill: drill_done && age(drill_done),
    failedDrill: drill_failed && age(drill_failed),
    archives: [...archiveRuns(state)].map(([workspace, at]) => ({ workspace, seconds: age(at) })),
  };
};
