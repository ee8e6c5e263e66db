import { afterAll, beforeAll, expect, it } from "vitest";
import { readState } from "../../../src/service/commands/import.js";
import type { Database } from "../../../src/service/database/database.js";
import { newIds } from "../../../src/service/database/event-id.js";
import { checkGeneration, isMoved } from "../../../src/service/database/generation.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { deleteWorkspace } from "../../../src/service/deletion/workspace.js";
import { insertEvents } from "../../../src/service/ingest/store/rows.js";
import { AT_ONCE } from "../support/bounds.js";
import { overDatabase } from "../support/over-database.js";
import { type RunningService, startService, until } from "../support/running-service.js";

const GONE = { name: "gone", apiToken: "gone-api-token", accessToken: "gone-access-token" };
const CLIENTS = 8;

overDatabase(
  (place) => {
    let database: Database;
    /** Two, each with a memory of its own. */
    const services: RunningService[] = [];
    beforeAll(async () => {
      database = await openDatabase(place());
      const options = { bounds: AT_ONCE, workspaces: [GONE] };
      services.push(await startService({ ...place(), ...options }));
      services.push(await startService({ database, ...options }));
    });
    afterAll(async () => {
      for (const service of services) await service.close();
    });

    /** Runs `work` while clients send events; then some more; resolves to the statuses of these. */
    const whileSending = async (token: string, work: () => Promise<unknown>): Promise<number[]> => {
      let [sent, isOver] = [0, false];
      const send = async (at: number) => {
        const event = { contact_uid: "gone", event_uid: "seen", params: { account_uid: "acme" } };
        const query = `?api_token=${encodeURIComponent(token)}`;
        const { status } = await services[at % services.length]!.post(event, {}, query);
        sent += 1;
        return status;
      };
      const clients = Array.from({ length: CLIENTS }, async (_, at) => {
        while (!isOver) await send(at);
      });
      await until(() => (sent > 5 * CLIENTS ? true : undefined));
      await work();
      isOver = true;
      await Promise.all(clients);
      return Promise.all(Array.from({ length: CLIENTS }, (_, at) => send(at)));
    };
    const count = async (what: string, values: unknown[] = []): Promise<number> => {
      const [row] = await database.query(`SELECT count(*) AS count FROM ${what}`, values);
      return Number(row!.count);
    };

    it("waits for an insert that is held open, and is seen by one that is not checked yet", async () => {
      const { generation } = await readState(database);
      const of = { workspace: "default", contactUid: "held" };
      /** Stores an event of the contact, and stays open until it is told to go on: in front of its last statement, or behind it. */
      const hold = async (isChecked: boolean) => {
        const believed = checkGeneration(generation.value());
        let [go, began] = [() => {}, () => {}];
        const [going, inserted] = [
          new Promise<void>((resolve) => (go = resolve)),
          new Promise<void>((resolve) => (began = resolve)),
        ];
        const done = database.transaction(async (query) => {
          const event = { ...of, accountUid: undefined, eventUid: "seen", params: "{}", stamp: undefined };
          const statements = insertEvents(newIds(1), [{ ...event, receivedAt: Date.now() - 1, occurredAt: undefined }]);
          if (isChecked) statements.push(believed);
          for (const { text, values } of statements) await query(text, values);
          began();
          await going;
          if (!isChecked) await query(believed.text, believed.values);
        });
        await inserted;
        return { go, done };
      };
      const [early, late] = [await hold(true), await hold(false)];
      let isErased = false;
      const erasing = eraseContacts(database, { workspace: of.workspace, uids: [of.contactUid], token: "test" }).then(
        (told) => {
          isErased = true;
          return told;
        },
      );
      const before = generation.value();
      await until(async () => {
        await generation.read();
        return generation.value() > before ? true : undefined;
      });
      late.go();
      await expect(late.done).rejects.toSatisfy(isMoved);
      expect(isErased).toBe(false);
      early.go();
      await early.done;
      expect((await erasing).events).toBe(1);
      expect(await count("events WHERE contact_uid = 'held'")).toBe(0);
    });

    it("leaves nothing of a workspace that running processes serve, and lets them serve it no more", async () => {
      await services[0]!.post({ contact_uid: "stays", event_uid: "seen", params: { account_uid: "acme" } });
      const statuses = await whileSending(GONE.apiToken, () => deleteWorkspace(database, "gone"));
      expect(new Set(statuses)).toEqual(new Set([401]));
      const tables = await database.query<{ name: string }>(
        "SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'workspace' AND table_name <> 'audit'",
      );
      expect(tables.length).toBeGreaterThan(10);
      for (const { name: table } of tables) expect(await count(`${table} WHERE workspace = 'gone'`), table).toBe(0);
      expect(await count("account_contacts")).toBe(1);
    });
  },
  { isGiven: true },
);
