import type { Database, Query } from "../../database/database.js";
import { idAt, timeOf } from "../../database/event-id.js";
import type { Settled } from "../../database/settled.js";

/** Milliseconds for which an answer holds, whoever asks. */
const VALID_MS = 2_000;

/** The first event of a workspace that is not in the sums has this id or a later one. */
export const followedTo = async (query: Query, workspace: string): Promise<string> => {
  const [row] = await query<{ id: string }>("SELECT id FROM sums_followed WHERE workspace = $1", [workspace]);
  return row?.id ?? idAt(0);
};

/**
 * Waits for a step of a workspace that is under way, the first one too, and holds back the next one until its transaction ends.
 *
 * @returns what `followedTo` does
 */
export const holdSteps = async (query: Query, workspace: string): Promise<string> => {
  const lock = `INSERT INTO sums_followed (workspace, id) VALUES ($1, $2)
    ON CONFLICT (workspace) DO UPDATE SET id = sums_followed.id RETURNING id`;
  return (await query<{ id: string }>(lock, [workspace, idAt(0)]))[0]!.id;
};

/** The first settled event of a workspace that is not in the sums. @param settled the first id that is not settled */
const firstWaiting = async (query: Query, workspace: string, settled: string): Promise<string | undefined> => {
  const waiting = "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1";
  return (await query<{ id: string }>(waiting, [workspace, await followedTo(query, workspace), settled]))[0]?.id;
};

/** Up to when all events of a workspace are in the sums. */
export const countedTo = async (
  { query, settled }: { query: Query; settled: Settled },
  workspace: string,
): Promise<number> => {
  const end = await settled();
  const first = await firstWaiting(query, workspace, idAt(end));
  return first === undefined ? end : timeOf(first);
};

/** The first such event of each workspace that has one: asked for all in one question. */
export const allWaiting = async (
  { query, shardOf }: Pick<Database, "query" | "shardOf">,
  workspaces: readonly string[],
  settled: string,
): Promise<Map<string, string>> => {
  // Citus cannot answer that.
  const rows =
    shardOf?.(settled) !== undefined
      ? await Promise.all(workspaces.map(async (name) => ({ name, id: await firstWaiting(query, name, settled) })))
      : await query<{ name: string; id: string | null }>(
          `SELECT name, (SELECT id FROM events WHERE workspace = name AND id < $2
                           AND id >= coalesce((SELECT id FROM sums_followed WHERE workspace = name), $3) ORDER BY id LIMIT 1) AS id
           FROM unnest($1::text[]) AS served (name)`,
          [workspaces, settled, idAt(0)],
        );
  return new Map(rows.flatMap(({ name, id }) => (id ? [[name, id] as const] : [])));
};

/** How far the sums of each workspace are behind what is settled, in seconds. */
export type Behind = () => Promise<{ workspace: string; seconds: number }[]>;

/** Tells it, by the database: any process may make the sums. */
export const createBehind = (
  database: Pick<Database, "query" | "shardOf">,
  { workspaces, settled }: { workspaces: () => readonly string[]; settled: Settled },
): Behind => {
  let asked: ReturnType<Behind> | undefined;
  let askedAt = 0;
  const ask = async () => {
    const names = workspaces();
    const end = await settled();
    const waiting = await allWaiting(database, names, idAt(end));
    return names.map((workspace) => {
      const first = waiting.get(workspace);
      return { workspace, seconds: first === undefined ? 0 : Math.max(0, end - timeOf(first)) / 1_000 };
    });
  };
  return () => {
    if (asked === undefined || performance.now() - askedAt > VALID_MS) [asked, askedAt] = [ask(), performance.now()];
    return asked;
  };
};
