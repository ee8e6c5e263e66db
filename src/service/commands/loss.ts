import { DAY_MS } from "../base/times.js";
import type { Query } from "../database/database.js";

export interface LossOptions {
  workspace: string;
  /** Documents that began from then on; epoch milliseconds. */
  since?: number | undefined;
  /** Documents that began before; epoch milliseconds. */
  until?: number | undefined;
}

interface Day {
  day: string;
  documents: number;
  events: number;
  missing: number;
  /** Documents whose numbers cannot be; of the others alone the rest is told. */
  aside: number;
}

/**
 * Events that a document may miss beside ten times those that are there: what is lost at a bound of the queue leaves a full queue
 * behind it, and that arrives.
 */
const MAX_MISSING = 1_000;

/**
 * A document numbers its events from 1 (`stamp: true`): what its highest number is above their count is missing. Anybody can send
 * numbers: a document where one is below 1, or of two events, or far above all others, is set aside. All events are read, because a document may have begun long before the others.
 */
const LOSSES = `SELECT floor(began / 86400000.0) AS day, sum(1 - aside) AS documents, sum((1 - aside) * events) AS events,
       sum((1 - aside) * (highest - events)) AS missing, sum(aside) AS aside
  FROM (
    SELECT source, min(at) AS began, count(DISTINCT stamp) AS events, max(number) AS highest,
           CASE WHEN min(number) < 1 OR count(DISTINCT number) < count(DISTINCT stamp)
                  OR max(number) > ${MAX_MISSING} + 11 * count(DISTINCT stamp) THEN 1 ELSE 0 END AS aside
    FROM (
      SELECT source, number, coalesce(occurred_at, received_at) AS at, stamp
      FROM events WHERE workspace = $1
    ) AS numbered
    WHERE source IS NOT NULL
    GROUP BY source
  ) AS documents
  WHERE began >= $2 AND began < $3
  GROUP BY floor(began / 86400000.0) ORDER BY 1`;

/** What is stored and what is missing, by the day on which its document began. */
const lossByDay = async (query: Query, { workspace, since = 0, until = Number.MAX_SAFE_INTEGER }: LossOptions) => {
  const rows = await query<Record<keyof Day, unknown>>(LOSSES, [workspace, since, until]);
  return rows.map(
    ({ day, documents, events, missing, aside }): Day => ({
      day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
      documents: Number(documents),
      events: Number(events),
      missing: Number(missing),
      aside: Number(aside),
    }),
  );
};

const COLUMNS = ["day", "documents", "events", "missing", "aside"] as const;
/** Characters of a cell, a day's. */
const WIDTH = 10;

/** The loss as a table, and its sum in the last line. */
export const tellLoss = async (query: Query, options: LossOptions): Promise<string> => {
  const days = await lossByDay(query, options);
  const line = (cells: readonly unknown[]) => `${cells.map((cell) => String(cell).padStart(WIDTH)).join("  ")}\n`;
  const table = [COLUMNS, ...days.map((day) => COLUMNS.map((column) => day[column]))].map(line).join("");
  if (days.length === 0) return "no event is numbered: its page must have stamp: true\n";
  const sum = (column: "events" | "missing" | "aside") => days.reduce((before, day) => before + day[column], 0);
  const [missing, aside] = [sum("missing"), sum("aside")];
  const all = sum("events") + missing;
  const share = all === 0 ? "" : ` (${((100 * missing) / all).toFixed(2)} %)`;
  const note = aside === 0 ? "" : `; set aside, as their numbers cannot be: ${aside} documents`;
  return `${table}${missing} of ${all} events missing${share}${note}\n`;
};
