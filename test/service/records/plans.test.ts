import { afterAll, beforeAll, expect, it } from "vitest";
import { createService } from "../../../src/service/app.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { exportPage } from "../../../src/service/records/read-rows.js";
import { fillPlace, lookUps } from "../bench/fill.js";
import { usePlace } from "../support/fixtures.js";

/** Enough for a planner to prefer an index. */
const AMOUNTS = { events: 120_000, contacts: 5_000, users: 10_000 };

/** Tables that stay small however much is stored. The users are counted for each of their pages, see docs/server.md. */
const SMALL = new Set([
  "deletions",
  "users",
  "schema_migrations",
  "service_state",
  "workspaces",
  "tokens",
  "counted",
  "days_stale",
  "left_out",
  "totals",
]);

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: Plan[];
}

const isSmall = (name: string): boolean => SMALL.has(name) || name.startsWith("pg_");
const scans = (plan: Plan): string[] => [
  ...(plan["Node Type"] === "Seq Scan" && !isSmall(plan["Relation Name"]!) ? [plan["Relation Name"]!] : []),
  ...(plan.Plans ?? []).flatMap(scans),
];

const place = usePlace();
let database: Database;
let explained: Database;
let app: Awaited<ReturnType<typeof createService>>;
/** Statements of the look-up under way, and what the planner makes of them. */
let plans: { sql: string; scanned: string[] }[] = [];

beforeAll(async () => {
  await fillPlace(place, AMOUNTS);
  database = await openDatabase(place);
  // The service over the same database, with a look at each of its statements.
  explained = {
    ...database,
    query: async (sql, values) => {
      const [row] = await database.transaction(async (query) => {
        // Of rows that are asked for by many ids the planner reads a table of this size as a whole, unless it must not: so it is
        // held that an index leads to them.
        if (sql.includes("= ANY")) await query("SET LOCAL enable_seqscan = off");
        return query<Record<string, unknown>>(`EXPLAIN (FORMAT JSON) ${sql}`, values);
      });
      const plan = row!["QUERY PLAN"];
      plans.push({ sql, scanned: scans((typeof plan === "string" ? JSON.parse(plan) : plan)[0].Plan) });
      return database.query(sql, values);
    },
  };
  app = await createService({ rateLimit: 0, accessToken: "token", database: explained });
});
afterAll(() => app.close());

it.each(Object.entries(lookUps(AMOUNTS)))("reads no whole table: %s", async (_name, url) => {
  plans = [];
  const answer = await app.inject({ url, headers: { authorization: "Bearer token" } });
  expect(answer.statusCode).toBe(200);
  expect(plans.length).toBeGreaterThan(0);
  for (const { sql, scanned } of plans) expect(scanned, sql).toEqual([]);
});

it("reads no whole table for who follows the events", async () => {
  const options = { table: "events" as const, workspace: "default" };
  const [one] = (await exportPage(database.query, options, { limit: 1, order: "desc" })).rows;
  plans = [];
  await exportPage(explained.query, options, { after: idAt(0), before: String(one!.id), limit: 500 });
  await exportPage(explained.query, { ...options, since: 1, until: Date.now() - 3_700_000 }, { limit: 500 });
  // The follower of the days asks meanwhile, too.
  expect(plans.length).toBeGreaterThanOrEqual(2);
  for (const { sql, scanned } of plans) expect(scanned, sql).toEqual([]);
});
