import { HOUR_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";

/*
 * What events are counted by, in SQL, and how. Columns alone are read, for the params may be large.
 */

/** Milliseconds of the steps in which events are counted: each time zone is a multiple of them away from UTC. */
export const QUARTER_MS = 900_000;
/** The quarters of a day. */
export const QUARTERS = 96;

/** Keys that an hour has of each kind. Strangers choose them, so the rest is counted together. */
export const MAX_KEYS = 200;
/** The key of the rest: none of another's is empty. */
export const OTHER = "";
/** Characters of a key. */
const LENGTH = 256;

/** The host of a page. */
export const HOST = "split_part(page, '/', 1)";

/** Each kind of key: its expression, and the events that have one. */
export const KINDS = {
  event: { key: `left(event_uid, ${LENGTH})`, where: "true" },
  path: { key: `left(substr(page, strpos(page, '/')), ${LENGTH})`, where: "page IS NOT NULL" },
  referrer: { key: "referrer_host", where: "referrer_host IS NOT NULL" },
} as const;
export type Kind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as Kind[];

/** The tables of who was active, each with its column, and whom an event makes active there. */
export const ACTIVE = {
  active_contacts: { id: "contact_id", key: "contact_id::text", where: "true" },
  active_accounts: {
    id: "account_id",
    // As `recordId` has it.
    key: "left(encode(sha256(convert_to(workspace || '/account:' || account_uid, 'UTF8')), 'hex'), 32)::uuid::text",
    where: "account_uid <> ''",
  },
} as const;
export type ActiveTable = keyof typeof ACTIVE;
export const ACTIVE_TABLES = Object.keys(ACTIVE) as ActiveTable[];

/** The events of a workspace, `$1`, that are not of one's own contacts. */
export const OF_OTHERS = "contact_id NOT IN (SELECT id FROM left_out WHERE workspace = $1 AND kind = 'contact')";
/** Those that count: of one's own accounts and contacts none do, see `people/left-out`. */
export const COUNTED = `${OF_OTHERS}
  AND coalesce(account_uid, '') NOT IN (SELECT unique_id FROM left_out WHERE workspace = $1 AND kind = 'account')`;

/** The start of its quarter, of an event. */
const QUARTER = `received_at - received_at % ${QUARTER_MS}`;

/** Of one kind, or of one table of who was active, how many events a key has in a quarter. */
export interface Count {
  kind: Kind | ActiveTable;
  quarter: number;
  key: string;
  events: number;
}

/** Some events: a condition, and its values. */
export interface Part {
  condition: string;
  values: unknown[];
}

/** Events of one step: its transaction holds up nobody for long. */
export const STEP = 5_000;
/** Bytes of the texts that a step reads of its events: strangers choose them. */
const STEP_BYTES = 8_000_000;

/** Where the next step begins; nothing where one takes all. @param rows events of a step */
export const nextPlace = async (
  query: Query,
  { condition, values }: Part,
  { order, rows }: { order: string; rows: number },
): Promise<{ id: string; at: number } | undefined> => {
  const [next] = await query<{ id: string; received_at: unknown }>(
    `SELECT id, received_at FROM (
       SELECT id, received_at, row_number() OVER line AS place, sum(size) OVER line AS bytes
       FROM (SELECT id, received_at, octet_length(event_uid) + coalesce(octet_length(account_uid), 0) AS size
             FROM events WHERE ${condition} ORDER BY ${order} LIMIT ${rows + 1}) AS next
       WINDOW line AS (ORDER BY ${order})) AS sized
     WHERE place > 1 AND (place > ${rows} OR bytes > ${STEP_BYTES}) ORDER BY place LIMIT 1`,
    values,
  );
  return next && { id: next.id, at: Number(next.received_at) };
};

/** Counts some events by the keys of a kind. */
export const count = async (query: Query, kind: Count["kind"], { condition, values }: Part): Promise<Count[]> => {
  const { key, where } = { ...KINDS, ...ACTIVE }[kind];
  const rows = await query<Record<string, unknown>>(
    `SELECT ${QUARTER} AS quarter, ${key} AS key, count(*) AS events FROM events
     WHERE ${condition} AND ${where} AND ${COUNTED} GROUP BY 1, 2`,
    values,
  );
  return rows.map((row) => toCount(kind, row));
};

export const toCount = (kind: Count["kind"], { quarter, key, events }: Record<string, unknown>): Count => ({
  ...{ kind, quarter: Number(quarter), key: String(key), events: Number(events) },
});

/** Each key and quarter once: what has the same is added up. */
export const sumUp = (counts: readonly Count[]): Count[] => {
  const sums = new Map<string, Count>();
  for (const one of counts) {
    const place = `${one.kind} ${one.quarter} ${one.key}`;
    sums.set(place, { ...one, events: one.events + (sums.get(place)?.events ?? 0) });
  }
  return [...sums.values()];
};

/** Adds counts to the sums, or to those of the hour that is counted anew. @param counts each key and quarter once */
export const addCounts = async (
  query: Query,
  workspace: string,
  counts: readonly Count[],
  table: "sums" | "sums_anew" = "sums",
): Promise<void> => {
  if (counts.length === 0) return;
  await query(
    `INSERT INTO ${table} (workspace, kind, quarter, key, events)
     SELECT $1, kind, quarter, key, events FROM unnest($2::text[], $3::bigint[], $4::text[], $5::bigint[]) AS new (kind, quarter, key, events)
     ON CONFLICT (workspace, kind, quarter, key) DO UPDATE SET events = ${table}.events + excluded.events`,
    [
      workspace,
      counts.map(({ kind }) => kind),
      counts.map(({ quarter }) => quarter),
      counts.map(({ key }) => key),
      counts.map(({ events }) => events),
    ],
  );
};

/** The quarters of an hour. */
export const quartersOf = (hour: number): number[] => [0, 1, 2, 3].map((at) => hour + (at * HOUR_MS) / 4);
