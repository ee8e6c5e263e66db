import type { Query } from "../database/database.js";
import { type Bounds, KEYS, settleKeys } from "./keys.js";
import { beginAnew, type Held, hoursFrom, isCounted } from "./place.js";
import { dayOf, type EventRow, tally } from "./rows.js";
import { ALL_TABLES, type Into, write } from "./tables.js";

/* The one step of all that changes the counts: whoever follows, deletes, leaves out or counts anew gives the events. */

/** Adds events to the counts, or subtracts them. @param into those of the day that is counted anew. Default: those that stand */
export const add = async (
  query: Query,
  held: Held,
  { rows, sign, into = "", bounds = KEYS }: { rows: readonly EventRow[]; sign: 1 | -1; into?: Into; bounds?: Bounds },
): Promise<void> => {
  if (rows.length === 0) return;
  const { workspace, folded } = held;
  const from = into === "" ? hoursFrom(held) : "";
  const lines = tally(
    rows.filter((row) => held.past === null || dayOf(row) >= held.past),
    sign,
  );
  for (const table of ALL_TABLES) {
    let of = lines[table];
    if (table === "hours") of = of.filter(({ date }) => date >= hoursFrom(held));
    if (table === "days" || table === "account_names")
      of = await settleKeys(query, workspace, of, { table, into, folded, bounds });
    await write(query, workspace, { table, into, lines: of, hoursFrom: from });
  }
};

/** The same of events of before the place that are changed where they stand, whatever is counted anew meanwhile. */
export const change = async (
  query: Query,
  held: Held,
  { rows, sign, bounds }: { rows: readonly EventRow[]; sign: 1 | -1; bounds?: Bounds },
): Promise<void> => {
  if (rows.some((row) => dayOf(row) === held.day)) await beginAnew(query, held);
  await add(query, held, { rows, sign, ...(bounds && { bounds }) });
};

/** Subtracts events that are deleted in the same transaction: those that were counted. */
export const subtract = (query: Query, held: Held, rows: readonly EventRow[]): Promise<void> => {
  const { id } = held;
  const counted = id === null ? [] : rows.filter((row) => row.id < id && isCounted(row, held));
  return change(query, held, { rows: counted, sign: -1 });
};
