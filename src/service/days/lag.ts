import type { Database, Query } from "../database/database.js";
import { idAt, type Settled, timeOf } from "../database/event-id.js";

/** Milliseconds for which an answer holds, whoever asks. */
const VALID_MS = 2_000;

const PLACE = "SELECT id FROM counted WHERE workspace = $1";

/** The first settled event of a workspace that is not counted. @param settled the first id that is not settled */
const firstWaiting = async (query: Query, workspace: string, settled: string): Promise<string | undefined> => {
  const waiting = "SELECT id FROM events WHERE workspace = $1 AND id >= $2 AND id < $3 ORDER BY id LIMIT 1";
  const [row] = await query<{ id: string | null }>(PLACE, [workspace]);
  return (await query<{ id: string }>(waiting, [workspace, row?.id ?? idAt(0), settled]))[0]?.id;
};

/** Up to when all events of a workspace are counted. */
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
                           AND id >= coalesce((SELECT id FROM counted WHERE workspace = name), $3) ORDER BY id LIMIT 1) AS id
           FROM unnest($1::text[]) AS served (name)`,
          [workspaces, settled, idAt(0)],
        );
  return new Map(rows.flatMap(({ name, id }) => (id ? [[name, id] as const] : [])));
};

/** How far each workspace is behind what is settled, in seconds, and how many days wait to be counted anew. */
export type Behind = () => Promise<{ workspace: string; seconds: number; days: number }[]>;

/** Tells it, by the database: any process may count. */
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
    const stale = await database.query<{ workspace: string; days: unknown }>(
      "SELECT workspace, count(*) AS days FROM days_stale GROUP BY 1",
    );
    const days = new Map(stale.map(({ workspace, days }) => [workspace, Number(days)]));
    return names.map((workspace) => {
      const first = waiting.get(workspace);
      const seconds = first === undefined ? 0 : Math.max(0, end - timeOf(first)) / 1_000;
      return { workspace, seconds, days: days.get(workspace) ?? 0 };
    });
  };
  return () => {
    if (asked === undefined || performance.now() - askedAt > VALID_MS) [asked, askedAt] = [ask(), performance.now()];
    return asked;
  };
};
