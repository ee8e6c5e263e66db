import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readState } from "../../../src/service/commands/import.js";
import type { Database } from "../../../src/service/database/database.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { checkGeneration, isMoved } from "../../../src/service/database/generation.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { insertEvents } from "../../../src/service/ingest/store/rows.js";
import { AT_ONCE } from "../support/bounds.js";
import { useServer } from "../support/over-database.js";
import { startService, until } from "../support/running-service.js";

const place = useServer();
let database: Database;
beforeAll(async () => {
  database = await openDatabase(place);
});
afterAll(() => database.close());

it("waits for an insert that is held open, and is seen by one that is not checked yet", async () => {
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
    return generation.value() > before || undefined;
  });
  late.go();
  await expect(late.done).rejects.toSatisfy(isMoved);
  expect(isErased).toBe(false);
  early.go();
  await early.done;
  expect((await erasing).events).toBe(1);
  expect(await database.query("SELECT 1 FROM events WHERE contact_uid = 'held'")).toEqual([]);
});

it("empties the table of refused bodies, which a build before may write, at each start", async () => {
  await database.query(
    `INSERT INTO dead_letters (id, workspace, received_at, status, error, bytes, of_page, body)
     SELECT gen_random_uuid(), 'default', 0, 400, 'wrong', 1, true, 'body' FROM generate_series(1, 5001)`,
  );
  const service = await startService({ ...place, bounds: AT_ONCE });
  await until(async () => (await database.query("SELECT 1 FROM dead_letters")).length === 0 || undefined);
  await service.close();
});
