import fc from "fast-check";
import Fastify from "fastify";
import { expect, it } from "vitest";
import { idAt } from "../../../src/service/database/event-id.js";
import { countNext } from "../../../src/service/days/add-events.js";
import { dayIn } from "../../../src/service/days/calendar.js";
import { countAnew } from "../../../src/service/days/count-anew.js";
import { countDays } from "../../../src/service/days/count-task.js";
import { hold, markDays } from "../../../src/service/days/counted-place.js";
import { deleteWorkspace } from "../../../src/service/deletion/delete-workspace.js";
import { readUpkeep } from "../../../src/service/monitoring/metrics.js";
import { keptPlace, lostPlace } from "../../../src/service/records/lost-places.js";
import { storeEvents } from "../support/database.js";
import { useDatabase } from "../support/fixtures.js";

/* A clock that was ahead and is put right: what was stored by it, and since, is in the counts once, and who follows hears of it. */

const MINUTE = 60_000;

const database = useDatabase();

/** Stores events by a clock that is so far ahead. @returns their ids, in their order */
const store = async (workspace: string, amount: number, ahead: number, ago = 0): Promise<string[]> => {
  const at = Date.now() + ahead;
  const events = Array.from({ length: amount }, (_, index) => ({
    workspace,
    contactUid: `contact-${index % 3}`,
    accountUid: `account-${index % 2}`,
    receivedAt: at - ago,
  }));
  return storeEvents(database, events, at);
};
/** As the task does it, by a clock that is so far ahead. */
const follow = async (workspaces: string[], ahead = 0): Promise<void> => {
  const settled = async () => Date.now() + 1 + ahead;
  const task = countDays(Fastify().log, { settled, workspaces: () => workspaces, every: 1_000, delay: 0 });
  await task.run(database);
};
const sumsOf = async (workspace: string) => {
  const [told] = await database.query(
    `SELECT (SELECT json_agg(by_day ORDER BY day) FROM (
               SELECT day, sum(events) AS events FROM days WHERE workspace = $1 AND kind = 'name' GROUP BY 1) AS by_day) AS events,
            (SELECT sum(events[31]) FROM active WHERE workspace = $1) AS active`,
    [workspace],
  );
  return told;
};
const countedOf = async (workspace: string) => {
  const [counted] = await database.query(
    `SELECT (SELECT json_agg(by_day ORDER BY day) FROM (
               SELECT day, count(*) AS events FROM counted_events WHERE workspace = $1 GROUP BY 1) AS by_day) AS events,
            (SELECT count(*) FROM events WHERE workspace = $1) AS active`,
    [workspace],
  );
  return counted;
};

it("has what was stored before, meanwhile and since in the sums once, whatever was counted when", async () => {
  let histories = 0;
  const steps = fc.array(
    fc.record({
      ahead: fc.constantFrom(0, 0, 7 * MINUTE, 60 * MINUTE, 26 * 60 * MINUTE),
      amount: fc.integer({ min: 1, max: 12 }),
      isFollowed: fc.boolean(),
      isHalf: fc.boolean(),
      isMarked: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (history) => {
      const workspace = `history-${histories++}`;
      for (const { ahead, amount, isFollowed, isHalf, isMarked } of history) {
        await store(workspace, amount, ahead);
        // Of a day that is under way when the clock is put right.
        await store(workspace, 2, ahead, 40 * MINUTE);
        if (isMarked) {
          await database.transaction(async (query) =>
            markDays(query, await hold(query, workspace), [dayIn("UTC", Date.now() + ahead - 40 * MINUTE)]),
          );
          await countAnew(database, workspace, 1);
        }
        if (isHalf) await countNext(database, workspace, idAt(Date.now() + 1 + ahead), 2);
        if (isFollowed) await follow([workspace], ahead);
      }
      await follow([workspace]);
      // What nobody has followed is so once its time has come.
      await follow([workspace], 27 * 60 * MINUTE);
      expect(await sumsOf(workspace)).toEqual(await countedOf(workspace));
      await deleteWorkspace(database, workspace);
    }),
    { seed: 1, numRuns: 12 },
  );
});

it("tells who has followed it to go back, and nobody else", async () => {
  const [before] = (await store("shop", 3, -20 * MINUTE)) as [string];
  const [near] = (await store("shop", 1, -MINUTE)) as [string];
  const ahead = (await store("shop", 3, 60 * MINUTE)).at(-1)!;
  await follow(["shop"], 61 * MINUTE);
  expect(await lostPlace(database.query, "shop", ahead)).toBeUndefined();
  const since = (await store("shop", 2, 0)).at(-1)!;
  await follow(["shop"]);
  expect(await sumsOf("shop")).toEqual(await countedOf("shop"));
  expect((await readUpkeep(database.query)).told.clock_put_right_age_seconds).toBeLessThan(60);
  const ids = async (after: string) => {
    const behind = "SELECT id FROM events WHERE workspace = 'shop' AND id > $1 ORDER BY id";
    return (await database.query<{ id: string }>(behind, [after])).map(({ id }) => id);
  };
  const all = await ids(idAt(0));
  expect(all).toHaveLength(9);
  expect(all).not.toContain(ahead);
  for (const one of [before, near, since, ...all]) expect(await lostPlace(database.query, "shop", one)).toBeUndefined();
  const told = await lostPlace(database.query, "shop", ahead);
  expect(told).toMatch(/a clock of the database was ahead and was put right.* go on from there$/);
  const from = await keptPlace(database.query, "shop", ahead);
  expect(told).toContain(`delete what is behind ${from},`);
  // From there on all is found that came by the wrong clock, and since.
  expect(await ids(from)).toHaveLength(6);
  expect(await lostPlace(database.query, "shop", from)).toBeUndefined();
});
