import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, inject, it } from "vitest";
import { addressesOf } from "../../../src/service/config/options.js";
import { BOUNDS, createSettled } from "../../../src/service/database/event-id.js";
import { hashUuid, TABLES } from "../../../src/service/database/postgres/spread.js";
import { useDatabase, usePlace } from "../support/fixtures.js";
import { startService } from "../support/service.js";
import { runTold } from "../support/told-command.js";

const place = usePlace();
const database = useDatabase(place);

it("knows of each table how it is spread", async () => {
  const rows = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  expect(Object.keys(TABLES).sort()).toEqual(rows.map(({ name }) => name).sort());
});

it("has the column by which a table is spread in each of its unique keys, as Citus needs it", async () => {
  const keys = await database.query<{ name: string; columns: string[] }>(
    `SELECT relname AS name, array_agg(attname::text) AS columns
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
     WHERE indisunique AND relname::text = ANY($1::text[]) GROUP BY indexrelid, relname`,
    [Object.keys(TABLES)],
  );
  for (const { name, columns } of keys) if (TABLES[name] !== null) expect(columns, name).toContain(TABLES[name]);
});

it("hashes ids as the database does", async () => {
  const ids = ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"];
  for (let count = 0; count < 1_000; count += 1) ids.push(randomUUID());
  const rows = await database.query<{ id: string; hash: number }>(
    "SELECT id::text, uuid_hash(id) AS hash FROM unnest($1::uuid[]) AS id",
    [ids],
  );
  expect(rows).toHaveLength(ids.length);
  expect(rows.filter(({ id, hash }) => hashUuid(id) !== hash)).toEqual([]);
});

it.skipIf(inject("isSpread"))("is not spread without Citus, and says why", async () => {
  await expect(runTold(place, "migrate", "--spread")).rejects.toThrow("DATABASE_URL names no coordinator of Citus");
});

describe.runIf(inject("isSpread"))("a cluster of Citus", () => {
  const spread = async () =>
    (await database.query<{ name: string }>("SELECT logicalrelid::text AS name FROM pg_dist_partition")).map(
      ({ name }) => name,
    );

  it("is spread at the first start, what is written together on one node", async () => {
    expect((await spread()).sort()).toEqual(Object.keys(TABLES).sort());
    const groups = await database.query(
      `SELECT DISTINCT colocationid FROM pg_dist_partition
       WHERE logicalrelid::text = ANY(ARRAY['events', 'contacts', 'account_contacts', 'active'])`,
    );
    expect(groups).toHaveLength(1);
  });

  it("keeps what it held before, where it is spread by the command, and is spread no second time", async () => {
    const service = await startService({ database });
    for (let index = 0; index < 50; index += 1)
      expect((await service.post({ contact_uid: `contact ${index}`, event_uid: "before" })).status).toBe(200);
    for (const table of Object.keys(TABLES)) await database.query("SELECT undistribute_table($1)", [table]);
    expect(await spread()).toEqual([]);
    for (let time = 0; time < 2; time += 1) {
      await runTold(place, "migrate", "--spread");
      expect((await spread()).sort()).toEqual(Object.keys(TABLES).sort());
    }
    const { data } = await service.json("/v2/events?event_uid=before&limit=100");
    expect(data).toHaveLength(50);
  });

  it("is settled no further than the oldest transaction that is open on any node", async () => {
    const settled = createSettled(database.query, { ...BOUNDS, first: 0, settled: 0 });
    const [node] = await database.query<{ host: string; port: number }>(
      "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE groupid > 0 LIMIT 1",
    );
    const url = new URL(addressesOf(place.databaseUrl!)[0]!);
    url.host = `${node!.host}:${node!.port}`;
    const worker = new pg.Client(url.href);
    await worker.connect();
    await worker.query("BEGIN");
    const { rows } = await worker.query("SELECT extract(epoch FROM now()) * 1000 AS at, pg_current_xact_id()");
    const until = await settled();
    await worker.query("ROLLBACK");
    await worker.end();
    expect(until).toBeLessThanOrEqual(Number(rows[0].at));
    expect(await createSettled(database.query, { ...BOUNDS, first: 0, settled: 0 })()).toBeGreaterThan(until);
  });
});
