import { HOUR_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { idAt, LATE_MS } from "../database/event-id.js";
import { add, STEP } from "./add-events.js";
import { fold, settleKeys } from "./bounded-keys.js";
import { later, monthOf, startOf } from "./calendar.js";
import {
  AT,
  dayOf,
  isEmpty,
  LATE,
  type Line,
  readEvents,
  TABLES,
  toPlaces,
  type Which,
  write,
} from "./count-tables.js";
import { beginAnew, FIRST, type Held, hold, hoursFrom, isCounted, isWhole, LAST, setPlace } from "./counted-place.js";

/*
 * A day is counted anew beside the one that stands: the events up to an id that say by their ids when they happened, then the others, then what
 * came since; and is put in its place. Whatever of it is changed meanwhile lets it begin again.
 */

/** Milliseconds by which ids and times of a day are looked for around it: by so much zones and clocks may differ. */
const MARGIN_MS = 2 * HOUR_MS;
/** So many times a step reads or puts; and rows that are put in their place at a time. */
const [CALLS, PUT] = [40, 2_000];
/** Which tables are put in their place, by the first of their keys. */
const PUT_TABLES = ["active", "hours", "account_names", "contact_names"] as const;
type PutTable = (typeof PUT_TABLES)[number];
const partOf = (table: PutTable): string => `put ${table}`;

/**
 * Counts the next events of the day that is counted anew, or of the newest that waits.
 *
 * @returns whether there may be more
 */
export const countAnew = (database: Database, workspace: string, rows = STEP): Promise<boolean> =>
  database.transaction(async (query) => {
    const held = await hold(query, workspace);
    if (held.id === null) return false;
    let isMore = true;
    // Days of few events are done together.
    for (let left = rows; left > 0 && isMore; ) {
      isMore = await pick(query, held);
      if (!isMore) break;
      const work = held.part!.startsWith("put") ? put : read;
      left -= Math.max(await work(query, held, rows), rows / CALLS);
    }
    const { day, upto, part, at, after } = held;
    await setPlace(query, held, { day, upto, part, at, after });
    return isMore;
  });

/** Begins with the newest day that waits, where none is under way. @returns whether one is */
const pick = async (query: Query, held: Held): Promise<boolean> => {
  if (held.day !== null && isWhole(held.day, held)) return true;
  if (held.day !== null) await beginAnew(query, held);
  const { workspace, past, id } = held;
  await query("DELETE FROM days_stale WHERE workspace = $1 AND day <= $2", [workspace, past]);
  const newest = "SELECT max(day)::text AS day FROM days_stale WHERE workspace = $1";
  const [next] = await query<{ day: string | null }>(newest, [workspace]);
  if (next!.day === null) return false;
  Object.assign(held, { day: next!.day, upto: id, part: "ids", at: null, after: null });
  return true;
};

const read = async (query: Query, held: Held, rows: number): Promise<number> => {
  const { workspace, zone } = held;
  const [day, upto] = [held.day!, held.upto!];
  const [start, end] = [startOf(day, zone) - MARGIN_MS, startOf(later(day, 1), zone) + MARGIN_MS];
  const byId = (from: string, to: string): Which => ({
    condition: "workspace = $1 AND id >= $2 AND id < $3",
    values: [workspace, held.after ?? from, to],
  });
  const [which, order, next] = {
    ids: (): [Which, string, string] => [
      byId(idAt(start), [upto, idAt(end + HOUR_MS + LATE_MS)].sort()[0]!),
      "id",
      "late",
    ],
    late: (): [Which, string, string] => [
      {
        condition: `workspace = $1 AND ${LATE} AND (${AT}, id) >= ($2, $3) AND ${AT} < $4 AND id < $5`,
        values: [workspace, held.at ?? start, held.after ?? FIRST, end, upto],
      },
      `${AT}, id`,
      "since",
    ],
    since: (): [Which, string, string] => [byId(upto, held.id!), "id", partOf("active")],
  }[held.part as "ids" | "late" | "since"]();
  const found = await readEvents(query, zone, which, `ORDER BY ${order} LIMIT ${rows + 1}`);
  const own = found
    .slice(0, rows)
    .filter((row) => dayOf(row) === day && isCounted(row, held) && !(held.part === "ids" && row.late));
  await add(query, held, { rows: own, sign: 1, into: "_anew" });
  const behind = found[rows];
  if (behind === undefined && held.part === "since") await putDays(query, held);
  Object.assign(held, {
    part: behind === undefined ? next : held.part,
    at: behind?.at ?? null,
    after: behind?.id ?? null,
  });
  return found.length;
};

/** Puts what was counted of names, paths and hosts in the place of what stands. */
const putDays = async (query: Query, held: Held): Promise<void> => {
  const { workspace, folded } = held;
  const day = held.day!;
  if (day < folded) await fold(query, { workspace, day, into: "_anew" });
  await query("DELETE FROM days WHERE workspace = $1 AND day = $2", [workspace, day]);
  await query(
    `INSERT INTO days (workspace, day, kind, key, events, hours)
     SELECT workspace, day, kind, key, events, CASE WHEN $2 THEN hours END FROM days_anew WHERE workspace = $1`,
    [workspace, day >= hoursFrom(held)],
  );
  await query("DELETE FROM days_anew WHERE workspace = $1", [workspace]);
};

/** Puts some contacts or accounts in their place, or ends. @returns how many rows there were at most */
const put = async (query: Query, held: Held): Promise<number> => {
  const { workspace, folded } = held;
  const day = held.day!;
  const table = PUT_TABLES.find((one) => partOf(one) === held.part)!;
  const { date, keys } = TABLES[table];
  const place = Number(day.slice(8));
  const [stands, clear] =
    table === "hours"
      ? ["TRUE", "DELETE FROM hours"]
      : [
          `get_bit(days, ${place - 1}) = 1`,
          `UPDATE ${table} SET events = without(events, ${place - 1}, ${place}), days = set_bit(days, ${place - 1}, 0)`,
        ];
  const of = [workspace, date === "month" ? monthOf(day) : day, held.after ?? FIRST];
  const range = `workspace = $1 AND ${date} = $2 AND ${keys[0]} > $3`;
  const behind = (from: string) => `(SELECT ${keys[0]} FROM ${from} ORDER BY 1 LIMIT 1 OFFSET ${PUT})`;
  const [ends] = await query<{ last: string | null }>(
    `SELECT least(${behind(`${table} WHERE ${range} AND ${stands}`)}, ${behind(`${table}_anew WHERE ${range}`)}) AS last`,
    of,
  );
  const last = ends!.last ?? LAST;
  const some = `WHERE ${range} AND ${keys[0]} <= $4`;
  const cleared = await query(`${clear} ${some} AND ${stands} RETURNING 1 AS cleared`, [...of, last]);
  const found = await query<{ date: string; first: string; second: string; events: number[] }>(
    `SELECT ${date}::text AS date, ${keys[0]} AS first, ${keys[1]} AS second, events FROM ${table}_anew ${some}`,
    [...of, last],
  );
  const lines = found.map(
    ({ date, first, second, events }): Line => ({ date, keys: [first, second], events: toPlaces(events) }),
  );
  const settled = await settleKeys(query, workspace, lines, { table, into: "", folded });
  await write(query, workspace, { table, into: "", lines: settled, hoursFrom: day });
  if (cleared.length > 0) await query(`DELETE FROM ${table} ${some} AND ${isEmpty(table)}`, [...of, last]);
  held.after = last;
  if (last !== LAST) return found.length;
  await query(`DELETE FROM ${table}_anew WHERE workspace = $1`, [workspace]);
  const next = PUT_TABLES[PUT_TABLES.indexOf(table) + 1];
  if (next !== undefined) Object.assign(held, { part: partOf(next), after: null });
  else {
    await query("DELETE FROM days_stale WHERE workspace = $1 AND day = $2", [workspace, day]);
    Object.assign(held, { day: null, upto: null, part: null, at: null, after: null });
  }
  return found.length;
};
