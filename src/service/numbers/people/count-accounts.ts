import type { Query } from "../../database/database.js";
import { type Asked, cutByDays, quartersByDays } from "../spans.js";
import { QUARTER_MS } from "../sums/keys.js";
import { dayOf, WEEK_MS, wholeWeeks } from "../sums/utc-days.js";

/* What is counted of each account by its id: its events, its members, who of them was active, and when it was last seen. */

/** Accounts that are looked at: those with most events, where there are more. */
const MAX_ACCOUNTS = 10_000;

/** The events of each account by step, in a time and in the time before, by the id of the account. */
export const countAccounts = async (query: Query, { workspace, steps, before }: Asked) => {
  const split = before.length - 1;
  const cuts = [...quartersByDays(before), ...quartersByDays(steps).map((cut) => ({ ...cut, step: split + cut.step }))];
  const rows = await query<{ id: string; steps: number[]; events: unknown[] }>(
    // Most quarters have nothing: what is left of a day is summed up once.
    `SELECT account_id AS id, array_agg(step) AS steps, array_agg(counted.events) AS events
     FROM active_accounts AS active JOIN unnest($2::int[], $3::date[], $4::int[], $5::int[]) AS cut (step, day, first, last) ON active.day = cut.day
     CROSS JOIN LATERAL (SELECT sum(one) AS events FROM unnest(array_remove(active.events[first:last], NULL)) AS one) AS counted
     WHERE active.workspace = $1 AND active.day >= $6::date AND active.day <= $7::date
     GROUP BY 1 HAVING sum(counted.events) > 0 ORDER BY sum(counted.events) DESC, 1 LIMIT ${MAX_ACCOUNTS}`,
    [
      ...[workspace, ...(["step", "day", "first", "last"] as const).map((of) => cuts.map((cut) => cut[of]))],
      ...[cuts[0]!.day, cuts.at(-1)!.day],
    ],
  );
  return new Map(
    rows.map((row) => {
      const counts = Array.from({ length: split + steps.length - 1 }, () => 0);
      for (const [index, step] of row.steps.entries()) counts[step]! += Number(row.events[index]);
      return [row.id, { counts: counts.slice(split), counts_before: counts.slice(0, split) }];
    }),
  );
};

/** How many contacts belong to each account. */
export const countMembers = async (query: Query, ids: readonly string[]): Promise<Map<string, number>> =>
  toCounts(
    await query(
      "SELECT account_id AS id, count(*) AS count FROM account_contacts WHERE account_id = ANY($1::uuid[]) GROUP BY 1",
      [ids],
    ),
  );

/** How many of them were active in a time, wherever: by whole weeks, of which each has a row, and by the days before and behind them. */
export const countActiveMembers = async (query: Query, { workspace, steps }: Asked, ids: readonly string[]) => {
  const [from, to] = [steps[0]!, steps.at(-1)!];
  const weeks = wholeWeeks(from, to);
  const cuts = weeks.length === 0 ? cutByDays([from, to]) : cutByDays([from, weeks[0]!, weeks.at(-1)! + WEEK_MS, to]);
  const days = cuts.filter(({ step }) => weeks.length === 0 || step !== 1);
  return toCounts(
    await query(
      `SELECT account_id AS id, count(*) AS count FROM account_contacts JOIN (
         SELECT contact_id FROM active_weeks WHERE workspace = $2 AND week = ANY($5::date[])
         UNION SELECT contact_id FROM active_contacts AS active JOIN unnest($3::date[], $4::bit(96)[]) AS cut (day, quarters) ON active.day = cut.day
         WHERE active.workspace = $2 AND active.quarters & cut.quarters <> '${"0".repeat(96)}'::bit(96)) AS seen USING (contact_id)
       WHERE account_id = ANY($1::uuid[]) GROUP BY 1`,
      [ids, workspace, days.map(({ day }) => day), days.map(({ quarters }) => quarters), weeks.map(dayOf)],
    ),
  );
};

const toCounts = (rows: Record<string, unknown>[]) => new Map(rows.map(({ id, count }) => [String(id), Number(count)]));

/** The quarter of an hour in which each account was last seen, in epoch milliseconds: all were seen since the time before began. */
export const lastSeen = async (
  query: Query,
  { workspace, before }: Asked,
  ids: readonly string[],
): Promise<Map<string, number>> => {
  const rows = await query<Record<string, string>>(
    `SELECT account_id AS id, max(day::text || quarters::text) AS seen FROM active_accounts
     WHERE workspace = $1 AND account_id = ANY($2::uuid[]) AND day >= $3::date GROUP BY 1`,
    [workspace, ids, dayOf(before[0]!)],
  );
  return new Map(
    rows.map(({ id, seen }) => [id!, Date.parse(seen!.slice(0, 10)) + seen!.slice(10).lastIndexOf("1") * QUARTER_MS]),
  );
};
