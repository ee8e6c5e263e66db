import type { Query } from "../../database/database.js";
import { dayOf, mondayOf, WEEK_MS } from "../sums/utc-days.js";
import type { Kind } from "./names.js";

/** Weeks of whose beginners is told, this one included, and weeks that each is looked at afterwards. */
export const [WEEKS, LATER] = [12, 8];

/** In which weeks each was active, from a day on. */
const ACTIVE = {
  account: (since: string) =>
    `SELECT DISTINCT account_id AS id, date_trunc('week', day)::date AS week FROM active_accounts WHERE workspace = $1 AND day >= ${since}`,
  contact: (since: string) =>
    `SELECT contact_id AS id, week FROM active_weeks WHERE workspace = $1 AND week >= ${since}`,
};
/** In front of all days. */
const EVER = "'-infinity'::date";

/**
 * Of those first seen in a week (UTC, from Monday), how many were active in each of the weeks after it. Of a week that has not begun nothing is
 * told.
 */
export const countReturning = async (query: Query, workspace: string, { of, now }: { of: Kind; now: number }) => {
  const thisWeek = mondayOf(now);
  const rows = await query<Record<string, unknown>>(
    `SELECT began.week::text AS week, (active.week - began.week) / 7 AS later, count(*) AS count
     FROM (SELECT id, min(week) AS week FROM (${ACTIVE[of](EVER)}) AS ever GROUP BY 1 HAVING min(week) >= $2::date) AS began
     JOIN (${ACTIVE[of]("$2::date")}) AS active ON active.id = began.id
     WHERE active.week <= began.week + 7 * ${LATER} GROUP BY 1, 2`,
    [workspace, dayOf(thisWeek - (WEEKS - 1) * WEEK_MS)],
  );
  const counts = new Map(rows.map(({ week, later, count }) => [`${week} ${later}`, Number(count)]));
  return Array.from({ length: WEEKS }, (_, at) => {
    const week = thisWeek - (WEEKS - 1 - at) * WEEK_MS;
    const of = (later: number) => counts.get(`${dayOf(week)} ${later}`) ?? 0;
    const begun = Math.min(LATER, WEEKS - 1 - at);
    return { week: dayOf(week), began: of(0), active: Array.from({ length: begun }, (_, later) => of(later + 1)) };
  });
};
