import type { Query } from "../database/database.js";
import { DAY_MS } from "../operations/retention-clock.js";

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
}

/**
 * A document numbers its events from 1 (`stamp: true`): what its highest number is above their count is missing. All events are
 * read, because a document may have begun long before the others. The two members are found as text: not every JSON that
 * pages send can be read by the database.
 */
const LOSSES = `SELECT floor(began / 86400000.0) AS day, count(*) AS documents, sum(events) AS events,
       sum(greatest(highest - events, 0)) AS missing
  FROM (
    SELECT source, min(at) AS began, count(DISTINCT stamp) AS events, max(number) AS highest
    FROM (
      SELECT substring(params FROM '"event_source":"([0-9a-f-]{36})"') AS source,
             substring(params FROM '"event_seq":([0-9]{1,7})[,}]')::bigint AS number,
             coalesce(occurred_at, received_at) AS at, stamp
      FROM events WHERE workspace = $1
    ) AS numbered
    WHERE source IS NOT NULL AND number IS NOT NULL
    GROUP BY source
  ) AS documents
  WHERE began >= $2 AND began < $3
  GROUP BY floor(began / 86400000.0) ORDER BY 1`;

/** What is stored and what is missing, by the day on which its document began. */
const lossByDay = async (query: Query, { workspace, since = 0, until = Number.MAX_SAFE_INTEGER }: LossOptions) => {
  const rows = await query<Record<keyof Day, unknown>>(LOSSES, [workspace, since, until]);
  return rows.map(
    ({ day, documents, events, missing }): Day => ({
      day: new Date(Number(day) * DAY_MS).toISOString().slice(0, 10),
      documents: Number(documents),
      events: Number(events),
      missing: Number(missing),
    }),
  );
};

const COLUMNS = ["day", "documents", "events", "missing"] as const;
/** Characters of a cell, a day's. */
const WIDTH = 10;

/** The loss as a table, and its sum in the last line. */
export const tellLoss = async (query: Query, options: LossOptions): Promise<string> => {
  const days = await lossByDay(query, options);
  const line = (cells: readonly unknown[]) => `${cells.map((cell) => String(cell).padStart(WIDTH)).join("  ")}\n`;
  const table = [COLUMNS, ...days.map((day) => COLUMNS.map((column) => day[column]))].map(line).join("");
  const missing = days.reduce((sum, day) => sum + day.missing, 0);
  const all = days.reduce((sum, day) => sum + day.events, missing);
  if (all === 0) return "no event is numbered: its page must have stamp: true\n";
  return `${table}${missing} of ${all} events missing (${((100 * missing) / all).toFixed(2)} %)\n`;
};
