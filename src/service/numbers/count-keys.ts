import { decodeText } from "../base/exact-text.js";
import type { Query } from "../database/database.js";
import type { Asked } from "./spans.js";
import { type Kind, OTHER } from "./sums/keys.js";

/* How often events came, by their names and by other keys, from the sums. */

/** Keys that are told of each kind; the rest is told together. */
export const [MAX_SERIES, MAX_ROWS] = [8, 50];
/** Names of events that are told, without their steps. */
const MAX_NAMES = 1_000;

/** The sums of a kind, in a time and in the time before. */
const SUMS = `FROM sums WHERE workspace = $1 AND kind = $2 AND quarter >= $3 AND quarter < $4 AND (quarter >= $5 OR quarter < $6)`;
const rangeOf = ({ workspace, steps, before }: Asked, kind: Kind): unknown[] => [
  ...[workspace, kind, before[0], steps.at(-1), steps[0], before.at(-1)],
];

/** How often events of each name came, by step; the most frequent first, and the rest as one. */
export const countNames = async (query: Query, asked: Asked) =>
  toSeries(
    asked,
    await query(
      `SELECT key, width_bucket(quarter, $7::bigint[]) AS step, sum(events) AS events ${SUMS} GROUP BY 1, 2`,
      [...rangeOf(asked, "event"), asked.steps],
    ),
  );

/** @param rows each a key, its events, and the number of the step: 0 is all before the first one */
export const toSeries = ({ steps }: Asked, rows: Record<string, unknown>[]) => {
  const series = new Map<string, number[]>();
  const earlier = new Map<string, number>();
  for (const { key, step, events } of rows) {
    if (Number(step) === 0) earlier.set(String(key), Number(events));
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
  const named = sorted.filter(({ key }) => key !== OTHER);
  const own = named.slice(0, MAX_SERIES);
  const rest = sorted.filter((one) => !own.includes(one));
  return {
    ...{ total: total(sorted.map(({ events }) => events)), before: total([...earlier.values()]) },
    data: own.map(({ key, ...one }) => ({ event_uid: decodeText(key), ...one })),
    names: named.slice(0, MAX_NAMES).map(({ key, events }) => toKey({ key, events, before: earlier.get(key) ?? 0 })),
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
                coalesce(sum(events) FILTER (WHERE quarter < $5), 0) AS before ${SUMS} GROUP BY 1) AS counted
       ORDER BY events DESC, key LIMIT ${MAX_ROWS + 1}`,
      rangeOf(asked, kind),
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
