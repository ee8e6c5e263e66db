import { DAY_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { timeOf } from "../database/event-id.js";

/*
 * What is missing, for the command `loss` and for the page alike. A document numbers its events from 1 (`stamp: true`): what its
 * highest number is above their count is missing. Anybody can send numbers: a document where one is below 1, or of two events, or
 * far above all others, is set aside. Numbers that could be a page's spoil the figure.
 */

/**
 * Events that a document may miss beside ten times those that are there: what is lost at a bound of the queue leaves a full queue
 * behind it, and that arrives.
 */
const MAX_MISSING = 1_000;
/** Of the latest events, which the page looks at. */
const LATEST = 20_000;

/** @param events what is looked at @param more columns */
const documentsOf = (events: string, ...more: string[]) => `
  SELECT source, min(coalesce(occurred_at, received_at)) AS began, count(DISTINCT stamp) AS events, max(number) AS highest,
         CASE WHEN min(number) < 1 OR count(DISTINCT number) < count(DISTINCT stamp)
                OR max(number) > ${MAX_MISSING} + 11 * count(DISTINCT stamp) THEN 1 ELSE 0 END AS aside
         ${more.map((column) => `, ${column}`).join("")}
  FROM ${events} WHERE source IS NOT NULL GROUP BY source`;

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
    `SELECT floor(began / 86400000.0) AS day, ${SUMS}
     FROM (${documentsOf("(SELECT * FROM events WHERE workspace = $1) AS own")}) AS documents
     WHERE began >= $2 AND began < $3 GROUP BY 1 ORDER BY 1`,
    [workspace, since, until],
  );
  return rows.map((row) => ({
    day: new Date(Number(row.day) * DAY_MS).toISOString().slice(0, 10),
    ...toMissing(row),
  }));
};

/**
 * The same of the documents that began among the latest events, and when the first of these with a stamp was stored: `loss --since`
 * that time says the same. A document whose number 1 is there began there; of the others it is asked whether there is an older event.
 */
export const missingLately = async (
  query: Query,
  workspace: string,
): Promise<Omit<Missing, "aside"> & { since: number | null }> => {
  const more = [
    "min(number) AS lowest",
    "min(id::text) AS first",
    "string_agg(DISTINCT contact_id::text, ',') AS contacts",
  ];
  const latest = `(SELECT * FROM events WHERE workspace = $1 ORDER BY id DESC LIMIT ${LATEST}) AS latest`;
  const rows = await query<Record<string, unknown>>(
    `SELECT CASE WHEN lowest > 1 THEN source END AS open, min(CASE WHEN lowest > 1 THEN contacts END) AS contacts,
            min(first) AS first, ${SUMS}
     FROM (${documentsOf(latest, ...more)}) AS documents GROUP BY 1`,
    [workspace],
  );
  const first = rows.map((row) => String(row.first)).sort()[0];
  const open = rows.filter((row) => row.open !== null);
  const older = new Set<unknown>();
  if (open.length > 0) {
    const found = await query<{ source: unknown }>(
      `SELECT DISTINCT source FROM events WHERE contact_id IN (SELECT unnest($1::uuid[])) AND stamp IS NOT NULL
         AND source IN (SELECT unnest($2::uuid[])) AND id < $3::uuid`,
      [open.flatMap(({ contacts }) => String(contacts).split(",")), open.map((row) => row.open), first],
    );
    for (const { source } of found) older.add(source);
  }
  const counted = rows.filter((row) => !older.has(row.open)).map(toMissing);
  const sum = (name: keyof Missing) => counted.reduce((before, one) => before + one[name], 0);
  return {
    ...{ documents: sum("documents"), events: sum("events"), missing: sum("missing") },
    since: first === undefined ? null : timeOf(first),
  };
};
