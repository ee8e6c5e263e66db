import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import type { Database, Query } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { makeRecords } from "../../../src/service/ingest/store/make-records.js";
import { forgetTraces } from "../../../src/service/person/traces.js";
import { deleteBareRecords, PARTS } from "../../../src/service/records/deletion/bare-records.js";
import { deleteEvents, deleteEventsBefore } from "../../../src/service/records/deletion/chosen-events.js";
import { type Kept, keepFor } from "../../../src/service/records/deletion/retention.js";
import { confirmClock } from "../../../src/service/records/deletion/retention-clock.js";
import { DAY } from "../support/command-line.js";
import { makeClock, setBack } from "../support/database-clock.js";
import { overDatabase } from "../support/over-database.js";

const LOG = (told: string[]) => {
  const tell = (...what: unknown[]) => told.push(String(what.at(-1)));
  return { warn: tell, info: tell, error: tell } as unknown as Parameters<typeof keepFor>[0];
};

/** What retention takes, when, and how it goes through it. */
overDatabase(
  (place) => {
    let database: Database;
    beforeAll(async () => {
      const first = await openDatabase(place());
      await makeClock(first.query);
      await first.close();
      database = await openDatabase(place());
    });
    afterAll(() => database.close());
    afterEach(async () => {
      vi.useRealTimers();
      await setBack(database.query, 0);
      for (const table of ["events", "deletions", "contacts", "accounts", "account_contacts"])
        await database.query(`DELETE FROM ${table}`);
    });

    const store = (contact: string, name: string, times: number[]) =>
      database.query(
        `INSERT INTO events (contact_id, id, workspace, contact_uid, event_uid, received_at, params)
         SELECT $1, id, 'default', $2, $3, 1, '{}' FROM unnest($4::uuid[]) AS row (id)`,
        [recordId("contact", contact), contact, name, times.map((time, at) => idAt(time + at))],
      );
    const ages = (...days: number[]) => days.map((one) => Date.now() - one * DAY);
    /** One run of a process that has just begun: what is left, and whether it has doubted the clock. */
    const runAt = async (ahead: number, days = 365) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ahead * DAY });
      await setBack(database.query, -ahead * DAY);
      const told: string[] = [];
      const kept: Kept = { days, workspaces: () => ["default"], also: async () => {} };
      await keepFor(LOG(told), kept).run(database);
      vi.useRealTimers();
      const left = (await database.query("SELECT 1 FROM events")).length;
      return { left, isDoubted: told[0]!.startsWith("no old events are deleted") };
    };

    it("deletes nothing while its clock goes wrong, until that has gone right for 7 days or is confirmed", async () => {
      const all = { left: 20, isDoubted: true };
      await store("kept", "kept", ages(...Array.from({ length: 20 }, () => 0)));
      // Nothing but the newest event tells that this cannot be.
      expect(await runAt(400)).toEqual(all);
      for (const days of [401.9, 403.8, 405.7]) expect(await runAt(days), `${days} days`).toEqual(all);
      expect(await runAt(407.6)).toEqual({ left: 0, isDoubted: false });
      // Set right, it goes backwards.
      await database.query("DELETE FROM deletions");
      await store("kept", "kept", ages(400, 399));
      expect(await runAt(0)).toEqual({ left: 2, isDoubted: true });
      await confirmClock(database.query);
      expect(await runAt(0)).toEqual({ left: 0, isDoubted: false });
    });

    it("deletes two days more than the last time at most", async () => {
      await database.query("DELETE FROM service_state WHERE name LIKE 'retention%'");
      await store("kept", "kept", ages(20, 18.5, 17, 15.5, 0));
      expect([(await runAt(0, 1)).left, (await runAt(0, 1)).left]).toEqual([3, 2]);
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
      for (let turn = 0; turn < PARTS; turn += 1)
        deleted += await deleteBareRecords(database, Date.now() - 30 * DAY, turn);
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

    it("goes on behind what the step before has deleted, and leaves one notice of it", async () => {
      const from = Date.now() - 40 * DAY;
      await store(
        "many",
        "old",
        Array.from({ length: 12_000 }, () => from),
      );
      await store("many", "other", [from + 20_000]);
      await deleteEvents(database, "default", { name: "other" });
      const begins: unknown[] = [];
      const listening: Database = {
        ...database,
        transaction: (work) =>
          database.transaction((query) => {
            const listen: Query = (text, values = []) => {
              if (text.startsWith("SELECT id FROM events")) begins.push(values.at(-1));
              return query(text, values);
            };
            return work(listen);
          }),
      };
      expect(await deleteEventsBefore(listening, "default", Date.now() - 30 * DAY)).toBe(12_000);
      // Three steps, and one of what was imported.
      const [, ...later] = begins.slice(0, 3);
      expect(later).toEqual([idAt(from + 4_999), idAt(from + 9_999)]);
      // That of today names an event which this one does not.
      await store("many", "young", [Date.now()]);
      await deleteEvents(database, "default", { name: "young" });
      await store("many", "old", [Date.now() - 29 * DAY]);
      const before = Date.now() - 28 * DAY;
      await deleteEventsBefore(database, "default", before);
      const notices = await database.query("SELECT before, ids IS NULL AS all FROM deletions ORDER BY id");
      expect(notices).toEqual([
        { before: null, all: false },
        { before: null, all: false },
        { before: idAt(before), all: true },
      ]);
      // Once all that they name is in front, they say nothing more.
      await store("many", "last", [Date.now() - 1]);
      await deleteEventsBefore(database, "default", Date.now() + 60_000);
      expect(await database.query("SELECT 1 FROM deletions WHERE before IS NULL")).toEqual([]);
    });
  },
  { ofOneNode: true },
);
