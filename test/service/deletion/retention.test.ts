import { EventEmitter, once } from "node:events";
import { afterEach, expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { readState } from "../../../src/service/commands/import.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt, newIds } from "../../../src/service/database/event-id.js";
import { checkGeneration, isMoved } from "../../../src/service/database/generation.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import {
  deleteBareRecords,
  forgetTraces,
  keepFor,
  PARTS,
  type Retention,
  retentionBehind,
  tellLate,
} from "../../../src/service/deletion/retention.js";
import { insertEvents, makeRecords } from "../../../src/service/ingest/store/event-rows.js";
import { DAY, useDatabase } from "../support/fixtures.js";
import { until } from "../support/service.js";

const LOG = (told: string[]) => {
  const tell = (...what: unknown[]) => told.push(String(what.at(-1)));
  return { warn: tell, info: tell, error: tell } as unknown as Parameters<typeof keepFor>[0];
};

/* What retention takes, when, and how it goes through it; and what an erasure waits for. */

const database = useDatabase();
afterEach(async () => {
  for (const table of ["events", "deletions", "contacts", "accounts", "account_contacts"])
    await database.query(`DELETE FROM ${table}`);
  await database.query("DELETE FROM service_state WHERE name LIKE 'retention%'");
});

const store = (contact: string, name: string, times: number[]) =>
  database.query(
    `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
       SELECT $1, id, 'default', $2, $3, 1, '{}' FROM unnest($4::uuid[]) AS row (id)`,
    [recordId("contact", contact), contact, name, times.map((time, at) => idAt(time + at))],
  );
const ages = (...days: number[]) => days.map((one) => Date.now() - one * DAY);
const kept = (days: number): Retention => ({ days, workspaces: () => ["default"] });
/** One run: what is left, and what is told of it. */
const run = async (days: number, at = database) => {
  const told: string[] = [];
  await keepFor(LOG(told), kept(days)).run(at);
  return { left: (await database.query("SELECT 1 FROM events")).length, told: told.join() };
};
const behind = async (days: number) => {
  const [only] = await retentionBehind(database.query, kept(days));
  return Math.round((10 * only!.seconds) / 86_400) / 10;
};

it("says how much a first run would delete, and goes two days further an hour, from the oldest event", async () => {
  await store("kept", "kept", ages(20, 18.5, 12, 0));
  expect(await behind(1)).toBe(19);
  expect(await run(1)).toEqual({
    left: 4,
    told: expect.stringMatching(/^events of 19 days are older than 1 days /),
  });
  for (const [left, days] of [
    [2, 11],
    [1, 0],
    [1, 0],
  ]) {
    expect((await run(1)).left).toBe(left);
    expect(await behind(1)).toBe(days);
  }
  // What is imported has an id of today.
  await store("kept", "imported", ages(0, 0));
  await database.query(
    `UPDATE events SET origin_id = id, received_at = $1::bigint + 86400000 * (id = (SELECT max(id::text)::uuid FROM events))::int
       WHERE event_uid = 'imported'`,
    [Date.now() - 270 * DAY],
  );
  expect(await behind(1)).toBe(269);
  expect(await run(1)).toEqual({ left: 3, told: expect.stringMatching(/^events of 269 days /) });
  expect(await run(1)).toEqual({ left: 1, told: expect.stringMatching(/^deleted 2 events from before /) });
});

it("halves a step that takes too long, and is told where a single event does", async () => {
  const limited = (milliseconds: number): Database => ({
    ...database,
    transaction: (work) =>
      database.transaction(async (query) => {
        await query(`SET LOCAL statement_timeout = ${milliseconds}`);
        return work(query);
      }),
  });
  await database.query(
    "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.002); RETURN OLD; END'",
  );
  await database.query("CREATE TRIGGER wait BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION wait()");
  await store("kept", "old", ages(...Array.from({ length: 400 }, () => 2)));
  await store("kept", "young", ages(0));
  expect((await run(1, limited(300))).left).toBe(1);
  await database.query(
    "CREATE OR REPLACE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(9); END'",
  );
  await store("kept", "old", ages(2.9));
  const failing = run(1, limited(50));
  await expect(failing).rejects.toThrow("canceling statement due to statement timeout");
  // The last run that ended well is not three hours ago.
  expect(await tellLate(database.query, kept(1))).toBeUndefined();
  await database.query("UPDATE service_state SET value = value - 10800000 WHERE name = 'retention_done'");
  const late = /^retention is 1 days behind, it ended well last at .+: the log of the service says why$/;
  expect(await tellLate(database.query, kept(1))).toMatch(late);
  await database.query("DROP FUNCTION wait CASCADE");
});

