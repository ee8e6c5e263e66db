import { expect, inject, it } from "vitest";
import type { Database, Query } from "../../../src/service/database/database.js";
import { isUnavailable } from "../../../src/service/database/sql-state.js";
import { createTasks, type Task } from "../../../src/service/database/tasks.js";
import { AT_ONCE } from "../support/bounds.js";
import { useDatabase } from "../support/fixtures.js";
import { startService, until } from "../support/service.js";

/** A database that is spread has several clocks. */
const alone = it.skipIf(inject("isSpread"));
const database = useDatabase();

/** A process with one task, and how often that has begun and has ended. */
const processOf = (name: string, run: Task["run"]) => {
  const done = { begun: 0, ended: 0, failed: [] as string[] };
  const tasks = createTasks(database);
  tasks.add({
    name,
    every: 1_000,
    run: async (database) => {
      done.begun += 1;
      await run(database).finally(() => (done.ended += 1));
    },
    failed: ({ message }) => done.failed.push(message),
  });
  const look = async (now: number) => {
    const rows = await database.query<{ name: string; value: unknown }>("SELECT name, value FROM service_state");
    return () => tasks.beginDue({ ...Object.fromEntries(rows.map(({ name, value }) => [name, Number(value)])), now });
  };
  return { ...tasks, done, look };
};

alone("are done by one of several processes, as often as they are due, and again after a failure", async () => {
  const all = Array.from({ length: 4 }, () =>
    processOf("one", (database) => database.query("SELECT broken").then(() => {})),
  );
  const begun = () => all.reduce((sum, { done }) => sum + done.begun, 0);
  const failed = () => all.flatMap(({ done }) => done.failed);
  const lookAll = async (now: number) => {
    // All have read the same.
    for (const look of await Promise.all(all.map(({ look }) => look(now)))) look();
  };
  await lookAll(1_000);
  await until(() => failed().length === 1);
  const due = async () =>
    Number(
      (await database.query<{ value: unknown }>("SELECT value FROM service_state WHERE name = 'due one'"))[0]!.value,
    );
  // Later than the next run would be by a back-off, which begins with a second at most.
  const again = await until(async () => ((await due()) > 2_000 ? due() : undefined));
  expect(again).toBeLessThanOrEqual(3_000);
  for (const now of [2_000, again - 1]) await lookAll(now);
  expect(begun()).toBe(1);
  await lookAll(again);
  await until(() => failed().length === 2);
  expect(begun()).toBe(2);
  expect(failed()[0]).toContain("broken");
});

alone("goes on in no other process while one is in a step, and ends in the middle of a statement", async () => {
  let isIn = false;
  const first = processOf("two", ({ transaction }) =>
    transaction(async (query) => {
      isIn = true;
      await query("SELECT pg_sleep(600)");
    }),
  );
  (await first.look(1_000))();
  await until(() => isIn);
  const second = processOf("two", ({ transaction }) => transaction(async () => expect.unreachable("both are in")));
  (await second.look(2_000))();
  await until(() => second.done.ended === 1);
  expect(second.done.failed).toEqual([]);
  first.cancel();
  await until(() => first.done.ended === 1);
  // The server has ended its statement, too.
  const sleeping =
    "SELECT 1 AS found FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()";
  await until(async () => (await database.query(sleeping)).length === 0);
  const third = processOf("two", ({ transaction }) => transaction(async () => {}));
  (await third.look(3_000))();
  await until(() => third.done.ended === 1);
});

alone(
  "leaves connections to events: so many questions are asked at a time, and those that wait are refused in the end",
  async () => {
    const { query, cancel } = database.beside(3);
    const slow = Array.from({ length: 12 }, () => query("SELECT pg_sleep(600)").catch((error) => error));
    const running =
      "SELECT count(*) AS count FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'";
    await until(async () => Number((await database.query(running))[0]!.count) === 3);
    cancel();
    expect((await Promise.all(slow)).filter(isUnavailable)).toHaveLength(12);
  },
);

alone("ask as much of the database where there are a hundred workspaces as where there is one", async () => {
  await database.query("DELETE FROM service_state WHERE name LIKE 'due %'");
  /** How many statements a service asks for in so many looks for events that have become settled. */
  const asked = async (looks: number) => {
    let [statements, seen] = [0, 0];
    const beside: Database["beside"] = (most) => {
      const own = database.beside(most);
      const query: Query = (text, values) => {
        statements += 1;
        if (text.includes("FROM days_stale UNION")) seen += 1;
        return own.query(text, values);
      };
      return { ...own, query };
    };
    const counting = { ...database, beside, close: async () => {} };
    const service = await startService({ database: counting, bounds: { ...AT_ONCE, reread: 20 } });
    await until(() => seen >= looks);
    await service.close();
    return statements / looks;
  };
  const one = await asked(10);
  await database.query(
    "INSERT INTO workspaces (name, created_at) SELECT 'w' || number, 0 FROM generate_series(1, 100) AS number",
  );
  expect(await asked(10)).toBeLessThan(one + 1);
});
