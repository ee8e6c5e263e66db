import { HOUR_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { hourOf } from "../../records/stale-hours.js";
import { type Count, MAX_KEYS, OTHER, quartersOf, sumUp } from "./keys.js";

/** The keys that each hour has. */
type Known = ReadonlyMap<number, ReadonlySet<string>>;

/**
 * Leaves each hour the keys that it has, and the most frequent of the new ones while there is room. The others are counted
 * together.
 *
 * @param counts all of one kind
 * @param known what the hours have already. Default: nothing
 * @returns `full` are the hours in which there was no room for all
 */
export const boundKeys = (counts: readonly Count[], known: Known = new Map()) => {
  const hours = new Map<number, Count[]>();
  for (const one of counts) {
    const hour = hourOf(one.quarter);
    hours
      .set(hour, hours.get(hour) ?? [])
      .get(hour)!
      .push(one);
  }
  const full: number[] = [];
  const bounded: Count[] = [];
  for (const [hour, ofHour] of hours) {
    const keys = new Set(known.get(hour));
    let isFull = keys.delete(OTHER);
    for (const key of byFrequency(ofHour)) if (key !== OTHER && keys.size < MAX_KEYS) keys.add(key);
    for (const one of ofHour) {
      const key = keys.has(one.key) ? one.key : OTHER;
      isFull ||= key === OTHER;
      bounded.push({ ...one, key });
    }
    if (isFull) full.push(hour);
  }
  return { counts: sumUp(bounded), full };
};

/** The keys that the sums have of the hours of some counts, all of one kind. */
export const knownKeys = async (query: Query, workspace: string, counts: readonly Count[]): Promise<Known> => {
  const known = new Map<number, Set<string>>();
  if (counts[0] === undefined) return known;
  const hours = [...new Set(counts.map(({ quarter }) => hourOf(quarter)))];
  const rows = await query<{ hour: unknown; key: string }>(
    `SELECT DISTINCT quarter - quarter % ${HOUR_MS} AS hour, key FROM sums
     WHERE workspace = $1 AND kind = $2 AND quarter = ANY($3::bigint[])`,
    [workspace, counts[0].kind, hours.flatMap(quartersOf)],
  );
  for (const { hour, key } of rows) known.set(Number(hour), (known.get(Number(hour)) ?? new Set()).add(key));
  return known;
};

const byFrequency = (counts: readonly Count[]): string[] => {
  const totals = new Map<string, number>();
  for (const { key, events } of counts) totals.set(key, (totals.get(key) ?? 0) + events);
  return [...totals].sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1)).map(([key]) => key);
};
