import { expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { TABLES } from "../../../src/service/database/postgres/spread.js";
import { countNext } from "../../../src/service/days/add-events.js";
import { KEYS } from "../../../src/service/days/bounded-keys.js";
import { countAnew } from "../../../src/service/days/count-anew.js";
import { setZone } from "../../../src/service/days/counted-place.js";
import { leaveOut, moveOn } from "../../../src/service/days/leave-out.js";
import { deleteEvents } from "../../../src/service/deletion/delete-chosen.js";
import { deleteWorkspace } from "../../../src/service/deletion/delete-workspace.js";
import { deleteEventsBefore } from "../../../src/service/deletion/retention.js";
import { storeEvents } from "../support/database.js";
import { DAY, useDatabase } from "../support/fixtures.js";

/* What a count by days is bounded by, and what it leaves. That it is what the events say, however they came, went and were counted, is a property of the model. */

const database = useDatabase();
const add = (workspace: string) =>
  database.query("INSERT INTO workspaces (name, created_at, zone) VALUES ($1, 0, 'UTC')", [workspace]);
const ask = async (sql: string, ...values: unknown[]) => (await database.query(sql, values)) as Record<string, never>[];

/** Where it is, and what the clock of the service shows. */
interface Scene {
  workspace: string;
  now: number;
}
/** Events of these names come, of one contact, and are settled. */
const storeAt = (scene: Scene, names: readonly string[]): Promise<unknown> => {
  scene.now += 2;
  const { workspace, now: receivedAt } = scene;
  return storeEvents(
    database,
    names.map((eventUid) => ({ workspace, accountUid: "acme", eventUid, receivedAt })),
  );
};
const settle = async ({ workspace, now }: Scene): Promise<void> => {
  while (await countNext(database, workspace, idAt(now + 1), 500));
};

it("keep real names where 60 others are made up each midnight, in 70 rows at most", async () => {
  const scene: Scene = { workspace: "flood", now: Date.parse("2026-01-01T00:00:01Z") };
  Object.assign(KEYS, { taken: 50, kept: 20 });
  await add("flood");
  await settle(scene);
  const real = Array.from({ length: 10 }, (_, at) => `real-${at}`);
  for (let day = 0; day < 40; day += 1) {
    if (day > 3)
      await storeAt(
        scene,
        Array.from({ length: 60 }, (_, at) => `made-up-${day}-${at}`),
      );
    await settle(scene);
    scene.now += DAY / 2;
    await storeAt(scene, [...real, ...real]);
    await settle(scene);
    scene.now += DAY / 2;
  }
  const days = await ask(
    `SELECT day, count(*)::int AS rows, count(*) FILTER (WHERE key LIKE 'real-%' AND events = 2)::int AS real
     FROM days WHERE workspace = 'flood' AND kind = 'name' GROUP BY 1`,
  );
  expect(days).toHaveLength(40);
  for (const { day, rows, real } of days) expect([day, rows! <= 70, real]).toEqual([day, true, 10]);
  // The rest is the sum of the others, also where some are gone and all is counted anew.
  const counted = "SELECT sum(events)::int AS events FROM days WHERE workspace = 'flood' AND kind = 'name'";
  const stored = "SELECT count(*)::int AS events FROM events WHERE workspace = 'flood'";
  expect(await ask(counted)).toEqual(await ask(stored));
  await setZone(database, "flood", "Asia/Kathmandu");
  for (const name of ["real-3", "made-up-20-7"]) await deleteEvents(database, "flood", { name });
  while (await countAnew(database, "flood", 500));
  expect(await ask(counted)).toEqual(await ask(stored));
  await deleteWorkspace(database, "flood");
});

it("have each name again once who alone gave it is no longer left out, however old they are", async () => {
  const scene: Scene = { workspace: "back", now: Date.parse("2026-01-01T12:00:00Z") };
  await add("back");
  await settle(scene);
  for (let day = 0; day < 5; day += 1) {
    await storeAt(scene, ["own", "a", "b"]);
    scene.now += DAY;
  }
  await settle(scene);
  const days = () =>
    ask("SELECT day::text AS day, kind, key, events FROM days WHERE workspace = 'back' ORDER BY 1, 2, 3");
  const before = await days();
  const id = recordId("contact", "contact-0", "back");
  await ask(
    "INSERT INTO contacts (id, workspace, unique_id, created_at, archived, data) VALUES ($1, 'back', 'contact-0', 0, FALSE, '{}')",
    id,
  );
  for (const isLeftOut of [true, false]) {
    await leaveOut(database, { workspace: "back", kind: "contact", id }, isLeftOut);
    while (await moveOn(database, "back"));
    expect(await days()).toEqual(isLeftOut ? [] : before);
  }
  await deleteWorkspace(database, "back");
});

it("that are past by retention leave their totals, and nobody's name", async () => {
  const scene: Scene = { workspace: "past", now: Date.parse("2026-01-20T12:00:00Z") };
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
  for (const [table, column] of Object.entries(TABLES))
    if (column !== null || table === "counted")
      expect([table, await ask(`SELECT 1 AS found FROM ${table} LIMIT 1`)]).toEqual([table, []]);
});