const uids = async (table: string) =>
  (await database.query<{ unique_id: string }>(`SELECT unique_id FROM ${table} ORDER BY unique_id`)).map(
    ({ unique_id }) => unique_id,
  );

it("takes records that only events told of, once these are gone, and leaves all others", async () => {
  const old = Date.now() - 40 * DAY;
  const told = [
    ...["gone", "alive", "filled", "archived"].map((contactUid) => [contactUid, "acme", old] as const),
    ...Array.from({ length: 200 }, (_, at) => [`crowd-${at}`, `crowd-${at}`, old] as const),
    ["young", "started", Date.now()] as const,
  ].map(([contactUid, accountUid, receivedAt]) => ({ workspace: "default", contactUid, accountUid, receivedAt }));
  for (const { text, values } of makeRecords(told)) await database.query(text, values);
  await database.query(`UPDATE contacts SET data = '{"name":"F"}' WHERE unique_id = 'filled'`);
  await database.query("UPDATE contacts SET archived = true WHERE unique_id = 'archived'");
  await database.query("UPDATE accounts SET health = 1 WHERE unique_id = 'crowd-7'");
  await store("alive", "seen", [Date.now()]);
  let deleted = 0;
  for (let turn = 0; turn < PARTS; turn += 1) deleted += await deleteBareRecords(database, Date.now() - 30 * DAY, turn);
  // 201 contacts, and the accounts but one of the crowd; those of contacts in a later part go a day later.
  expect(deleted).toBeGreaterThan(201);
  for (let turn = 0; turn < PARTS; turn += 1) await deleteBareRecords(database, Date.now() - 30 * DAY, turn);
  expect(await uids("contacts")).toEqual(["alive", "archived", "filled", "young"]);
  expect(await uids("accounts")).toEqual(["acme", "crowd-7", "started"]);
  expect(await database.query("SELECT 1 FROM account_contacts")).toHaveLength(4);
});

it("takes tombstones that keep out nothing more, and what the audit log has held for three years", async () => {
  const before = Date.now() - 100 * DAY;
  for (const [number, days] of [10, 129, 131, 1_090, 1_200].entries()) {
    const at = Date.now() - days * DAY;
    const id = recordId("contact", String(number));
    await database.query("INSERT INTO tombstones VALUES ('default', $1, $2)", [id, at]);
    await database.query("INSERT INTO audit VALUES ($1, 'default', $2, 'test', 'erase', $1)", [id, at]);
  }
  await forgetTraces(database.query, before);
  expect(await database.query("SELECT 1 FROM tombstones")).toHaveLength(2);
  expect(await database.query("SELECT 1 FROM audit")).toHaveLength(4);
});

it("an erasure waits for an insert that is held open, and is seen by one that is not checked yet", async () => {
  const { generation } = await readState(database);
  const believed = checkGeneration(generation.value());
  /** Stores an event of the contact, and stays open until it is told to go on: in front of its last statement, or behind it. */
  const hold = async (isChecked: boolean) => {
    const held = new EventEmitter();
    const inserted = once(held, "inserted");
    const done = database.transaction(async (query) => {
      const event = { workspace: "default", contactUid: "held", eventUid: "seen", params: "{}" };
      const absent = { accountUid: undefined, stamp: undefined, occurredAt: undefined };
      const statements = insertEvents(newIds(1), [{ ...event, ...absent, receivedAt: Date.now() - 1 }]);
      for (const { text, values } of isChecked ? [...statements, believed] : statements) await query(text, values);
      held.emit("inserted");
      await once(held, "go");
      if (!isChecked) await query(believed.text, believed.values);
    });
    await inserted;
    return { go: () => held.emit("go"), done };
  };
  const [early, late] = [await hold(true), await hold(false)];
  let isErased = false;
  const erasing = eraseContacts(database, { workspace: "default", uids: ["held"], token: "test" }).finally(() => {
    isErased = true;
  });
  const before = generation.value();
  await until(async () => {
    await generation.read();
    return generation.value() > before;
  });
  late.go();
  await expect(late.done).rejects.toSatisfy(isMoved);
  expect(isErased).toBe(false);
  early.go();
  await early.done;
  expect((await erasing).events).toBe(1);
  expect(await database.query("SELECT 1 FROM events WHERE contact_uid = 'held'")).toEqual([]);
});
