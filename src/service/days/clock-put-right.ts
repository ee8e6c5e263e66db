import type { Database, Query } from "../database/database.js";
import { askNodes, idAt, newIds, SET_BACK_MS } from "../database/event-id.js";
import { followersLose, renewIds } from "../records/lost-places.js";
import { beginAnew, hold, markDays, setPlace } from "./counted-place.js";

/*
 * A clock that was ahead and is put right: what comes then has lower ids than what was followed already, and nobody who follows would ever see
 * it. So the place is set back, what was stored by the wrong clock gets ids of now, and who follows is told.
 */

/** Milliseconds after a clock was put right in which a process has seen that. */
const SEEN_MS = 600_000;

/** The slowest clock of the database's nodes, in epoch milliseconds. */
export const readClocks = async (query: Query): Promise<number> => {
  const results = await askNodes(query, "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS result");
  return Math.floor(Math.min(...results.map(Number)));
};

/** A workspace that was counted up to an id that its database has not come to yet. */
interface Ahead {
  workspace: string;
  id: string;
}

/** Those that are ahead by more than a clock may be set back without an effect. @param settled by the clocks of the database alone */
export const findAhead = (query: Query, settled: number): Promise<Ahead[]> =>
  query<Ahead>("SELECT workspace, id FROM counted WHERE id > $1 ORDER BY workspace", [idAt(settled + SET_BACK_MS)]);

/**
 * Does what follows, in steps: what breaks off is found, and done, again.
 *
 * @param clock that of the database
 */
export const putRight = async (
  { transaction }: Database,
  ahead: readonly Ahead[],
  { clock, settled }: { clock: number; settled: number },
): Promise<void> => {
  const from = idAt(settled - SEEN_MS);
  const end = ahead
    .map(({ id }) => id)
    .sort()
    .at(-1)!;
  // Behind an id of now, each time: those that were given a moment ago are below it.
  const renew = (workspace: string) => transaction((query) => renewIds(query, workspace, { from: newIds(1)[0]! }));
  for (const { workspace } of ahead) while (await renew(workspace));
  await transaction(async (query) => {
    await followersLose(query, { from, end, at: clock });
    for (const { workspace } of ahead) await setBack(query, workspace, from);
  });
};

/** Sets the place back. The days of what lies behind it are counted anew: without that, which is added as it is followed again. */
const setBack = async (query: Query, workspace: string, from: string): Promise<void> => {
  const held = await hold(query, workspace);
  await setPlace(query, held, { id: from });
  // The day that is under way is counted up to a later place.
  const { day } = held;
  await beginAnew(query, held);
  const days = "SELECT DISTINCT day::text AS day FROM counted_events WHERE workspace = $1 AND id >= $2";
  const found = await query<{ day: string }>(days, [workspace, from]);
  await markDays(query, held, [...found.map(({ day }) => day), ...(day === null ? [] : [day])]);
};
