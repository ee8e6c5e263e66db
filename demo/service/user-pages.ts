import type { Database, Query } from "./database.js";

export interface UserRow {
  id: string;
  email: string;
  name: string;
  role: string;
  enabled: boolean;
  created_at: unknown;
}

export interface PageOfUsers {
  workspace: string;
  offset: number;
  limit: number;
  order: "asc" | "desc";
}

/** Users from one remembered rank to the next: at most so many are passed over to get to a page. */
const STEP = 500;
/** Users behind the last remembered rank that are counted at each look-up; more are ranked anew. */
const MAX_TAIL = 4 * STEP;

/**
 * Pages of users that cost the same wherever they begin: a database can only count its way to an offset, so every
 * `STEP`th user's rank is remembered.
 *
 * Users that are added behind the last rank, as those who join are, need no new ranks. After others were added or
 * some were removed by SQL, `rankUsers` must run (`npm run service -- rank-users`).
 */
export const createUserPages = (database: Database) => {
  const ranking = new Set<string>();

  /** Beside the look-ups, once at a time. */
  const rankSoon = (workspace: string): void => {
    if (ranking.has(workspace)) return;
    ranking.add(workspace);
    void rankUsers(database, workspace)
      // The next look-up behind the last rank tries again.
      .catch(() => {})
      .finally(() => ranking.delete(workspace));
  };

  return async ({ workspace, offset, limit, order }: PageOfUsers): Promise<{ total: number; rows: UserRow[] }> => {
    const [last = FIRST] = await database.query<Rank>(
      `SELECT ${RANK} FROM user_ranks WHERE workspace = $1 ORDER BY rank DESC LIMIT 1`,
      [workspace],
    );
    const [counted] = await database.query<{ count: unknown }>(
      "SELECT count(*) AS count FROM users WHERE workspace = $1 AND (created_at, id) >= ($2, $3)",
      [workspace, last.created_at, last.id],
    );
    const tail = Number(counted!.count);
    if (tail > MAX_TAIL) rankSoon(workspace);
    const total = Number(last.rank) + tail;
    if (offset >= total) return { total, rows: [] };

    // Counted from the oldest user: where the page begins.
    const begin = order === "asc" ? offset : total - 1 - offset;
    const [from] = await database.query<Rank>(
      order === "asc"
        ? `SELECT ${RANK} FROM user_ranks WHERE workspace = $1 AND rank <= $2 ORDER BY rank DESC LIMIT 1`
        : `SELECT ${RANK} FROM user_ranks WHERE workspace = $1 AND rank >= $2 ORDER BY rank LIMIT 1`,
      [workspace, begin],
    );
    const start = from ?? (order === "asc" ? FIRST : { ...LAST, rank: total - 1 });
    const rows = await database.query<UserRow>(
      `SELECT id, email, name, role, enabled, created_at FROM users
       WHERE workspace = $1 AND (created_at, id) ${order === "asc" ? ">=" : "<="} ($2, $3)
       ORDER BY created_at ${order}, id ${order} LIMIT $4 OFFSET $5`,
      [workspace, start.created_at, start.id, limit, Math.abs(begin - Number(start.rank))],
    );
    return { total, rows };
  };
};

interface Rank {
  rank: unknown;
  created_at: unknown;
  id: string;
}

const RANK = "rank, created_at, id";
/** Before all users and behind them, whatever their creation times. */
const FIRST: Rank = { rank: 0, created_at: "-9223372036854775808", id: "" };
const LAST: Rank = { rank: 0, created_at: "9223372036854775807", id: "" };

/** Remembers the rank of every `STEP`th user of a workspace anew. */
export const rankUsers = (database: Database, workspace: string): Promise<void> =>
  database.transaction(async (query: Query) => {
    await query("DELETE FROM user_ranks WHERE workspace = $1", [workspace]);
    await query(
      `INSERT INTO user_ranks (workspace, rank, created_at, id)
       SELECT $1, rank, created_at, id
       FROM (SELECT created_at, id, row_number() OVER (ORDER BY created_at, id) - 1 AS rank
             FROM users WHERE workspace = $1) AS ranked
       WHERE rank > 0 AND rank % $2 = 0`,
      [workspace, STEP],
    );
  });
