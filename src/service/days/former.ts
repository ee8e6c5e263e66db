import type { Database } from "../database/database.js";
import { hold, markAll } from "./place.js";

/** The tables of sums by quarters of an hour, which the build before makes and this one does not: what a step of each is, a day or a week. */
const FORMER = {
  sums: "quarter < $2::bigint + 86400000",
  sums_anew: "quarter < $2::bigint + 86400000",
  sums_stale: "hour < $2::bigint + 86400000",
  sums_renewed: "hour = $2",
  active_contacts: "day = $2",
  active_accounts: "day = $2",
  active_weeks: "week = $2",
} as const;

/** The workspaces that the build before has counted. */
export const FORMERLY = "SELECT workspace FROM sums_followed";

/**
 * Deletes some rows that the build before has made: unwritten they would keep everybody who is erased. At last its place goes, so that it counts
 * anew where it is gone back to; and all days are counted anew, as it subtracts nothing.
 *
 * @returns whether there may be more
 */
export const emptyFormer = (database: Database, workspace: string): Promise<boolean> =>
  database.transaction(async (query) => {
    for (const [table, condition] of Object.entries(FORMER)) {
      const column = condition.split(" ")[0];
      const first = `SELECT min(${column})::text AS at FROM ${table} WHERE workspace = $1`;
      const [{ at }] = (await query<{ at: string | null }>(first, [workspace])) as [{ at: string | null }];
      if (at === null) continue;
      await query(`DELETE FROM ${table} WHERE workspace = $1 AND ${condition}`, [workspace, at]);
      return true;
    }
    const gone = await query("DELETE FROM sums_followed WHERE workspace = $1 RETURNING id", [workspace]);
    if (gone.length > 0) await markAll(query, await hold(query, workspace));
    return false;
  });
