import { HOUR_MS } from "../base/times.js";
import type { Database, Query } from "../database/database.js";
import { idAt, LATE_MS } from "../database/event-id.js";
import { hourOf } from "../records/stale-hours.js";
import { renewActive } from "./active.js";
import {
  ACTIVE_TABLES,
  type ActiveTable,
  ALL_KINDS,
  addCounts,
  type Count,
  count,
  type Kind,
  MAX_KEYS,
  nextPlace,
  OTHER,
  type Part,
  STEP,
} from "./keys.js";

/*
 * An hour is counted anew beside the sums, one step after another: the events that have their time in their ids, what was
 * imported, and, where something was deleted, who was active. How far that has come is a row. Events that get into the sums
 * meanwhile are added here, too, so what is counted here is at its end what the sums should be.
 */

/** Keys of each kind that an hour has while it is counted; what is rarest then is put aside. */
const MOST_KEYS = 20_000;
/** In front of all ids. */
const NIL = "00000000-0000-0000-0000-000000000000";

/** How far it has come. */
interface Place {
  part: "by id" | "imported" | ActiveTable | "end";
  /** Epoch milliseconds. */
  at: number;
  id: string;
}

interface Renewal extends Place {
  workspace: string;
  hour: number;
  /** Was something deleted there? */
  deleted: boolean;
  /** Events before this id are counted here, the others by whoever adds them to the sums. */
  until: string;
}

const readRenewal = async (query: Query, workspace: string): Promise<Renewal | undefined> => {
  const [row] = await query<Record<string, unknown>>("SELECT * FROM sums_renewed WHERE workspace = $1", [workspace]);
  return row && ({ ...row, hour: Number(row.hour), at: Number(row.at) } as Renewal);
};

/** What is counted of it: who was active stays so where nothing was deleted. */
const kindsOf = ({ deleted }: Renewal): Count["kind"][] => [...ALL_KINDS, ...(deleted ? ACTIVE_TABLES : [])];

/** Adds what gets into the sums to what is counted anew, of the same hour. */
export const createFeed = async (query: Query, workspace: string) => {
  const renewal = await readRenewal(query, workspace);
  return {
    /** The hour that is counted anew, if any. */
    hour: renewal?.hour,
    /** Is it counted, too, who was active in it? */
    hasActive: renewal?.deleted ?? false,
    add: async (counts: readonly Count[]): Promise<void> => {
      if (renewal === undefined || !kindsOf(renewal).includes(counts[0]?.kind as Kind)) return;
      const own = counts.filter(({ quarter }) => hourOf(quarter) === renewal.hour);
      await addCounts(query, workspace, own, "sums_anew");
    },
  };
};

/** An hour that waits, or is under way. @param isCaughtUp whether those count that have too many keys, and nothing else */
const WAITING = `SELECT hour FROM sums_stale WHERE workspace = $1 AND (deleted OR $2::boolean)
UNION ALL SELECT hour FROM sums_renewed WHERE workspace = $1 ORDER BY hour LIMIT 1`;

/**
 * Counts the next events of an hour anew.
 *
 * @param rows events of the step
 * @param isCaughtUp whether all settled events are in the sums: what has too many keys may get more of them until then
 * @returns whether there may be more
 */
export const renew = async (
  database: Database,
  workspace: string,
  { rows = STEP, isCaughtUp = true }: { rows?: number; isCaughtUp?: boolean } = {},
): Promise<boolean> => {
  const [waiting] = await database.query<{ hour: unknown }>(WAITING, [workspace, isCaughtUp]);
  if (waiting === undefined) return false;
  await database.transaction(async (query) => {
    // Waits for a step that is under way, and holds back the next one.
    const lock = "UPDATE sums_followed SET id = id WHERE workspace = $1 RETURNING id";
    const [followed] = await query<{ id: string }>(lock, [workspace]);
    const before = await readRenewal(query, workspace);
    const renewal = before ?? (await begin(query, { workspace, hour: Number(waiting.hour), until: followed?.id }));
    if (renewal === undefined) return;
    let place: Place = renewal;
    // What is small is done at once.
    for (let part: Place["part"] | undefined; place.part !== part && place.part !== "end"; ) {
      part = place.part;
      place = await advance(query, { ...renewal, ...place }, rows);
    }
    if (place.part === "end") return finish(query, renewal);
    await query("UPDATE sums_renewed SET part = $2, at = $3, id = $4 WHERE workspace = $1", [
      ...[workspace, place.part, place.at, place.id],
    ]);
  });
  return true;
};

