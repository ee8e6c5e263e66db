import { expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { countNext } from "../../../src/service/days/add-events.js";
import { AT_ONCE } from "../support/bounds.js";
import { storeEvents } from "../support/database.js";
import { usePlace } from "../support/fixtures.js";
import { startService, until } from "../support/service.js";

const workspaceOf = (name: string) => ({ name, apiToken: `${name}-api-token`, accessToken: `${name}-access-token` });
/** Events of a step that this test's database has the time for. */
const MOST = 20;

const place = usePlace();
it("makes a step that takes too long smaller, and a workspace that fails keeps no other back", async () => {
  const database = await openDatabase(place);
  for (const workspace of ["broken", "slow", "well"]) {
    // Counted before anything came: what comes is followed.
    await countNext(database, workspace, idAt(Date.now() - 60_000));
    const events = Array.from({ length: 100 }, (_, at) => ({
      workspace,
      contactUid: `contact-${at}`,
      eventUid: "signup",
    }));
    await storeEvents(database, events);
  }
  const limit =
    (transaction: Database["transaction"]): Database["transaction"] =>
    (work) =>
      transaction((query) =>
        work(async (sql, values = []) => {
          if (!sql.includes("AS local") || !sql.includes("FROM events")) return query(sql, values);
          if (values[0] === "broken") throw new Error("this cannot be read");
          if (values[0] === "slow" && Number(/LIMIT (\d+)/.exec(sql)?.[1]) > MOST) {
            await query("SET LOCAL statement_timeout = '1ms'");
            await query("SELECT pg_sleep(60)");
          }
          return query(sql, values);
        }),
      );
  const limited: Database = {
    ...database,
    beside: (most) => {
      const beside = database.beside(most);
      return { ...beside, transaction: limit(beside.transaction) };
    },
  };
  const workspaces = ["broken", "slow", "well"].map(workspaceOf);
  const service = await startService({ database: limited, bounds: AT_ONCE, workspaces, metricsToken: "m" });
  const counted = async (workspace: string) => {
    const [row] = await database.query(
      "SELECT sum(events) AS events FROM days WHERE workspace = $1 AND kind = 'name'",
      [workspace],
    );
    return Number(row!.events);
  };
  await until(async () => (await counted("slow")) === 100 && (await counted("well")) === 100);
  expect(await counted("broken")).toBe(0);
  // And it is told that it is behind.
  await until(async () => (await (await service.get("/readyz")).json()).sums_behind_seconds > 0);
  const countedTo = async (name: string, path: string) => {
    const answer = await service.get(path, { authorization: `Bearer ${name}-access-token` });
    return (await answer.json()).counted_to;
  };
  // What is settled waits for the transactions that are open, as that of a task.
  for (const path of ["/v2/numbers", "/v2/numbers/accounts"])
    await until(async () => (await countedTo("broken", path)) < (await countedTo("well", path)));
  const behind = /^tracklet_sums_behind_seconds\{workspace="broken"\} [1-9].*\n(.*\n)*.*"well"\} 0$/m;
  await until(async () => behind.test(await (await service.get("/metrics", { authorization: "Bearer m" })).text()));
  await service.stop();
});
