import { DAY_MS } from "../../base/times.js";
import type { Query } from "../../database/database.js";
import { ACTIVE, type ActiveTable, type Count, QUARTER_MS, QUARTERS } from "./keys.js";
import { dayOf } from "./utc-days.js";

/* The rows of who was active: one for each day, with its quarters, and of an account with its events. */

/** Somebody on a day. */
export interface Active {
  /** When it begins. */
  day: number;
  id: string;
  /** A digit for each quarter. */
  quarters: string;
  /** Events of each quarter that has some, of an account. */
  events: (number | undefined)[];
}

export const setAt = (text: string, at: number, part: string): string =>
  text.slice(0, at) + part + text.slice(at + part.length);

export const noneOn = (day: number, id: string): Active => ({ day, id, quarters: "0".repeat(QUARTERS), events: [] });

/** What counts say of each day. */
export const daysOf = (counts: readonly Count[]): Active[] => {
  const days = new Map<string, Active>();
  for (const { quarter, key: id, events } of counts) {
    const day = quarter - (quarter % DAY_MS);
    const one = days.get(`${day} ${id}`) ?? noneOn(day, id);
    days.set(`${day} ${id}`, one);
    const at = (quarter - day) / QUARTER_MS;
    one.quarters = setAt(one.quarters, at, "1");
    one.events[at] = (one.events[at] ?? 0) + events;
  }
  return [...days.values()];
};

/** Stores rows of a table in place of those that are there. */
export const storeActive = async (
  query: Query,
  workspace: string,
  table: ActiveTable,
  rows: readonly Active[],
): Promise<void> => {
  if (rows.length === 0) return;
  const { id } = ACTIVE[table];
  const [names, values, set] =
    table === "active_accounts" ? [", events", ", events::bigint[]", ", events = excluded.events"] : ["", "", ""];
  await query(
    `INSERT INTO ${table} (workspace, day, ${id}, quarters${names}) SELECT $1, day, id, quarters${values}
     FROM unnest($2::date[], $3::uuid[], $4::bit(${QUARTERS})[], $5::text[]) AS new (day, id, quarters, events)
     ON CONFLICT (workspace, day, ${id}) DO UPDATE SET quarters = excluded.quarters${set}`,
    [
      workspace,
      rows.map(({ day }) => dayOf(day)),
      rows.map(({ id }) => id),
      rows.map(({ quarters }) => quarters),
      rows.map(({ events }) =>
        values === "" ? null : `{${Array.from({ length: QUARTERS }, (_, at) => events[at] ?? "NULL")}}`,
      ),
    ],
  );
};

export const readActive = (row: Record<string, unknown>): Active => ({
  ...{ day: Date.parse(String(row.day)), id: String(row.id), quarters: String(row.quarters) },
  events: ((row.events ?? []) as unknown[]).map((one) => (one === null ? undefined : Number(one))),
});

/** What `readActive` reads. */
export const columnsOf = (table: ActiveTable): string =>
  `day::text AS day, ${ACTIVE[table].id} AS id, quarters::text AS quarters${table === "active_accounts" ? ", events" : ""}`;
