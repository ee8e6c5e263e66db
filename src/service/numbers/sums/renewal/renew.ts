import { HOUR_MS } from "../../../base/times.js";
import type { Database, Query } from "../../../database/database.js";
import { idAt } from "../../../database/event-id.js";
import { holdSteps } from "../behind.js";
import { ALL_KINDS, addCounts, type Count, type Kind, OTHER, STEP, sumUp, toCount } from "../keys.js";
import { boundKeys } from "../top-keys.js";
import { advance } from "./renew-step.js";
import { type Place, type Renewal, readRenewal } from "./renewal.js";

/*
 * An hour is counted anew beside the sums, one step after another: the events that have their time in their ids, what was
 * imported, and, where something was deleted, who was active. What one transaction does not end is kept in `sums_anew`, and how far
 * that has come is a row. Events that get into the sums meanwhile are added there, too, so what is counted is at its end what the sums
 * should be.
 */

/** Keys of each kind that an hour has while it is counted; what is rarest then is put aside. */
const MOST_KEYS = 20_000;

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
    const until = await holdSteps(query, workspace);
    const before = await readRenewal(query, workspace);
    const renewal = before ?? (await begin(query, { workspace, hour: Number(waiting.hour), until }));
    if (renewal === undefined) return;
    let place: Place = renewal;
    const held: Count[] = [];
    // What is small is done at once.
    for (let part: Place["part"] | undefined; place.part !== part && place.part !== "end"; ) {
      part = place.part;
      place = await advance(query, { ...renewal, ...place }, { rows, held });
    }
    if (place.part === "end") return finish(query, renewal, held);
    await addCounts(query, workspace, sumUp(held), "sums_anew");
    for (const kind of ALL_KINDS) await putAside(query, workspace, kind);
    await query(
      `INSERT INTO sums_renewed (workspace, hour, deleted, until, part, at, id) VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (workspace) DO UPDATE SET part = excluded.part, at = excluded.at, id = excluded.id`,
      [workspace, renewal.hour, renewal.deleted, renewal.until, place.part, place.at, place.id],
    );
  });
  return true;
};

/** Takes the marks of an hour: what was deleted before them is no longer there. Nothing where there is nothing to count. */
const begin = async (
  query: Query,
  { workspace, hour, until }: { workspace: string; hour: number; until: string },
): Promise<Renewal | undefined> => {
  const taken = "DELETE FROM sums_stale WHERE workspace = $1 AND hour = $2 RETURNING deleted";
  const marks = await query<{ deleted: boolean }>(taken, [workspace, hour]);
  if (marks.length === 0) return undefined;
  return {
    ...{ workspace, hour, deleted: marks.some(({ deleted }) => deleted), until },
    ...{ part: "by id", at: hour, id: idAt(hour) },
  };
};

/** Counts the rarest keys together where there are too many. */
const putAside = async (query: Query, workspace: string, kind: Kind): Promise<void> => {
  const of = "FROM sums_anew WHERE workspace = $1 AND kind = $2";
  const keys = `SELECT count(*) AS keys FROM (SELECT key ${of} GROUP BY key) AS different`;
  const [row] = await query<{ keys: unknown }>(keys, [workspace, kind]);
  if (Number(row!.keys) <= MOST_KEYS) return;
  const rare = await query<{ key: string }>(
    `SELECT key ${of} AND key <> '${OTHER}' GROUP BY key ORDER BY sum(events) DESC, key OFFSET ${MOST_KEYS / 2}`,
    [workspace, kind],
  );
  const gone = await query<Record<string, unknown>>(
    `DELETE ${of} AND key = ANY($3::text[]) RETURNING quarter, '${OTHER}' AS key, events`,
    [workspace, kind, rare.map(({ key }) => key)],
  );
  const rest = gone.map((row) => toCount(kind, row));
  await addCounts(query, workspace, sumUp(rest), "sums_anew");
};

/**
 * Makes the sums those that were counted: the most frequent keys of the hour, and the rest together. What they say already is not written
 * again: of a contact that is erased a few rows change in each of many hours.
 */
const finish = async (query: Query, { workspace, hour }: Renewal, held: readonly Count[]): Promise<void> => {
  const range = "FROM sums WHERE workspace = $1 AND kind = ANY($2::text[]) AND quarter >= $3 AND quarter < $4";
  const ofHour = [workspace, ALL_KINDS, hour, hour + HOUR_MS];
  const changed: Count[] = (await query(`SELECT kind, quarter, key, -events AS events ${range}`, ofHour)).map((row) =>
    toCount(row.kind as Kind, row),
  );
  for (const kind of ALL_KINDS) {
    const kept = await query("SELECT quarter, key, events FROM sums_anew WHERE workspace = $1 AND kind = $2", [
      ...[workspace, kind],
    ]);
    const all = [...kept.map((row) => toCount(kind, row)), ...held.filter((one) => one.kind === kind)];
    changed.push(...boundKeys(all).counts);
  }
  await addCounts(
    query,
    workspace,
    sumUp(changed).filter(({ events }) => events !== 0),
  );
  await query(`DELETE ${range} AND events = 0`, ofHour);
  for (const table of ["sums_anew", "sums_renewed"])
    await query(`DELETE FROM ${table} WHERE workspace = $1`, [workspace]);
};
