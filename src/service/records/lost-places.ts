import type { Query } from "../database/database.js";
import { continueIds, idAt, newIds, timeOf } from "../database/event-id.js";
import { readState, writeState } from "../database/service-state.js";

/*
 * A dump has all that was settled when it was taken, and what was stored later is lost with it. Who follows may have read
 * that: a place in between is one of before the restore, and is refused.
 */

/** In front of the first id that was not in the dump; the value is the time of the restore, in epoch milliseconds. */
const RESTORED = "restored ";

/** In front of the first id that may have come twice, as a clock was put right; the value is up to when ids were followed by it before. */
const PUT_RIGHT = "put right ";
const LOST = RegExp(`^(${RESTORED}|${PUT_RIGHT})(.+)$`);
/** The time of the last one. */
export const PUT_RIGHT_AT = "clock_put_right";

interface Lost {
  /** Where to go on. */
  from: string;
  why: string;
}

/** What became of a place, if anything. Asked each time: a database may be restored under a process that only knows that it was away. */
const lossOf = async (query: Query, workspace: string, place: string): Promise<Lost | undefined> => {
  const state = await readState(query);
  for (const [name, to] of Object.entries(state)) {
    const [, kind, from] = LOST.exec(name) ?? [];
    if (from === undefined || place <= from || place >= idAt(to!)) continue;
    const isClock = kind === PUT_RIGHT;
    // Somebody may have been told to go on from there.
    const isTold = isClock && state[`${PUT_RIGHT}${place}`] !== undefined;
    if (isTold || (isClock && (await isThere(query, workspace, place)))) continue;
    const [began, ended] = [timeOf(from), to!].map((time) => new Date(time).toISOString());
    const why = isClock
      ? `a clock of the database was ahead and was put right: what was stored by it between ${began} and ${ended}, as ${place} was, has other ids now`
      : `the database was restored from a dump, without what was stored between ${began} and ${ended}, as ${place} was`;
    return { from, why };
  }
  return undefined;
};

/** Why who follows cannot go on from a place; nothing where it can. */
export const lostPlace = async (query: Query, workspace: string, place: string): Promise<string | undefined> => {
  const lost = await lossOf(query, workspace, place);
  return lost && `${lost.why}: delete what is behind ${lost.from}, and go on from there`;
};

/** Where to read on for who may read again what is behind it. */
export const keptPlace = async (query: Query, workspace: string, place: string): Promise<string> =>
  (await lossOf(query, workspace, place))?.from ?? place;

/** Is a place an id of now? Those of the wrong clock are no longer there. */
const isThere = async (query: Query, workspace: string, place: string): Promise<boolean> => {
  const found = "SELECT 1 AS found FROM events WHERE workspace = $1 AND id = $2";
  return (await query(`${found} UNION ALL ${found.replace("events", "deletions")}`, [workspace, place])).length > 0;
};

/** Says of places behind an id that those who follow have them from a clock that was put right. */
export const followersLose = (
  query: Query,
  { from, end, at }: { from: string; end: string; at: number },
): Promise<void> => writeState(query, { [`${PUT_RIGHT}${from}`]: timeOf(end) + 1, [PUT_RIGHT_AT]: at });

const CHUNK = 5_000;
const LAST = idAt(Number.POSITIVE_INFINITY);

/**
 * Says of a database into which a dump was loaded that it was restored. What was not settled yet then gets new ids, as nobody can
 * have followed it.
 *
 * @param settled the first id that was not
 */
export const markRestored = async (query: Query, settled: string): Promise<void> => {
  const workspaces = (await query<{ name: string }>("SELECT name FROM workspaces")).map(({ name }) => name);
  for (const workspace of workspaces) await continueIds(query, workspace);
  const [now] = newIds(1) as [string];
  for (const workspace of workspaces) while (await renewIds(query, workspace, { from: settled, to: now }));
  await writeState(query, { [`${RESTORED}${settled}`]: timeOf(now) });
};

/** Gives new ids, which say nothing of the time of the receipt, to some events and deletions that have ids of a range. @returns whether there may be more */
export const renewIds = async (
  query: Query,
  workspace: string,
  { from, to = LAST }: { from: string; to?: string },
): Promise<boolean> => {
  if ((await renewEvents(query, [workspace, from, to])) === CHUNK) return true;
  await renewDeletions(query, [workspace, from, to]);
  return false;
};

const renewEvents = async (query: Query, range: readonly string[]): Promise<number> => {
  const old = await query<{ contact_id: string; id: string }>(
    `SELECT contact_id, id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT ${CHUNK}`,
    [...range],
  );
  await query(
    `UPDATE events SET id = new.id, origin_id = coalesce(origin_id, new.old) FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS new (contact_id, old, id)
     WHERE events.contact_id = new.contact_id AND events.id = new.old`,
    [old.map(({ contact_id }) => contact_id), old.map(({ id }) => id), newIds(old.length)],
  );
  return old.length;
};

/** All but the id, by which its rows may be spread: it cannot be changed. */
const REST = ["before", "ids", "reason", "marks", "erased_at"];

const renewDeletions = async (query: Query, range: readonly string[]): Promise<void> => {
  const old = await query<Record<string, unknown>>(
    `DELETE FROM deletions WHERE workspace = $1 AND id >= $2 AND id < $3 RETURNING id, ${REST}`,
    [...range],
  );
  const inOrder = old.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  for (const row of inOrder)
    await query(`INSERT INTO deletions (workspace, id, ${REST}) VALUES ($1, $2, $3, $4, $5, $6, $7)`, [
      range[0],
      newIds(1)[0],
      ...REST.map((name) => row[name]),
    ]);
};
