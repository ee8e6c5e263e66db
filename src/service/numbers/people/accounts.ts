import type { Query } from "../../database/database.js";
import { type Asked, MAX_ROWS } from "../questions.js";
import { cutByDays, quartersByDays } from "../spans.js";
import { QUARTER_MS } from "../sums/keys.js";
import { dayOf, WEEK_MS, wholeWeeks } from "../sums/utc-days.js";
import { type Named, namesOf } from "./names.js";

/** Accounts that are looked at: those with most events, where there are more. */
const MAX_ACCOUNTS = 10_000;
/** An account falls where it has lost so much of its events, and is not silent. */
const FALL = 0.25;

export const SORTS = ["name", "contacts", "active_contacts", "events", "change", "last_seen_at"] as const;
export const SHOWN = ["all", "falling", "silent"] as const;

export interface ListAsked {
  search: string;
  show: (typeof SHOWN)[number];
  sort: (typeof SORTS)[number];
  order: "asc" | "desc";
  offset: number;
  limit: number;
}

/** An account in the list. */
interface Listed extends Named {
  contacts: number;
  active_contacts: number;
  events: number;
  before: number;
  change: number;
  counts: number[];
  counts_before: number[];
  last_seen_at: number | null;
}

/** The accounts that were active in a time, or in the time before, with what they did. */
export const listAccounts = async (
  query: Query,
  asked: Asked,
  { search, show, sort, order, offset, limit }: ListAsked,
) => {
  const counted = await countAccounts(query, asked);
  const ids = [...counted.keys()];
  const [names, members, active, seen] = await Promise.all([
    namesOf(query, "account", ids),
    countMembers(query, ids),
    countActiveMembers(query, asked, ids),
    lastSeen(query, asked, ids),
  ]);
  const all = [...counted].map(([id, { counts, counts_before }]): Listed => {
    const [events, before] = [counts, counts_before].map((of) => of.reduce((sum, one) => sum + one, 0)) as [
      number,
      number,
    ];
    return {
      ...(names.get(id) ?? { id, unique_id: id, name: id }),
      ...{ contacts: members.get(id) ?? 0, active_contacts: active.get(id) ?? 0 },
      ...{ events, before, change: events - before, counts, counts_before, last_seen_at: seen.get(id) ?? null },
    };
  });
  const isShown = {
    all: ({ events }: Listed) => events > 0,
    silent: ({ events }: Listed) => events === 0,
    falling: ({ events, before }: Listed) => events > 0 && events <= before * (1 - FALL),
  };
  const sought = search.toLowerCase();
  const found = all
    .filter(isShown[show])
    .filter(({ name, unique_id }) => [name, unique_id].some((text) => text.toLowerCase().includes(sought)));
  const sign = order === "asc" ? 1 : -1;
  const compare = (a: Listed, b: Listed) =>
    sort === "name" ? a.name.localeCompare(b.name, "en") : Number(a[sort]) - Number(b[sort]);
  found.sort((a, b) => sign * compare(a, b) || (a.id < b.id ? -1 : 1));
  const count = (which: (one: Listed) => boolean) => all.filter(which).length;
  return {
    ...{ active: count(isShown.all), falling: count(isShown.falling), silent: count(isShown.silent) },
    ...{ total: found.length, offset, data: found.slice(offset, offset + limit) },
  };
};

/** The events of each account by step, in a time and in the time before, by the id of the account. */
const countAccounts = async (query: Query, { workspace, steps, before }: Asked) => {
  const all = [...before.slice(0, -1), ...steps];
  const cuts = quartersByDays(all);
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
  const split = before.length - 1;
  return new Map(
    rows.map((row) => {
      const counts = all.slice(1).map(() => 0);
      for (const [index, step] of row.steps.entries()) counts[step]! += Number(row.events[index]);
      return [row.id, { counts: counts.slice(split), counts_before: counts.slice(0, split) }];
    }),
  );
};

/** The accounts that do most, and those that have lost most events against the time before. */
export const busiestAccounts = async (query: Query, { workspace, steps, before }: Asked) => {
  const whole = { workspace, steps: [steps[0]!, steps.at(-1)!], before: [before[0]!, before.at(-1)!] };
  const counted = [...(await countAccounts(query, whole))].map(([id, { counts, counts_before }]) => ({
    ...{ id, events: counts[0]!, before: counts_before[0]! },
  }));
  const busiest = counted.filter(({ events }) => events > 0).sort((a, b) => b.events - a.events);
  const fell = counted
    .filter((one) => one.events < one.before)
    .sort((a, b) => a.events - a.before - (b.events - b.before));
  const total = (of: "events" | "before") => counted.reduce((sum, one) => sum + one[of], 0);
  const shown = [busiest, fell].map((all) => all.slice(0, MAX_ROWS));
  const names = await namesOf(query, "account", [...new Set(shown.flat().map(({ id }) => id))]);
  const named = ({ id, ...one }: (typeof counted)[number]) => ({
    ...{ id, key: names.get(id)?.unique_id ?? id, name: names.get(id)?.name ?? id, ...one },
  });
  const [most, lost] = shown.map((all) => all.map(named)) as [ReturnType<typeof named>[], ReturnType<typeof named>[]];
  return { busiest: { total: total("events"), before: total("before"), data: most }, fell: lost };
};

/** How many contacts belong to each account. */
const countMembers = async (query: Query, ids: readonly string[]): Promise<Map<string, number>> =>
  toCounts(
    await query(
      "SELECT account_id AS id, count(*) AS count FROM account_contacts WHERE account_id = ANY($1::uuid[]) GROUP BY 1",
      [ids],
    ),
  );

/** How many of them were active in a time, wherever: by whole weeks, of which each has a row, and by the days before and behind them. */
const countActiveMembers = async (query: Query, { workspace, steps }: Asked, ids: readonly string[]) => {
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
const lastSeen = async (
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
