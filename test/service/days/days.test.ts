import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { TABLES } from "../../../src/service/database/postgres/spread.js";
import { deleteWorkspace } from "../../../src/service/deletion/delete-workspace.js";
import { deleteEventsBefore } from "../../../src/service/deletion/retention.js";
import { changesOf } from "../model/figures.js";
import { usePlace } from "../support/fixtures.js";
import { expectSame, HISTORY, type Scene, settle, storeAt } from "./history.js";

const DAY = 86_400_000;

const place = usePlace();
let database: Database;
beforeAll(async () => {
  database = await openDatabase(place);
});
afterAll(() => database.close());
const add = (workspace: string, zone = "UTC") =>
  database.query("INSERT INTO workspaces (name, created_at, zone) VALUES ($1, 0, $2)", [workspace, zone]);
const ask = async (sql: string, ...values: unknown[]) => (await database.query(sql, values)) as Record<string, never>[];

it("are what the events say, however they came, went and were counted", async () => {
  let histories = 0;
  await fc.assert(
    fc.asyncProperty(HISTORY, async ({ zone, before, isBegun, steps }) => {
      const workspace = `history-${histories++}`;
      const change = changesOf(zone, 400)[0] ?? Date.now() - 30 * DAY;
      const scene: Scene = { database, workspace, now: change - before * DAY };
      await add(workspace, zone);
      if (isBegun) await settle(scene);
      const done: string[] = [];
      try {
        for (const step of steps) {
          done.push(String(step));
          await step.run(scene);
        }
        await settle(scene);
        await expectSame(scene);
      } catch (error) {
        throw new Error(`${(error as Error).stack}\n  after ${done.join(", ")}`);
      }
      await deleteWorkspace(database, workspace);
    }),
    { seed: Number(process.env.SEED ?? 1), numRuns: Number(process.env.RUNS ?? 25), endOnFailure: true },
  );
  for (const [table, column] of Object.entries(TABLES))
    if (column !== null || table === "counted")
      expect([table, await ask(`SELECT 1 AS found FROM ${table} LIMIT 1`)]).toEqual([table, []]);
});

it("keep real names where 60 others are made up each midnight, in 70 rows at most", async () => {
  const scene: Scene = { database, workspace: "flood", now: Date.parse("2026-01-01T00:00:01Z") };
  const bounds = { taken: 50, kept: 20, names: 100, put: 2_000 };
  await add("flood");
  await settle(scene, { rows: 500, bounds });
  const real = Array.from({ length: 10 }, (_, at) => `real-${at}`);
  for (let day = 0; day < 40; day += 1) {
    if (day > 3)
      await storeAt(
        scene,
        Array.from({ length: 60 }, (_, at) => `made-up-${day}-${at}`),
      );
    await settle(scene, { rows: 500, bounds });
    scene.now += DAY / 2;
    await storeAt(scene, [...real, ...real]);
    await settle(scene, { rows: 500, bounds });
    scene.now += DAY / 2;
  }
  const days = await ask(
    `SELECT day, count(*)::int AS rows, count(*) FILTER (WHERE key LIKE 'real-%' AND events = 2)::int AS real
     FROM days WHERE workspace = 'flood' AND kind = 'name' GROUP BY 1`,
  );
  expect(days).toHaveLength(40);
  for (const { day, rows, real } of days) expect([day, rows! <= 70, real]).toEqual([day, true, 10]);
  await deleteWorkspace(database, "flood");
});

it("that are past by retention leave their totals, and nobody's name", async () => {
  const scene: Scene = { database, workspace: "past", now: Date.parse("2026-01-20T12:00:00Z") };
  await add("past");
  await settle(scene);
  for (let day = 0; day < 30; day += 1) {
    await storeAt(scene, day % 2 ? ["a", "b", "c"] : ["a"]);
    scene.now += DAY;
  }
  await settle(scene);
  const passed = async (days: number) => {
    await deleteEventsBefore(database, "past", Date.parse("2026-01-20T15:00:00Z") + days * DAY);
    const active = "SELECT coalesce(sum(events[31]), 0)::int AS events FROM active WHERE workspace = 'past'";
    const [sum] = await ask(active);
    const oldest = await ask("SELECT min(day)::text AS day FROM days WHERE workspace = 'past'");
    const totals = await ask("SELECT * FROM totals WHERE workspace = 'past' ORDER BY day");
    return {
      events: sum!.events,
      oldest: oldest[0]!.day,
      totals: totals.map(({ events, contacts, accounts }) => [events, contacts, accounts].join(" ")),
    };
  };
  // Of 60 events five go, and others when a week is past, or the month.
  expect(await passed(3)).toEqual({ events: 55, oldest: "2026-01-23", totals: ["1 1 1", "3 1 1", "1 1 1"] });
  expect(await passed(5)).toMatchObject({ events: 55, oldest: "2026-01-25" });
  expect(await passed(12)).toMatchObject({ events: 36, oldest: "2026-02-01" });
  expect(await ask("SELECT DISTINCT month::text AS month FROM active WHERE workspace = 'past'")).toEqual([
    { month: "2026-02-01" },
  ]);
  await deleteWorkspace(database, "past");
});