/** Takes the marks of an hour: what was deleted before them is no longer there. Nothing where there is nothing to count. */
const begin = async (
  query: Query,
  { workspace, hour, until }: { workspace: string; hour: number; until: string | undefined },
): Promise<Renewal | undefined> => {
  const taken = "DELETE FROM sums_stale WHERE workspace = $1 AND hour = $2 RETURNING deleted";
  const marks = await query<{ deleted: boolean }>(taken, [workspace, hour]);
  if (until === undefined || marks.length === 0) return undefined;
  const renewal: Renewal = {
    ...{ workspace, hour, deleted: marks.some(({ deleted }) => deleted), until },
    ...{ part: "by id", at: hour, id: idAt(hour) },
  };
  await query(
    "INSERT INTO sums_renewed (workspace, hour, deleted, until, part, at, id) VALUES ($1, $2, $3, $4, $5, $6, $7)",
    [workspace, hour, renewal.deleted, until, renewal.part, renewal.at, renewal.id],
  );
  return renewal;
};

/** Does the next step; resolves to the place behind it. */
const advance = async (query: Query, renewal: Renewal, rows: number): Promise<Place> => {
  const { workspace, hour, deleted, until, part, at, id } = renewal;
  const end = hour + HOUR_MS;
  const begun = (next: Place["part"], nextId = NIL): Place => ({ part: next, at: hour, id: nextId });
  if (part === "by id") {
    const last = [until, idAt(end + LATE_MS)].sort()[0];
    const of = { condition: "workspace = $1 AND id >= $2 AND id < $3", values: [workspace, id, last] };
    const next = await nextPlace(query, of, { order: "id", rows });
    await add(query, renewal, {
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
    await add(query, renewal, {
      condition: `${of.condition} AND (received_at, id) < ($7, $8)`,
      values: [...of.values, ...to],
    });
    return next === undefined ? begun(deleted ? ACTIVE_TABLES[0]! : "end") : { part, ...next };
  }
  const table = part as ActiveTable;
  const last = await renewActive(query, renewal, { table, after: id, rows });
  const following = ACTIVE_TABLES[ACTIVE_TABLES.indexOf(table) + 1] ?? "end";
  return last === undefined ? begun(following) : { part, at, id: last };
};

/** Adds some events to what is counted anew. */
const add = async (query: Query, renewal: Renewal, part: Part): Promise<void> => {
  const { workspace } = renewal;
  for (const kind of kindsOf(renewal)) await addCounts(query, workspace, await count(query, kind, part), "sums_anew");
  for (const kind of ALL_KINDS) await putAside(query, workspace, kind);
};

/** Counts the rarest keys together where there are too many. */
const putAside = async (query: Query, workspace: string, kind: Kind): Promise<void> => {
  const of = "FROM sums_anew WHERE workspace = $1 AND kind = $2";
  const [row] = await query<{ rows: unknown }>(`SELECT count(*) AS rows ${of}`, [workspace, kind]);
  // Each key has up to four quarters.
  if (Number(row!.rows) <= MOST_KEYS) return;
  const rare = await query<{ key: string }>(
    `SELECT key ${of} AND key <> '${OTHER}' GROUP BY key ORDER BY sum(events) DESC, key OFFSET ${MOST_KEYS / 2}`,
    [workspace, kind],
  );
  const gone = await query<Record<string, unknown>>(
    `DELETE ${of} AND key = ANY($3::text[]) RETURNING quarter, events`,
    [workspace, kind, rare.map(({ key }) => key)],
  );
  const rest = new Map<number, Count>();
  for (const { quarter, events } of gone) {
    const one = rest.get(Number(quarter)) ?? { kind, quarter: Number(quarter), key: OTHER, events: 0 };
    rest.set(one.quarter, { ...one, events: one.events + Number(events) });
  }
  await addCounts(query, workspace, [...rest.values()], "sums_anew");
};

/** Puts what was counted in place of what the sums say. */
const finish = async (query: Query, { workspace, hour }: Renewal): Promise<void> => {
  await query("DELETE FROM sums WHERE workspace = $1 AND kind = ANY($2::text[]) AND quarter >= $3 AND quarter < $4", [
    ...[workspace, ALL_KINDS, hour, hour + HOUR_MS],
  ]);
  for (const kind of ALL_KINDS) await query(STORE, [workspace, kind]);
  for (const table of ["sums_anew", "sums_renewed"])
    await query(`DELETE FROM ${table} WHERE workspace = $1`, [workspace]);
};

/** The most frequent keys of the hour, and the rest together. */
const STORE = `INSERT INTO sums (workspace, kind, quarter, key, events)
SELECT $1, $2, quarter, CASE WHEN place <= ${MAX_KEYS} THEN key ELSE '${OTHER}' END, sum(events)
FROM (SELECT quarter, key, events, dense_rank() OVER (ORDER BY key = '${OTHER}', total DESC, key) AS place
      FROM (SELECT quarter, key, events, sum(events) OVER (PARTITION BY key) AS total
            FROM sums_anew WHERE workspace = $1 AND kind = $2) AS totalled) AS placed
GROUP BY 3, 4`;
