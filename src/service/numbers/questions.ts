import { decodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import { timeOf } from "../database/event-id.js";
import { cutByDays, type Steps } from "./spans.js";
import { ACTIVE, type ActiveTable, type Kind, OTHER } from "./sums/keys.js";

/** Of whom, and when: the starts of the steps with the end of the last, and those before them. */
export interface Asked extends Steps {
  workspace: string;
}

/** Keys that are told of each kind; the rest is told together. */
export const [MAX_SERIES, MAX_ROWS] = [8, 50];

const rangeOf = ({ workspace, steps, before }: Asked, kind: Kind): unknown[] => [
  ...[workspace, kind, before[0], steps.at(-1)],
];

/** How often events of each name came, by step; the most frequent first, and the rest as one. */
export const countNames = async (query: Query, asked: Asked) =>
  toSeries(
    asked,
    await query(
      `SELECT key, width_bucket(quarter, $5::bigint[]) AS step, sum(events) AS events FROM sums
       WHERE workspace = $1 AND kind = $2 AND quarter >= $3 AND quarter < $4 GROUP BY 1, 2`,
      [...rangeOf(asked, "event"), asked.steps],
    ),
  );

/** @param rows each a key, its events, and the number of the step: 0 is all before the first one */
export const toSeries = ({ steps }: Asked, rows: Record<string, unknown>[]) => {
  const series = new Map<string, number[]>();
  let before = 0;
  for (const { key, step, events } of rows) {
    if (Number(step) === 0) before += Number(events);
    else {
      const counts = series.get(String(key)) ?? steps.slice(1).map(() => 0);
      counts[Number(step) - 1] = Number(events);
      series.set(String(key), counts);
    }
  }
  const total = (counts: readonly number[]) => counts.reduce((sum, one) => sum + one, 0);
  const sorted = [...series]
    .map(([key, counts]) => ({ key, counts, events: total(counts) }))
    .sort(
      (a, b) => Number(a.key === OTHER) - Number(b.key === OTHER) || b.events - a.events || (a.key < b.key ? -1 : 1),
    );
  const own = sorted.filter(({ key }) => key !== OTHER).slice(0, MAX_SERIES);
  const rest = sorted.filter((one) => !own.includes(one));
  return {
    ...{ total: total(sorted.map(({ events }) => events)), before },
    data: own.map(({ key, ...one }) => ({ event_uid: decodeText(key), ...one })),
    others: {
      events: total(rest.map(({ events }) => events)),
      counts: steps.slice(1).map((_, step) => total(rest.map(({ counts }) => counts[step]!))),
    },
  };
};

/** The most frequent keys of a kind, how many events have one, and how many had before. */
export const countKeys = async (query: Query, asked: Asked, kind: Kind) =>
  toKeys(
    await query(
      `SELECT key, events, before, sum(events) OVER () AS total, sum(before) OVER () AS total_before FROM (
         SELECT key, coalesce(sum(events) FILTER (WHERE quarter >= $5), 0) AS events,
                coalesce(sum(events) FILTER (WHERE quarter < $5), 0) AS before FROM sums
         WHERE workspace = $1 AND kind = $2 AND quarter >= $3 AND quarter < $4 GROUP BY 1) AS counted
       ORDER BY events DESC, key LIMIT ${MAX_ROWS + 1}`,
      [...rangeOf(asked, kind), asked.steps[0]],
    ),
  );

export const toKeys = (rows: Record<string, unknown>[]) => ({
  ...{ total: Number(rows[0]?.total ?? 0), before: Number(rows[0]?.total_before ?? 0) },
  data: rows
    .filter(({ key, events }) => key !== OTHER && Number(events) > 0)
    .slice(0, MAX_ROWS)
    .map(toKey),
});

export const toKey = ({ key, events, before }: Record<string, unknown>) => ({
  key: decodeText(String(key)),
  ...{ events: Number(events), before: Number(before) },
});

/**
 * Ids are digests, so those that begin with 0 are a sixteenth of all, taken by chance. Where they are so many, 16 times as
 * many is at most some 4 % off (two standard deviations), and to count all of them would take seconds.
 */
const PART = { of: 16, below: "10000000-0000-0000-0000-000000000000", enough: 2_000 };

/** How many were active, in all and in each step: counted, or above some 32,000 estimated by a sixteenth of them. */
export const countActive = async (query: Query, asked: Asked, table: ActiveTable) => {
  const { workspace, before } = asked;
  const former = { workspace, steps: [before[0]!, before.at(-1)!] };
  const part = await countBelow(query, asked, { table, below: PART.below });
  const isMany = part.total >= PART.enough;
  const [{ total, counts }, past] = await Promise.all([
    isMany ? part : countBelow(query, asked, { table }),
    countBelow(query, former, { table, ...(isMany && { below: PART.below }) }),
  ]);
  const times = isMany ? PART.of : 1;
  return {
    ...{ total: times * total, before: times * past.total },
    counts: counts.map((count) => times * count),
    approximate: isMany,
  };
};

/** @param below of the ids alone that are lower. Default: all */
const countBelow = async (
  query: Query,
  { workspace, steps }: Pick<Asked, "workspace" | "steps">,
  { table, below }: { table: ActiveTable; below?: string },
) => {
  const cuts = cutByDays(steps);
  const { id } = ACTIVE[table];
  const from = `FROM ${table} AS active JOIN unnest($2::int[], $3::date[], $4::bit(96)[]) AS cut (step, day, quarters) ON active.day = cut.day
     WHERE active.workspace = $1 AND active.day >= $5::date AND active.day <= $6::date AND active.quarters & cut.quarters <> '${"0".repeat(96)}'::bit(96)
       ${below === undefined ? "" : `AND active.${id} < '${below}'`}`;
  const values = [
    workspace,
    cuts.map(({ step }) => step),
    cuts.map(({ day }) => day),
    cuts.map(({ quarters }) => quarters),
    cuts[0]!.day,
    cuts.at(-1)!.day,
  ];
  // A step of one day alone has each once.
  const isCut = new Set(cuts.map(({ step }) => step)).size < cuts.length;
  const columns = isCut ? `DISTINCT step, ${id}` : "step";
  // Of one step that is the same.
  const isOne = steps.length === 2;
  const [rows, all] = await Promise.all([
    query<Record<string, unknown>>(
      `SELECT step, count(*) AS count FROM (SELECT ${columns} ${from}) AS active GROUP BY step`,
      values,
    ),
    isOne
      ? []
      : query<Record<string, unknown>>(
          `SELECT count(*) AS count FROM (SELECT DISTINCT ${id} ${from}) AS active`,
          values,
        ),
  ]);
  const counts = steps.slice(1).map(() => 0);
  for (const { step, count } of rows) counts[Number(step)] = Number(count);
  return { total: isOne ? counts[0]! : Number(all[0]!.count), counts };
};

/** When the last event was stored, in epoch milliseconds, from the events themselves. */
export const lastEvent = async (query: Query, workspace: string): Promise<number | null> => {
  const newest = "SELECT id FROM events WHERE workspace = $1 ORDER BY id DESC LIMIT 1";
  const [row] = await query<{ id: string }>(newest, [workspace]);
  return row === undefined ? null : timeOf(row.id);
};
