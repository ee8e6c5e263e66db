import { HOUR_MS } from "../base/times.js";
import type { Query } from "../database/database.js";
import { hourOf } from "../records/stale-hours.js";
import { type Kind, MAX_KEYS, OTHER, QUARTER_MS } from "./keys.js";

/** Of one kind, how many events a key has in a quarter. */
export interface Count {
  kind: Kind;
  quarter: number;
  key: string;
  events: number;
}

/**
 * Leaves each hour the keys that it has in the sums, and the most frequent of the new ones while there is room. The others are
 * counted together.
 *
 * @param counts all of one kind
 * @returns `full` are the hours in which there was no room for all
 */
export const boundKeys = async (query: Query, workspace: string, counts: readonly Count[]) => {
  const hours = new Map<number, Count[]>();
  for (const one of counts) {
    const hour = hourOf(one.quarter);
    hours
      .set(hour, hours.get(hour) ?? [])
      .get(hour)!
      .push(one);
  }
  const known = await keysOf(query, { workspace, kind: counts[0]?.kind, hours: [...hours.keys()] });
  const full: number[] = [];
  const sums = new Map<string, Count>();
  for (const [hour, ofHour] of hours) {
    const keys = known.get(hour) ?? new Set();
    let isFull = keys.delete(OTHER);
    for (const key of byFrequency(ofHour)) if (keys.size < MAX_KEYS) keys.add(key);
    for (const one of ofHour) {
      const key = keys.has(one.key) ? one.key : OTHER;
      isFull ||= key === OTHER;
      const place = `${one.quarter} ${key}`;
      sums.set(place, { ...one, key, events: one.events + (sums.get(place)?.events ?? 0) });
    }
    if (isFull) full.push(hour);
  }
  return { counts: [...sums.values()], full };
};

const keysOf = async (
  query: Query,
  { workspace, kind, hours }: { workspace: string; kind: Kind | undefined; hours: number[] },
): Promise<Map<number, Set<string>>> => {
  const known = new Map<number, Set<string>>();
  if (kind === undefined) return known;
  const rows = await query<{ hour: unknown; key: string }>(
    `SELECT DISTINCT quarter - quarter % ${HOUR_MS} AS hour, key FROM sums
     WHERE workspace = $1 AND kind = $2 AND quarter = ANY($3::bigint[])`,
    [workspace, kind, hours.flatMap((hour) => [0, 1, 2, 3].map((at) => hour + at * QUARTER_MS))],
  );
  for (const { hour, key } of rows) known.set(Number(hour), (known.get(Number(hour)) ?? new Set()).add(key));
  return known;
};

const byFrequency = (counts: readonly Count[]): string[] => {
  const totals = new Map<string, number>();
  for (const { key, events } of counts) totals.set(key, (totals.get(key) ?? 0) + events);
  return [...totals].sort(([, a], [, b]) => b - a).map(([key]) => key);
};

export const addCounts = async (query: Query, workspace: string, counts: readonly Count[]): Promise<void> => {
  if (counts.length === 0) return;
  await query(
    `INSERT INTO sums (workspace, kind, quarter, key, events)
     SELECT $1, kind, quarter, key, events FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[]) AS new (kind, quarter, key, events)
     ON CONFLICT (workspace, kind, quarter, key) DO UPDATE SET events = sums.events + excluded.events`,
    [
      workspace,
      counts.map(({ kind }) => kind),
      counts.map(({ quarter }) => quarter),
      counts.map(({ key }) => key),
      counts.map(({ events }) => events),
    ],
  );
};
