import type { Query } from "../../../database/database.js";
import { hourOf } from "../../../records/stale-hours.js";
import { ACTIVE_TABLES, type ActiveTable, ALL_KINDS, addCounts, type Count, type Kind } from "../keys.js";

/* The row of the hour that is counted anew: how far that has come, and what gets into the sums meanwhile. */

/** How far it has come. */
export interface Place {
  part: "by id" | "imported" | ActiveTable | "end";
  /** Epoch milliseconds. */
  at: number;
  id: string;
}

export interface Renewal extends Place {
  workspace: string;
  hour: number;
  /** Was something deleted there? */
  deleted: boolean;
  /** Events before this id are counted here, the others by whoever adds them to the sums. */
  until: string;
}

export const readRenewal = async (query: Query, workspace: string): Promise<Renewal | undefined> => {
  const [row] = await query<Record<string, unknown>>("SELECT * FROM sums_renewed WHERE workspace = $1", [workspace]);
  return row && ({ ...row, hour: Number(row.hour), at: Number(row.at) } as Renewal);
};

/** What is counted of it: who was active stays so where nothing was deleted. */
export const kindsOf = ({ deleted }: Renewal): Count["kind"][] => [...ALL_KINDS, ...(deleted ? ACTIVE_TABLES : [])];

/** Adds what gets into the sums to what is counted anew, of the same hour. */
export const createFeed = async (query: Query, workspace: string) => {
  const renewal = await readRenewal(query, workspace);
  return {
    /** The hour that is counted anew, if any. */
    hour: renewal?.hour,
    /** Is it counted, too, who was active in it? */
    hasActive: renewal?.deleted ?? false,
    add: async (counts: readonly Count[]): Promise<void> => {
      if (renewal === undefined || !kindsOf(renewal).includes(counts[0]?.kind as Kind)) return;
      const own = counts.filter(({ quarter }) => hourOf(quarter) === renewal.hour);
      await addCounts(query, workspace, own, "sums_anew");
    },
  };
};
