import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { addressesOf } from "../../../src/service/config/database-url.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { makeClock, setBack } from "../support/database-clock.js";
import { overDatabase } from "../support/over-database.js";
import { until } from "../support/running-service.js";
import { readAsDemo, SERVICE, spawnService } from "../support/service-process.js";

const DAY = 86_400_000;

overDatabase((place) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tracklet-retention-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const over = async <T>(
    work: (query: Awaited<ReturnType<typeof openDatabase>>["query"]) => Promise<T>,
  ): Promise<T> => {
    const database = await openDatabase(place());
    return work(database.query).finally(() => database.close());
  };
  const environment = () => {
    const { databaseUrl, dataFolder } = place();
    return {
      NODE_OPTIONS: "--import ./test/service/support/skewed-clock.mjs",
      CLOCK_BEHIND: join(folder, "behind"),
      // A cluster by its coordinator alone: no other node has a clock that can be set.
      ...(databaseUrl === undefined ? { TRACKLET_DATA: dataFolder } : { DATABASE_URL: addressesOf(databaseUrl)[0]! }),
    };
  };
  /** Sets the clocks of the service and of its database. */
  const goTo = async (days: number): Promise<void> => {
    await writeFile(join(folder, "behind"), String(-days * DAY));
    await over(async (query) => {
      await setBack(query, -days * DAY);
      // As if an hour had passed.
      await query("DELETE FROM service_state WHERE name = 'due retention'");
    });
  };
  /** One start of the service: what is left, and whether it has doubted the clock. */
  const startAt = async (days: number, retention = "365") => {
    await goTo(days);
    const service = spawnService({ ...environment(), TRACKLET_RETENTION_DAYS: retention });
    const url = await service.ready();
    const isDoubted = await until(() => {
      const told = /no old events are deleted|deleted \d+ events from before/.exec(service.stdout())?.[0];
      return told?.startsWith("no");
    });
    const { data } = (await (await readAsDemo(`${url}/v2/events?contact_uid=kept`)).json()) as { data: unknown[] };
    await service.stop("SIGTERM");
    return { left: data.length, isDoubted };
  };
  const store = (...ages: number[]) =>
    over((query) =>
      query(
        `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
         SELECT $1, id, 'default', 'kept', 'kept', 1, '{}' FROM unnest($2::uuid[]) AS row (id)`,
        [recordId("contact", "kept"), ages.map((age, index) => idAt(Date.now() - age * DAY + index))],
      ),
    );

  it("deletes nothing while its clock goes wrong, until that has gone right for 7 days or is confirmed", async () => {
    await over(makeClock);
    const all = { left: 20, isDoubted: true };
    await store(...Array.from({ length: 20 }, () => 0));
    // Nothing but the newest event tells that this cannot be.
    expect(await startAt(400)).toEqual(all);
    for (const days of [401.9, 403.8, 405.7]) expect(await startAt(days), `${days} days`).toEqual(all);
    expect(await startAt(407.6)).toEqual({ left: 0, isDoubted: false });
    // Set right, it goes backwards.
    await over((query) => query("DELETE FROM events"));
    await store(400, 399);
    expect(await startAt(0)).toEqual({ left: 2, isDoubted: true });
    const confirmed = await spawnService(environment(), [SERVICE, "retention", "--confirm"]).closed;
    expect(confirmed).toMatchObject({ code: 0, stderr: expect.stringContaining("retention goes by the clock") });
    expect(await startAt(0)).toEqual({ left: 0, isDoubted: false });
  });

  it("deletes two days more than the last time at most", async () => {
    await over((query) => query("DELETE FROM service_state WHERE name LIKE 'retention%'"));
    await store(20, 18.5, 17, 15.5, 0);
    expect([(await startAt(0, "1")).left, (await startAt(0, "1")).left]).toEqual([3, 2]);
  });
});
