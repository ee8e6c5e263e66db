import { NIL } from "uuid";
import { HOUR_MS } from "../../../base/times.js";
import type { Query } from "../../../database/database.js";
import { idAt, LATE_MS } from "../../../database/event-id.js";
import { ACTIVE_TABLES, type ActiveTable, type Count, count, nextPlace, type Part } from "../keys.js";
import { renewActive } from "./renew-active.js";
import { kindsOf, type Place, type Renewal } from "./renewal.js";

/* What one step counts of an hour: events that have their time in their ids, imported ones, and who was active. */

/** What was counted in a transaction, and how many events may be read at once. */
interface Held {
  held: Count[];
  rows: number;
}

/** Does the next step, whose counts are held; resolves to the place behind it. */
export const advance = async (query: Query, renewal: Renewal, { held, rows }: Held): Promise<Place> => {
  const { workspace, hour, deleted, until, part, at, id } = renewal;
  const end = hour + HOUR_MS;
  const begun = (next: Place["part"], nextId = NIL): Place => ({ part: next, at: hour, id: nextId });
  const take = async (of: Part): Promise<void> => {
    for (const kind of kindsOf(renewal)) held.push(...(await count(query, kind, of)));
  };
  if (part === "by id") {
    const last = [until, idAt(end + LATE_MS)].sort()[0];
    const of = { condition: "workspace = $1 AND id >= $2 AND id < $3", values: [workspace, id, last] };
    const next = await nextPlace(query, of, { order: "id", rows });
    await take({
      condition: `${of.condition} AND origin_id IS NULL AND received_at >= $4 AND received_at < $5`,
      values: [workspace, id, next?.id ?? last, hour, end],
    });
    return next === undefined ? begun("imported") : { part, ...next };
  }
  if (part === "imported") {
    const of = {
      condition: `workspace = $1 AND origin_id IS NOT NULL AND received_at >= $2 AND received_at < $3
  AND (received_at, id) >= ($4, $5) AND id < $6`,
      values: [workspace, hour, end, at, id, until],
    };
    const next = await nextPlace(query, of, { order: "received_at, id", rows });
    const to = next === undefined ? [end, NIL] : [next.at, next.id];
    await take({
      condition: `${of.condition} AND (received_at, id) < ($7, $8)`,
      values: [...of.values, ...to],
    });
    return next === undefined ? begun(deleted ? ACTIVE_TABLES[0]! : "end") : { part, ...next };
  }
  const table = part as ActiveTable;
  const last = await renewActive(query, renewal, { table, after: id, rows, held });
  const following = ACTIVE_TABLES[ACTIVE_TABLES.indexOf(table) + 1] ?? "end";
  return last === undefined ? begun(following) : { part, at, id: last };
};
