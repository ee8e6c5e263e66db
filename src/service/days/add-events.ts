import type { Database, Query } from "../database/database.js";
import { idAt, timeOf } from "../database/event-id.js";
import { fold, settleKeys } from "./bounded-keys.js";
import { later, startOf } from "./calendar.js";
import { ALL_TABLES, dayOf, type EventRow, type Into, readEvents, tally, write } from "./count-tables.js";
import {
  begin,
  beginAnew,
  type Held,
  hold,
  hoursFrom,
  isCounted,
  markDays,
  openFrom,
  setPlace,
} from "./counted-place.js";

/* All that changes the counts: whoever follows, deletes, leaves out or counts anew gives the events. */

/** Adds events to the counts, or subtracts them. @param into those of the day that is counted anew. Default: those that stand */
export const add = async (
  query: Query,
  held: Held,
  { rows, sign, into = "" }: { rows: readonly EventRow[]; sign: 1 | -1; into?: Into },
): Promise<void> => {
  if (rows.length === 0) return;
  const { workspace, folded } = held;
  const from = into === "" ? hoursFrom(held) : "";
  const lines = tally(
    rows.filter((row) => held.past === null || dayOf(row) >= held.past),
    sign,
  );
  for (const table of ALL_TABLES) {
    let of = [...lines[table].values()];
    if (table === "hours") of = of.filter(({ date }) => date >= hoursFrom(held));
    of = await settleKeys(query, workspace, of, { table, into, folded });
    await write(query, workspace, { table, into, lines: of, hoursFrom: from });
  }
};

/** The same of events of before the place that are changed where they stand, whatever is counted anew meanwhile. */
export const change = async (
  query: Query,
  held: Held,
  { rows, sign }: { rows: readonly EventRow[]; sign: 1 | -1 },
): Promise<void> => {
  if (rows.some((row) => dayOf(row) === held.day)) await beginAnew(query, held);
  await add(query, held, { rows, sign });
};

/** Subtracts events that are deleted in the same transaction: those that were counted. */
export const subtract = (query: Query, held: Held, rows: readonly EventRow[]): Promise<void> => {
  const { id } = held;
  const counted = id === null ? [] : rows.filter((row) => row.id < id && isCounted(row, held));
  return change(query, held, { rows: counted, sign: -1 });
};

/** Events of one step: its transaction holds up nobody for long. */
export const STEP = 5_000;
const FOLDED_AFTER = 2;

/** When the first day that is not folded is to be so. */
export const dueAt = ({ folded, zone }: Pick<Held, "folded" | "zone">): number =>
  startOf(later(folded, 1 + FOLDED_AFTER), zone);

/**
 * Adds the next settled events of a workspace, each once, or folds a day that is due. The place moves in the same transaction.
 *
 * @param settled the first id that is not settled
 * @param rows of a step
 * @returns whether there may be more
 */
export const countNext = (database: Database, workspace: string, settled: string, rows = STEP): Promise<boolean> =>
  database.transaction(async (query) => {
    const held = await hold(query, workspace);
    if (held.id === null) {
      await begin(query, held, settled);
      return true;
    }
    const { id, zone } = held;
    // Where a day is put in its place, nothing comes between.
    if (id >= settled || held.part?.startsWith("put")) return false;
    const due = dueAt(held);
    if (timeOf(id) >= due) {
      await foldNext(query, held);
      return true;
    }
    const end = [settled, idAt(due)].sort()[0]!;
    const which = { condition: "workspace = $1 AND id >= $2 AND id < $3", values: [workspace, id, end] };
    const read = await readEvents(query, zone, which, `ORDER BY id LIMIT ${rows + 1}`);
    const next = read.length > rows ? read[rows]!.id : end;
    if (read.length === 0 && end === settled) return false;
    const counted = read.slice(0, rows).filter((row) => isCounted(row, held));
    // What is imported for a day that is folded counts with all of its keys: the day is counted anew, as one that is closed.
    const [open, ofImported] = [openFrom(held), held.folded];
    const isClosed = (row: EventRow) => dayOf(row) < (row.imported ? ofImported : open);
    await markDays(query, held, counted.filter(isClosed).map(dayOf));
    await add(query, held, { rows: counted.filter((row) => !isClosed(row)), sign: 1 });
    await setPlace(query, held, { id: next });
    return next !== settled;
  });

const CHUNK = 5_000;

/** Folds the first day that is not, when the hours of a day that is past have gone. */
const foldNext = async (query: Query, held: Held): Promise<void> => {
  const { workspace, folded } = held;
  const from = hoursFrom({ ...held, folded: later(folded, 1) });
  if (await forgetHours(query, workspace, from)) return;
  await fold(query, { workspace, day: folded, into: "" });
  await query("UPDATE days SET hours = NULL WHERE workspace = $1 AND day < $2 AND day >= $3 AND hours IS NOT NULL", [
    workspace,
    from,
    later(from, -7),
  ]);
  await setPlace(query, held, { folded: later(folded, 1) });
};

/** Deletes some rows of hours from before a day. @returns whether there may be more */
const forgetHours = async (query: Query, workspace: string, before: string): Promise<boolean> => {
  const old = "FROM hours WHERE workspace = $1 AND day < $2";
  const [last] = await query<{ day: string; contact: string }>(
    `SELECT day::text AS day, contact ${old} ORDER BY day, contact LIMIT 1 OFFSET ${CHUNK}`,
    [workspace, before],
  );
  await query(`DELETE ${old} AND (day, contact) <= ($3::date, $4::uuid)`, [
    workspace,
    before,
    ...(last === undefined ? [before, null] : [last.day, last.contact]),
  ]);
  return last !== undefined;
};
