import type { Query } from "../database/database.js";
import type { Commands } from "./context.js";

/*
 * What is missing, as the question `losses` tells it of the latest events. A document numbers its events from 1 (`stamp: true`): what its
 * highest number is above their count is missing. Anybody can send numbers: a document where one is below 1, or of two events, or
 * far above all others, is set aside. Numbers that could be a page's spoil the figure.
 */

/**
 * Events that a document may miss beside ten times those that are there: what is lost at a bound of the queue leaves a full queue
 * behind it, and that arrives.
 */
const MAX_MISSING = 1_000;

/** Documents that began on a day, but for those that are set aside: how many, their events, and those that are missing. */
type Day = { day: string } & Record<"documents" | "events" | "missing" | "aside", number>;

interface Which {
  workspace: string;
  /** Documents that began from then on, and before; epoch milliseconds. */
  since?: number;
  until?: number;
}

/** By the day on which a document began. All events are read, because it may have begun long before the others. */
const missingByDay = (query: Query, { workspace, since = 0, until = Number.MAX_SAFE_INTEGER }: Which): Promise<Day[]> =>
  query<Day>(
    `SELECT day::text AS day, (count(*) FILTER (WHERE NOT aside))::float8 AS documents,
            coalesce(sum(events) FILTER (WHERE NOT aside), 0)::float8 AS events,
            coalesce(sum(highest - events) FILTER (WHERE NOT aside), 0)::float8 AS missing, (count(*) FILTER (WHERE aside))::float8 AS aside
     FROM (SELECT min(at) AS began, min(day) AS day, count(DISTINCT stamp) AS events, max(number) AS highest,
                  min(number) < 1 OR count(DISTINCT number) < count(DISTINCT stamp)
                    OR max(number) > ${MAX_MISSING} + 11 * count(DISTINCT stamp) AS aside
           FROM counted_events WHERE workspace = $1 AND source IS NOT NULL GROUP BY source) AS documents
     WHERE began >= $2 AND began < $3 GROUP BY 1 ORDER BY 1`,
    [workspace, since, until],
  );

const tellLoss = (days: Day[]): string => {
  if (days.length === 0) return "no event is numbered: its page must have stamp: true";
  const sum = (column: "events" | "missing" | "aside") => days.reduce((before, day) => before + day[column], 0);
  const [missing, aside] = [sum("missing"), sum("aside")];
  const all = sum("events") + missing;
  const share = all === 0 ? "" : ` (${((100 * missing) / all).toFixed(2)} %)`;
  const note = aside === 0 ? "" : `; set aside, as their numbers cannot be: ${aside} documents`;
  return `${missing} of ${all} events missing${share}${note}; who has the token of the pages can spoil this`;
};

export const addLossCommand = ({ program, workspace, since, until, read, say, write }: Commands): void => {
  program
    .command("loss")
    .description(
      "counts the events that are missing, of pages with stamp: true, by the day on which the page was opened, one JSON object a line",
    )
    .addOption(since("pages opened from then on, as 2026-01-31; UTC unless a zone is named"))
    .addOption(until("pages opened before"))
    .addOption(workspace())
    .action((which: Which) =>
      read(async (query) => {
        const days = await missingByDay(query, which);
        write(days.map((day) => `${JSON.stringify(day)}\n`));
        say(tellLoss(days));
      }),
    );
};
