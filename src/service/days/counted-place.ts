import { MAX, NIL } from "uuid";
import { LONGEST_WAIT_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { timeOf } from "../database/event-id.js";
import { HttpError } from "../http/error-answers.js";
import { dayIn, isTimeZone, later, NO_ZONE } from "./calendar.js";
import { ALL_TABLES, type EventRow } from "./count-tables.js";

/*
 * How far a workspace is counted: a row, which whoever adds or subtracts holds until the end of the transaction. So each event is added once, and
 * subtracted where it was added.
 */

/** Days that stand by hours, and those in which an event may still come as it happens. */
const [HOURS_OF, OPEN] = [9, 31];

/** Somebody who is left out, or on the way. */
export interface LeftOut {
  kind: "account" | "contact";
  id: string;
  unique_id: string;
  /** Events of before it are changed in steps; nothing where that is done. */
  upto: string | null;
  contact: string | null;
  event: string | null;
  joins: boolean;
  back: boolean;
}

/** What is known of a workspace while its row is held. */
export interface Held {
  workspace: string;
  zone: string;
  /** The first id that is not counted; nothing before it has begun. */
  id: string | null;
  folded: string;
  /** The first day that is not past by retention. */
  past: string | null;
  /** The first day that is not taken out of the rows of who was active. */
  cleared: string | null;
  /** The day that is counted anew, up to which id, and how far that has come. */
  day: string | null;
  upto: string | null;
  part: string | null;
  at: string | null;
  after: string | null;
  leftOut: LeftOut[];
}

/** Holds the place of a workspace until the transaction ends. */
export const hold = async (query: Query, workspace: string): Promise<Held> => {
  await query("INSERT INTO counted (workspace) VALUES ($1) ON CONFLICT (workspace) DO UPDATE SET id = counted.id", [
    workspace,
  ]);
  // Behind the lock: what the last one has changed is seen.
  const [row] = await query<Held>(
    `SELECT workspace, id, folded::text AS folded, past::text AS past, cleared::text AS cleared, day::text AS day, upto, part, at, after,
       coalesce((SELECT zone FROM workspaces WHERE name = $1), 'UTC') AS zone FROM counted WHERE workspace = $1`,
    [workspace],
  );
  const leftOut = await query<LeftOut>("SELECT * FROM left_out WHERE workspace = $1", [workspace]);
  return { ...row!, leftOut };
};

/** Writes some columns of a row. @param key which row */
export const setColumns = (query: Query, table: string, key: object, values: object): Promise<unknown> => {
  const names = [...Object.keys(key), ...Object.keys(values)].map((name, at) => `${name} = $${at + 1}`);
  const which = names.splice(0, Object.keys(key).length).join(" AND ");
  return query(`UPDATE ${table} SET ${names} WHERE ${which}`, [...Object.values(key), ...Object.values(values)]);
};

export const setPlace = (query: Query, { workspace }: Held, values: Partial<Held>): Promise<unknown> =>
  setColumns(query, "counted", { workspace }, values);

/** The first day that is not folded at a place: one is so two days after its end. */
const foldedAt = (id: string, zone: string): string => later(dayIn(zone, timeOf(id)), -2);

export const hoursFrom = ({ folded }: Held): string => later(folded, 3 - HOURS_OF);

/** The first day to which what comes is added: the others are counted anew with it. */
export const openFrom = ({ id, zone }: Held): string => later(dayIn(zone, timeOf(id!)), -OPEN);

/** Is a day there that can be counted anew? Of the one in which retention stands a part is gone. */
export const isWhole = (day: string, { past }: Held): boolean => past === null || day > past;

/** Do the figures have an event of before the place? It may be of somebody who is left out, or on the way. */
export const isCounted = ({ contact, account, id }: EventRow, { leftOut }: Held): boolean =>
  leftOut.every((one) => {
    if (one.id !== (one.kind === "contact" ? contact : account)) return true;
    if (one.upto === null) return false;
    const isDone = id >= one.upto || contact < one.contact! || (contact === one.contact && id <= one.event!);
    return one.joins === isDone;
  });

export const markDays = async (query: Query, held: Held, days: Iterable<string>): Promise<void> => {
  const whole = [...new Set(days)].filter((day) => isWhole(day, held));
  if (whole.length > 0)
    await query(
      "INSERT INTO days_stale (workspace, day) SELECT $1, day FROM unnest($2::date[]) AS new (day) ON CONFLICT DO NOTHING",
      [held.workspace, whole],
    );
};

/** Takes away what was counted of the day that is counted anew, which begins again: else what is gone since would come back. */
export const beginAnew = async (query: Query, held: Held): Promise<void> => {
  for (const table of ALL_TABLES) await query(`DELETE FROM ${table}_anew WHERE workspace = $1`, [held.workspace]);
  const none = { day: null, upto: null, part: null, at: null, after: null };
  await setPlace(query, held, none);
  Object.assign(held, none);
};

/** When the oldest event of a workspace was received, in epoch milliseconds: of one that was imported its id does not tell it. Without any infinite. */
export const oldestTime = async (query: Query, workspace: string): Promise<number> => {
  const [found] = await query<{ first: string | null; imported: number | null }>(
    `SELECT (SELECT id FROM events WHERE workspace = $1 ORDER BY id LIMIT 1) AS first,
       (SELECT received_at FROM events WHERE workspace = $1 AND origin_id IS NOT NULL ORDER BY received_at LIMIT 1) AS imported`,
    [workspace],
  );
  const { first, imported } = found!;
  return Math.min(first === null ? Number.POSITIVE_INFINITY : timeOf(first), imported ?? Number.POSITIVE_INFINITY);
};

const markAll = async (query: Query, held: Held): Promise<void> => {
  await beginAnew(query, held);
  if (held.id === null) return;
  const oldest = await oldestTime(query, held.workspace);
  if (!Number.isFinite(oldest)) return;
  const from = dayIn(held.zone, Math.max(0, oldest - LONGEST_WAIT_MS));
  const to = later(dayIn(held.zone, timeOf(held.id)), 1);
  const newest = "SELECT max(day)::text AS last FROM days WHERE workspace = $1";
  const [{ last }] = (await query<{ last: string | null }>(newest, [held.workspace])) as [{ last: string | null }];
  const days = `SELECT $1, day::date FROM generate_series($2::date, $3::date, '1 day') AS day WHERE $4::date IS NULL OR day > $4`;
  await query(`INSERT INTO days_stale (workspace, day) ${days} ON CONFLICT DO NOTHING`, [
    held.workspace,
    from,
    last !== null && last > to ? last : to,
    held.past,
  ]);
};

/** Begins to count what comes from now on, and what is there day by day. @param settled the first id that is not settled */
export const begin = async (query: Query, held: Held, settled: string): Promise<void> => {
  Object.assign(held, { id: settled, folded: foldedAt(settled, held.zone) });
  await setPlace(query, held, { id: held.id, folded: held.folded });
  await markAll(query, held);
};

/** Gives a workspace a time zone, whose days are counted anew. @returns whether it had another one @throws HttpError 400 where there is none of this name */
export const setZone = async (
  { transaction, query: ask }: Database,
  workspace: string,
  zone: string,
): Promise<boolean> => {
  const [known] = await ask("SELECT 1 AS found FROM pg_timezone_names WHERE lower(name) = lower($1)", [zone]);
  if (known === undefined || !isTimeZone(zone)) throw new HttpError(400, NO_ZONE);
  return transaction(async (query) => {
    const held = await hold(query, workspace);
    if (held.zone === zone) return false;
    await query("UPDATE workspaces SET zone = $2 WHERE name = $1", [workspace, zone]);
    held.zone = zone;
    if (held.id !== null) await setPlace(query, held, { folded: foldedAt(held.id, zone) });
    await markAll(query, held);
    return true;
  });
};

/** In front of all ids, and behind them. */
export const [FIRST, LAST] = [NIL, MAX];
