import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { createSettled, newIds, timeOf } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { makeClock, setBack } from "../support/database.js";
import { usePlace } from "../support/fixtures.js";
import { startPostgres } from "../support/postgres.js";
import { type RunningService, startService, until } from "../support/service.js";

const EVENT = { contact_uid: "contact-001", event_uid: "timed" };
/** Milliseconds; those of production are constants. */
const BOUNDS = { first: 1_000, last: 2_000, settled: 3_000, reread: 1_000 };

describe.skipIf(inject("isSpread"))("clocks that differ", () => {
  const place = usePlace();
  let database: Database;
  let service: RunningService;
  beforeAll(async () => {
    const first = await openDatabase(place);
    await makeClock(first.query);
    await first.close();
    database = await openDatabase(place);
    service = await startService({ database, bounds: BOUNDS });
  });
  afterAll(() => service.stop());

  it("refuses events with 503 while the clocks differ by too much, and works while they differ by less", async () => {
    const status = async (milliseconds: number) => {
      await setBack(database.query, milliseconds);
      return (await service.post(EVENT)).status;
    };
    // The database's clock ahead of the process's, and behind it.
    expect(await status(-5_000)).toBe(503);
    expect((await service.get("/readyz")).status).toBe(503);
    expect(await status(290_000)).toBe(200);
    expect(await status(400_000)).toBe(503);
    expect(await status(0)).toBe(200);
  });

  it("goes by the slowest clock, and believes one that is set forward once that time has really passed", async () => {
    const settled = createSettled(database.query, BOUNDS);
    const behind = async () => Math.round((Date.now() - (await settled())) / 1_000);
    expect(await behind()).toBe(3);
    await setBack(database.query, 120_000);
    expect(await behind()).toBe(123);
    await setBack(database.query, 0);
    expect(await behind()).toBe(123);
    await until(async () => (await behind()) === 3);
  });

  it("refuses a standby, and asks every node of a cluster", async () => {
    const settled = createSettled(database.query, BOUNDS);
    await database.query("CREATE TABLE skewed.pg_dist_local_group AS SELECT 0 AS groupid");
    await database.query(
      `CREATE FUNCTION skewed.run_command_on_all_nodes(command text) RETURNS TABLE (success bool, result text)
     LANGUAGE sql AS $$ SELECT true, (extract(epoch FROM now()) * 1000 - node)::text FROM unnest(ARRAY[3000, 9000]) AS node $$`,
    );
    expect(Math.round((Date.now() - (await settled())) / 1_000)).toBe(9);
    await database.query("DROP TABLE skewed.pg_dist_local_group");
    await database.query("CREATE FUNCTION skewed.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT true'");
    await expect(settled()).rejects.toThrow("a standby cannot tell");
    expect((await service.get("/v2/events")).status).toBe(503);
    await database.query("DROP FUNCTION skewed.pg_is_in_recovery");
    expect((await service.get("/v2/events")).status).toBe(200);
  });
});

describe("transactions that others hold up", () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let service: RunningService;
  let other: pg.Client;
  let database: Database;
  beforeAll(async () => {
    server = await startPostgres({ options: ["-c", "max_prepared_transactions=2"] });
    service = await startService({ databaseUrl: server.url, bounds: BOUNDS });
    other = new pg.Client(server.url);
    await other.connect();
    database = await openDatabase({ databaseUrl: server.url, dataFolder: "" });
  });
  afterAll(async () => {
    await Promise.all([other.end(), database.close(), service.stop()]);
    await server.stop();
  });

  it("are refused with 503 and leave nothing when their last statement is too late", async () => {
    await other.query("BEGIN; LOCK TABLE events");
    const answer = service.post({ ...EVENT, event_uid: "late" });
    const waits =
      "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND now() - xact_start > interval '2 s'";
    await until(async () => (await database.query(waits)).length > 0);
    await other.query("COMMIT");
    expect((await answer).status).toBe(503);
    expect((await service.json("/v2/events?event_uid=late")).data).toEqual([]);
  });

  it.each(["open", "prepared"])("keep back what is settled while one is %s", async (kind) => {
    const bounds = { ...BOUNDS, settled: 1_000 };
    const settled = createSettled(database.query, bounds);
    const [id] = newIds(1) as [string];
    await other.query("BEGIN");
    await other.query("INSERT INTO service_state VALUES ($1, 1)", [id]);
    if (kind === "prepared") await other.query("PREPARE TRANSACTION 'left'");
    // Another one would be settled by then.
    await until(() => Date.now() > timeOf(id) + 2 * bounds.settled);
    expect(await settled()).toBeLessThan(timeOf(id));
    await other.query(kind === "prepared" ? "COMMIT PREPARED 'left'" : "COMMIT");
    await until(async () => (await settled()) > timeOf(id));
  });
});
