import type { Query } from "../../database/database.js";
import { type Asked, cutByDays, quartersByDays } from "../spans.js";
import { QUARTER_MS } from "../sums/keys.js";
import { dayOf, WEEK_MS, wholeWeeks } from "../sums/utc-days.js";

/* What is counted of each account by its id: its events, its members, who of them was active, and when it was last seen. Each is a table in SQL. */

/** Takes a value of a statement. @returns its placeholder */
export type Bind = (value: unknown) => string;

/** @returns what takes values, and these */
export const createBind = (): { bind: Bind; values: unknown[] } => {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
};

/** Whose members, as a condition behind the column. @returns those of these ids */
const anyOf = (bind: Bind, ids: readonly string[]): string => `= ANY(${bind(ids)}::uuid[])`;

type Cut = ReturnType<typeof quartersByDays>[number];

/** The events of accounts in parts of days, of which each is of a step: the name of a step's number is `cut.step`, of its events `counted.events`. */
const eventsOf = (bind: Bind, workspace: string, cuts: readonly Cut[]): string => {
  const columns = (["step", "day", "first", "last"] as const).map((of) => bind(cuts.map((cut) => cut[of])));
  const [steps, days, firsts, lasts] = columns;
  // Most quarters have nothing: what is left of a day is summed up once.
  return `active_accounts AS active
    JOIN unnest(${steps}::int[], ${days}::date[], ${firsts}::int[], ${lasts}::int[]) AS cut (step, day, first, last) ON active.day = cut.day
    CROSS JOIN LATERAL (SELECT sum(one) AS events FROM unnest(array_remove(active.events[first:last], NULL)) AS one) AS counted
    WHERE active.workspace = ${bind(workspace)} AND active.day >= ${bind(cuts[0]!.day)}::date AND active.day <= ${bind(cuts.at(-1)!.day)}::date`;
};

/** All accounts that had events, in a time or in the time before: `id`, `events`, `before`. */
export const accountsOf = (bind: Bind, { workspace, steps, before }: Asked): string => {
  const whole = [before, steps].map((of) => quartersByDays([of[0]!, of.at(-1)!]));
  const cuts = whole.flatMap((of, step) => of.map((cut) => ({ ...cut, step })));
  const sum = (step: number) => `coalesce(sum(counted.events) FILTER (WHERE step = ${step}), 0)::bigint`;
  return `SELECT account_id AS id, ${sum(1)} AS events, ${sum(0)} AS before
    FROM ${eventsOf(bind, workspace, cuts)} GROUP BY 1 HAVING sum(counted.events) > 0`;
};

/** The events of some accounts by step, in a time and in the time before. */
export const countSteps = async (query: Query, { workspace, steps, before }: Asked, ids: readonly string[]) => {
  const { bind, values } = createBind();
  const split = before.length - 1;
  const later = quartersByDays(steps).map((cut) => ({ ...cut, step: split + cut.step }));
  const rows = await query<{ id: string; step: number; events: unknown }>(
    `SELECT account_id AS id, step, sum(counted.events) AS events
     FROM ${eventsOf(bind, workspace, [...quartersByDays(before), ...later])} AND account_id ${anyOf(bind, ids)}
     GROUP BY 1, 2 HAVING sum(counted.events) > 0`,
    values,
  );
  const counts = new Map(ids.map((id) => [id, Array.from({ length: split + steps.length - 1 }, () => 0)]));
  for (const { id, step, events } of rows) counts.get(id)![step] = Number(events);
  return (id: string) => ({ counts: counts.get(id)!.slice(split), counts_before: counts.get(id)!.slice(0, split) });
};

/** How many contacts belong to each account: `id`, `count`. */
export const membersOf = (whose: string): string =>
  `SELECT account_id AS id, count(*) AS count FROM account_contacts WHERE account_id ${whose} GROUP BY 1`;

/** How many of them were active in a time, wherever: by whole weeks, of which each has a row, and by the days before and behind them. */
export const activeMembersOf = (bind: Bind, { workspace, steps }: Asked, whose: string): string => {
  const [from, to] = [steps[0]!, steps.at(-1)!];
  const weeks = wholeWeeks(from, to);
  const cuts = weeks.length === 0 ? cutByDays([from, to]) : cutByDays([from, weeks[0]!, weeks.at(-1)! + WEEK_MS, to]);
  const parts = cuts.filter(({ step }) => weeks.length === 0 || step !== 1);
  const [days, quarters] = [bind(parts.map(({ day }) => day)), bind(parts.map(({ quarters }) => quarters))];
  const name = bind(workspace);
  return `SELECT account_id AS id, count(*) AS count FROM account_contacts JOIN (
      SELECT contact_id FROM active_weeks WHERE workspace = ${name} AND week = ANY(${bind(weeks.map(dayOf))}::date[])
      UNION SELECT contact_id FROM active_contacts AS active JOIN unnest(${days}::date[], ${quarters}::bit(96)[]) AS cut (day, quarters) ON active.day = cut.day
      WHERE active.workspace = ${name} AND active.quarters & cut.quarters <> '${"0".repeat(96)}'::bit(96)) AS seen USING (contact_id)
    WHERE account_id ${whose} GROUP BY 1`;
};

/** When each was last seen since the time before began, in epoch milliseconds: the start of a quarter of an hour. */
export const lastSeenOf = (bind: Bind, { workspace, before }: Asked, whose: string): string =>
  `SELECT account_id AS id,
     max(extract(epoch FROM day)::bigint * 1000 + (length(rtrim(quarters::text, '0')) - 1) * ${QUARTER_MS}::bigint) AS count
   FROM active_accounts WHERE workspace = ${bind(workspace)} AND day >= ${bind(dayOf(before[0]!))}::date AND account_id ${whose} GROUP BY 1`;

/** Asks for such a table. @returns what each has */
export const readCounts = async (
  query: Query,
  ids: readonly string[],
  of: (bind: Bind, whose: string) => string,
): Promise<Map<string, number>> => {
  const { bind, values } = createBind();
  const rows = await query<{ id: string; count: unknown }>(of(bind, anyOf(bind, ids)), values);
  return new Map(rows.map(({ id, count }) => [id, Number(count)]));
};
