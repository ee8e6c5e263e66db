import { EventEmitter, once } from "node:events";
import { expect, it } from "vitest";
import { readState } from "../../../src/service/commands/import.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { checkGeneration, isMoved } from "../../../src/service/database/generation.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { insertEvents } from "../../../src/service/ingest/store/event-rows.js";
import { useDatabase, useServer } from "../support/fixtures.js";
import { until } from "../support/service.js";

const database = useDatabase(useServer());

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
