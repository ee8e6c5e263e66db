import type { Query } from "../database/database.js";
import { continueIds, idAt, newIds, timeOf } from "../database/event-id.js";

/*
 * A dump has all that was settled when it was taken, and what was stored later is lost with it. Who follows may have read
 * that: a place in between is one of before the restore, and is refused.
 */

/** In front of the first id that was not in the dump; the value is the time of the restore, in epoch milliseconds. */
const NAME = "restored ";

/**
 * Why who follows cannot go on from a place; nothing where it can. Asked each time: a database may be restored under a process
 * that only knows that it was away.
 */
export const lostPlace = async (query: Query, place: string): Promise<string | undefined> => {
  const restores = await query<{ name: string; value: unknown }>(
    "SELECT name, value FROM service_state WHERE name LIKE $1",
    [`${NAME}%`],
  );
  for (const { name, value } of restores) {
    const [from, to] = [name.slice(NAME.length), Number(value)];
    if (place <= from || place >= idAt(to)) continue;
    const [began, ended] = [timeOf(from), to].map((time) => new Date(time).toISOString());
    return `the database was restored from a dump, without what was stored between ${began} and ${ended}, as ${place} was: delete what is behind ${from}, and go on from there`;
  }
  return undefined;
};

/** Rows that get new ids at a time. */
const CHUNK = 5_000;

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
  for (const workspace of workspaces) {
    while ((await renewEvents(query, [workspace, settled, now])) === CHUNK);
    await renewDeletions(query, [workspace, settled, now]);
  }
  await query("INSERT INTO service_state (name, value) VALUES ($1, $2)", [`${NAME}${settled}`, timeOf(now)]);
};

const renewEvents = async (query: Query, range: readonly string[]): Promise<number> => {
  const old = await query<{ contact_id: string; id: string }>(
    `SELECT contact_id, id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT ${CHUNK}`,
    [...range],
  );
  await query(
    `UPDATE events SET id = new.id FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS new (contact_id, old, id)
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
      ...[range[0], newIds(1)[0]],
      ...REST.map((name) => row[name]),
    ]);
};
