import type { Database } from "../../../src/service/database/database.js";

/** Whose events, and what has a number in an array: `n` of each. */
const COUNTS = {
  active: `SELECT workspace, month, contact_id, account, string_agg(least(n, 1)::text, '' ORDER BY part)::bit(31), array_agg(n ORDER BY part)
    FROM (SELECT workspace, date_trunc('month', day)::date AS month, contact_id, account, part, count(*) FILTER (WHERE extract(day FROM day) = part)::int AS n
          FROM counted_events CROSS JOIN generate_series(1, 31) AS part WHERE workspace = $1 GROUP BY 1, 2, 3, 4, 5) AS counts GROUP BY 1, 2, 3, 4`,
  hours: `SELECT workspace, day, contact_id, account, array_agg(n ORDER BY part)
    FROM (SELECT workspace, day, contact_id, account, part, count(*) FILTER (WHERE hour = part)::int AS n
          FROM counted_events CROSS JOIN generate_series(0, 23) AS part WHERE workspace = $1 AND day > $2::date - 9 GROUP BY 1, 2, 3, 4, 5) AS counts
    GROUP BY 1, 2, 3, 4`,
  days: `SELECT workspace, day, kind, key, sum(n), CASE WHEN day > $2::date - 9 THEN array_agg(n ORDER BY part) END
    FROM (SELECT workspace, day, kind, key, part, count(*) FILTER (WHERE hour = part)::int AS n
          FROM counted_events CROSS JOIN generate_series(0, 23) AS part
            CROSS JOIN LATERAL (VALUES ('name', name), ('path', path), ('host', host), ('referrer', referrer_host)) AS keys (kind, key)
          WHERE workspace = $1 AND key IS NOT NULL GROUP BY 1, 2, 3, 4, 5) AS counts GROUP BY 1, 2, 3, 4`,
  account_names: `SELECT workspace, month, account, name, array_agg(n ORDER BY part)
    FROM (SELECT workspace, date_trunc('month', day)::date AS month, account, name, part, count(*) FILTER (WHERE extract(day FROM day) = part)::int AS n
          FROM counted_events CROSS JOIN generate_series(1, 31) AS part
          WHERE workspace = $1 AND account <> '00000000-0000-0000-0000-000000000000' GROUP BY 1, 2, 3, 4, 5) AS counts GROUP BY 1, 2, 3, 4`,
};

/** Counts all events of a workspace anew, each table by one plain statement. @param today as `2026-01-31`: hours are kept of nine days */
export const recount = ({ transaction }: Database, today: string, workspace = "default"): Promise<void> =>
  transaction(async (query) => {
    for (const [table, counts] of Object.entries(COUNTS)) {
      await query(`DELETE FROM ${table} WHERE workspace = $1`, [workspace]);
      const values = counts.includes("$2") ? [workspace, today] : [workspace];
      await query(`INSERT INTO ${table} ${counts}`, values);
    }
  });
