import type { Query } from "../database/database.js";

/*
 * What is missing, for the command `loss`, as the question `losses` tells it of the latest events. A document numbers its events from 1 (`stamp: true`): what its
 * highest number is above their count is missing. Anybody can send numbers: a document where one is below 1, or of two events, or
 * far above all others, is set aside. Numbers that could be a page's spoil the figure.
 */

/**
 * Events that a document may miss beside ten times those that are there: what is lost at a bound of the queue leaves a full queue
 * behind it, and that arrives.
 */
const MAX_MISSING = 1_000;

const SUMS = `coalesce(sum(1 - aside), 0) AS documents, coalesce(sum((1 - aside) * events), 0) AS events,
  coalesce(sum((1 - aside) * (highest - events)), 0) AS missing, coalesce(sum(aside), 0) AS aside`;

/** Of documents: how many, their events, those that are missing, and how many documents are set aside besides. */
type Missing = Record<"documents" | "events" | "missing" | "aside", number>;

const toMissing = ({ documents, events, missing, aside }: Record<string, unknown>): Missing => ({
  ...{ documents: Number(documents), events: Number(events) },
  ...{ missing: Number(missing), aside: Number(aside) },
});

export interface Since {
  workspace: string;
  /** Documents that began from then on; epoch milliseconds. */
  since?: number | undefined;
  /** Documents that began before; epoch milliseconds. */
  until?: number | undefined;
}

/** By the day on which a document began. All events are read, because it may have begun long before the others. */
export const missingByDay = async (
  query: Query,
  { workspace, since = 0, until = Number.MAX_SAFE_INTEGER }: Since,
): Promise<(Missing & { day: string })[]> => {
  const rows = await query<Record<string, unknown>>(
    `SELECT day::text AS day, ${SUMS}
     FROM (SELECT min(at) AS began, min(day) AS day, count(DISTINCT stamp) AS events, max(number) AS highest,
                  CASE WHEN min(number) < 1 OR count(DISTINCT number) < count(DISTINCT stamp)
                         OR max(number) > ${MAX_MISSING} + 11 * count(DISTINCT stamp) THEN 1 ELSE 0 END AS aside
           FROM counted_events WHERE workspace = $1 AND source IS NOT NULL GROUP BY source) AS documents
     WHERE began >= $2 AND began < $3 GROUP BY 1 ORDER BY 1`,
    [workspace, since, until],
  );
  return rows.map((row) => ({ day: String(row.day), ...toMissing(row) }));
};
