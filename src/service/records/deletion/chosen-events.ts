import { MAX, NIL } from "uuid";
import { encodeText } from "../../base/exact-text.js";
import type { Database, Query } from "../../database/database.js";
import { idAt } from "../../database/event-id.js";
import { forgetNoticesBefore, tellDeletedBefore } from "./notices.js";
import { deleteInSteps, deleteListed, type Which } from "./steps.js";

/**
 * Deletes the events of a workspace that were received before a time (epoch milliseconds); resolves to their number.
 *
 * @param stored those alone that were stored before another time
 */
export const deleteEventsBefore = async (
  database: Database,
  workspace: string,
  time: number,
  stored = Number.POSITIVE_INFINITY,
): Promise<number> => {
  const before = idAt(Math.min(time, stored));
  const old: Which = { condition: "workspace = $1 AND id < $2", values: [workspace, before] };
  const [first] = await database.query(`SELECT id FROM events WHERE ${old.condition} LIMIT 1`, old.values);
  // Told first: they are settled, so who follows deletes the same ones, even where this process ends half-way.
  if (first !== undefined) await tellDeletedBefore(database, workspace, before);
  // What was imported has a later id.
  const imported = "workspace = $1 AND origin_id IS NOT NULL AND received_at < $2 AND id < $3";
  const deleted =
    (await deleteInSteps(database, workspace, old)) +
    (await deleteListed(database, workspace, {
      condition: imported,
      values: [workspace, time, idAt(stored)],
      reason: "retention",
    }));
  await forgetNoticesBefore(database, workspace, before);
  return deleted;
};

/** Events that are counted in one statement. */
const PAGE = 100_000;

/** Counts the events that `deleteEventsBefore` deletes, some at a time: a service gives no statement as long as a year of them takes. */
export const countEventsBefore = async (query: Query, workspace: string, end: number): Promise<number> => {
  let events = 0;
  const add = async (which: string, from: string, to: string): Promise<void> => {
    for (let after = from; ; ) {
      const [page] = await query<{ seen: unknown; old: unknown; last: string }>(
        `SELECT count(*) AS seen, count(*) FILTER (WHERE received_at < $4) AS old, max(id::text) AS last FROM
           (SELECT id, received_at FROM events WHERE workspace = $1 AND id > $2 AND id < $3 ${which} ORDER BY id LIMIT ${PAGE}) AS page`,
        [workspace, after, to, end],
      );
      events += Number(page!.old);
      if (Number(page!.seen) < PAGE) return;
      after = page!.last;
    }
  };
  await add("", NIL, idAt(end));
  // What was imported has a later id.
  await add("AND origin_id IS NOT NULL", idAt(end), MAX);
  return events;
};

/** Of a name, received in a time; all of them where nothing is said. */
export interface Chosen {
  name?: string | undefined;
  /** Epoch milliseconds. */
  since?: number | undefined;
  /** Epoch milliseconds. */
  until?: number | undefined;
}

const chosen = (workspace: string, { name, since, until }: Chosen): Which => {
  const values: unknown[] = [workspace];
  const bound = (value: unknown, condition: (value: string) => string) =>
    value === undefined ? "" : ` AND ${condition(`$${values.push(value)}`)}`;
  const ofName = bound(name && encodeText(name), (at) => `event_uid = ${at} AND left(event_uid, 64) = left(${at}, 64)`);
  const times = bound(since, (at) => `received_at >= ${at}`) + bound(until, (at) => `received_at < ${at}`);
  return { condition: `workspace = $1${ofName}${times}`, values };
};

/** Counts events of a workspace. */
export const countEvents = async (query: Query, workspace: string, which: Chosen): Promise<number> => {
  const { condition, values } = chosen(workspace, which);
  const [row] = await query(`SELECT count(*) AS count FROM events WHERE ${condition}`, values);
  return Number(row!.count);
};

/** Deletes events of a workspace; resolves to their number. */
export const deleteEvents = (database: Database, workspace: string, which: Chosen): Promise<number> =>
  deleteListed(database, workspace, { ...chosen(workspace, which), reason: "name" });
