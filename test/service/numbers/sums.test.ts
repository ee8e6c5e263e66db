import { afterAll, beforeAll, expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { viewOf } from "../../../src/service/base/params.js";
import type { Database, Query } from "../../../src/service/database/database.js";
import { idAt, newIds } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { deleteEvents } from "../../../src/service/deletion/chosen.js";
import { eraseContacts } from "../../../src/service/deletion/erasure.js";
import { deleteEventsBefore } from "../../../src/service/deletion/retention.js";
import { deleteWorkspace } from "../../../src/service/deletion/workspace.js";
import { makeRecords } from "../../../src/service/ingest/store/records.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/rows.js";
import { countActive } from "../../../src/service/numbers/count-active.js";
import { leaveOut } from "../../../src/service/numbers/people/left-out.js";
import { renew } from "../../../src/service/numbers/sums/renewal/renew.js";
import { step } from "../../../src/service/numbers/sums/step.js";
import { dayOf } from "../../../src/service/numbers/sums/utc-days.js";
import { hourOf, markStale } from "../../../src/service/records/stale-hours.js";
import { waitFor } from "../../support/wait.js";
import { followSums } from "../support/follow-sums.js";
import { overDatabase } from "../support/over-database.js";

const [QUARTER, HOUR, DAY] = [900_000, 3_600_000, 86_400_000];
/** The start of a day, some days ago: all that was received in its hours is there. */
const THEN = Date.now() - (Date.now() % DAY) - 3 * DAY;

const event = (
  contactUid: string,
  eventUid: string,
  receivedAt: number,
  params: Record<string, unknown> = {},
): NewEvent => ({
  workspace: "default",
  contactUid,
  accountUid: params.account_uid as string | undefined,
  eventUid,
  params: JSON.stringify(params),
  ...viewOf(eventUid, params),
  stamp: undefined,
  receivedAt,
  occurredAt: undefined,
});

/** Received long before its id. */
const imported = (event: NewEvent): NewEvent => ({ ...event, originId: crypto.randomUUID() });

/** A sequence that is the same in each run. */
const createRandom = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

/** What the raw table says, counted here: each kind's keys by quarter, and who was active. */
const countRaw = (rows: Record<string, unknown>[]) => {
  const kinds: Record<string, Map<string, number>> = {
    event: new Map(),
    path: new Map(),
    referrer: new Map(),
  };
  const active: Record<string, Map<string, number[]>> = { active_contacts: new Map(), active_accounts: new Map() };
  const weeks = new Set<string>();
  const add = (kind: string, at: number, key: string) => {
    const place = JSON.stringify([at - (at % QUARTER), key]);
    kinds[kind]!.set(place, (kinds[kind]!.get(place) ?? 0) + 1);
  };
  const enter = (table: string, at: number, id: string) => {
    const place = `${new Date(at).toISOString().slice(0, 10)} ${id}`;
    const events = active[table]!.get(place) ?? Array.from({ length: 96 }, () => 0);
    active[table]!.set(place, events);
    events[Math.floor((at % DAY) / QUARTER)]! += 1;
  };
  for (const row of rows) {
    const at = Number(row.received_at);
    add("event", at, String(row.event_uid));
    enter("active_contacts", at, String(row.contact_id));
    // 1970-01-05 was a Monday.
    weeks.add(`active_weeks ${dayOf(at - ((at - 4 * DAY) % (7 * DAY)))} ${row.contact_id}`);
    if (row.account_uid !== null) {
      enter("active_accounts", at, recordId("account", String(row.account_uid)));
    }
    const { visit_url: url, referrer } = JSON.parse(String(row.params));
    if (row.event_uid !== "pageview" || url === undefined) continue;
    const { pathname, hash, host } = new URL(url);
    add("path", at, pathname + (hash.startsWith("#/") ? hash : ""));
    const from = referrer && new URL(referrer).host;
    if (from && from !== host) add("referrer", at, from);
  }
  const sums = Object.entries(kinds).flatMap(([kind, counts]) => bounded(counts).map((line) => `${kind} ${line}`));
  const quarters = Object.entries(active).flatMap(([table, places]) =>
    [...places].map(
      ([place, events]) =>
        `${table} ${place} ${events.map((one) => (one > 0 ? 1 : 0)).join("")} ${table === "active_accounts" ? events.map((one) => one || "") : ""}`,
    ),
  );
  return [...sums, ...quarters, ...weeks].sort();
};

/** Of each hour the 200 most frequent keys, and the rest together. */
const bounded = (counts: Map<string, number>): string[] => {
  const all = [...counts].map(([place, events]) => ({ place: JSON.parse(place) as [number, string], events }));
  const totals = new Map<string, number>();
  const ofHour = ([quarter, key]: [number, string]) => JSON.stringify([quarter - (quarter % HOUR), key]);
  for (const { place, events } of all) totals.set(ofHour(place), (totals.get(ofHour(place)) ?? 0) + events);
  const kept = new Set<string>();
  const seen = new Map<number, number>();
  for (const [place] of [...totals].sort(([, a], [, b]) => b - a)) {
    const [hour] = JSON.parse(place) as [number];
    seen.set(hour, (seen.get(hour) ?? 0) + 1);
    if (seen.get(hour)! <= 200) kept.add(place);
  }
  const sums = new Map<string, number>();
  for (const { place, events } of all) {
    const line = `${place[0]} ${kept.has(ofHour(place)) ? place[1] : ""}`;
    sums.set(line, (sums.get(line) ?? 0) + events);
  }
  return [...sums].map(([line, events]) => `${line} ${events}`);
};

overDatabase((place) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(place());
  });
  afterAll(() => database.close());
  const ask: Query = (sql, values) => database.query(sql, values);

  const store = async (events: NewEvent[], ids = newIds(events.length)): Promise<void> => {
    await database.write(insertEvents(ids, events));
  };
  const end = () => idAt(Date.now() + 1);
  /** In steps of few events, so that an hour takes several. */
  const follow = (over: Database = database): Promise<void> => followSums(over, "default", 15);
  const stored = async (): Promise<string[]> => {
    const sums = await ask("SELECT kind, quarter, key, events FROM sums WHERE workspace = 'default'");
    const lines = sums.map(({ kind, quarter, key, events }) => `${kind} ${quarter} ${key} ${events}`);
    for (const table of ["active_contacts", "active_accounts"]) {
      const rows = await ask(`SELECT to_json(stored)::text AS row FROM ${table} AS stored WHERE workspace = 'default'`);
      for (const { row } of rows) {
        const { day, contact_id, account_id, quarters, events } = JSON.parse(String(row));
        lines.push(`${table} ${day} ${contact_id ?? account_id} ${quarters} ${events ?? ""}`);
      }
    }
    const weeks = await ask("SELECT week::text AS week, contact_id FROM active_weeks WHERE workspace = 'default'");
    for (const { week, contact_id } of weeks) lines.push(`active_weeks ${week} ${contact_id}`);
    return lines.sort();
  };
  const expectEqual = async (): Promise<void> => {
    const rows = await ask("SELECT * FROM events WHERE workspace = 'default'");
    expect(rows.length).toBeGreaterThan(0);
    expect(await stored()).toEqual(countRaw(rows));
  };

  const random = createRandom(36);
  const some = (): NewEvent => {
    const contact = random(20);
    const params: Record<string, unknown> = { ...(contact % 3 && { account_uid: `acme-${contact % 4}` }) };
    const isView = random(2) === 0;
    if (isView) {
      const visit_url = `https://shop.example${["", "/", "/a?x=1", "/b/c#top", "/app#/settings", "/d?u=/%22"][random(6)]}`;
      Object.assign(params, { visit_url, note: '"visit_url":"https://no.example/"' });
      if (random(2))
        params.referrer = ["https://search.example/?q=a", "https://shop.example/", "https://news.example"][random(3)];
    }
    return event(`contact-${contact}`, isView ? "pageview" : `event-${random(5)}`, THEN + random(2 * DAY), params);
  };

  it("are equal to a count over the table after inserts, imports, deletions and restarts", async () => {
    for (let round = 0; round < 3; round += 1) {
      const events = Array.from({ length: 150 }, some);
      await store(events.map(imported));
      // And as they come: the id says when.
      const live = Array.from({ length: 100 }, some).sort((a, b) => a.receivedAt - b.receivedAt);
      if (round === 0)
        await store(
          live,
          live.map(({ receivedAt }, at) => idAt(receivedAt).replace(/.{12}$/, String(at).padStart(12, "0"))),
        );
      await Promise.all([follow(), deleteEvents(database, "default", { naming: `acme-${round}` })]);
      for (const anonymise of [undefined, ["visit_url"]])
        await eraseContacts(database, {
          ...{ workspace: "default", uids: [`contact-${round + (anonymise ? 10 : 0)}`], token: "test" },
          anonymise,
        });
      if (round === 1) {
        await database.close();
        database = await openDatabase(place());
      }
      await follow();
      await expectEqual();
    }
    const before = (await stored()).length;
    await deleteEventsBefore(database, "default", THEN + DAY + 10 * QUARTER);
    await follow();
    await expectEqual();
    expect((await stored()).length).toBeLessThan(before);
  });

  it("keep the 200 most frequent keys of an hour once it is over, and count the rest together", async () => {
    // Those that are rare come first.
    const names = Array.from({ length: 300 }, (_, at) => `flood-${at}`);
    const at = THEN + 2 * DAY + 5 * HOUR;
    for (const few of [names.slice(0, 100), names.slice(100), names.slice(100)])
      await store(few.map((name, index) => imported(event("flood", name, at + index * 9_000))));
    await follow();
    await expectEqual();
    const rest = await ask("SELECT sum(events) AS events FROM sums WHERE kind = 'event' AND key = ''");
    expect(Number(rest[0]!.events)).toBe(100);
  });

  it("have each event once where a step breaks off at any of its statements, or two processes do it at once", async () => {
    for (let statements = 0, isBroken = true; isBroken; statements += 1) {
      const late = event("flood", `late-${statements}`, THEN + 2 * DAY + 5 * HOUR);
      await store([some(), some(), late].map(imported));
      let left = statements;
      const breaking: Database = {
        ...database,
        transaction: (work) =>
          database.transaction((query) =>
            work((...statement) => {
              left -= 1;
              if (left < 0) throw new Error("broken off");
              return query(...statement);
            }),
          ),
      };
      isBroken = await step(breaking, "default", end()).then(
        () => false,
        () => true,
      );
      if (isBroken) await Promise.all([follow(), follow(), follow()]);
    }
    await follow();
    await expectEqual();
  });

  it("count an hour anew that was marked while it was counted", async () => {
    const [row] = await ask("SELECT contact_id, id, received_at FROM events LIMIT 1");
    const deleting = database.transaction(async (query) => {
      await query("DELETE FROM events WHERE contact_id = $1 AND id = $2", [row!.contact_id, row!.id]);
      await markStale(query, "default", [hourOf(Number(row!.received_at))]);
    });
    await Promise.all([follow(), deleting]);
    await follow();
    await expectEqual();
  });

  it("tell how many were active, by a sixteenth of them where they are many", async () => {
    const steps = [THEN, THEN + DAY, THEN + 2 * DAY];
    for (const [workspace, contacts] of [
      ["few", 1_000],
      ["many", 40_000],
    ] as const) {
      // On the second day every other one.
      await ask(
        `INSERT INTO active_contacts (workspace, day, contact_id, quarters)
         SELECT $1, $2::date + n % 2, md5((n / 2)::text)::uuid, B'1'::bit(96)
         FROM generate_series(0, 2 * $3::int - 1) AS n WHERE n % 4 < 3`,
        [workspace, dayOf(THEN), contacts],
      );
      const active = await countActive(ask, { workspace, steps, before: [THEN - 2 * DAY, THEN] }, "active_contacts");
      const isMany = workspace === "many";
      expect(active.approximate).toBe(isMany);
      const close = isMany ? 0.04 * contacts : 0;
      for (const [told, real] of [
        [active.total, contacts],
        [active.counts[0]!, contacts],
        [active.counts[1]!, contacts / 2],
      ] as const)
        expect(Math.abs(told - real)).toBeLessThanOrEqual(close);
      await deleteWorkspace(database, workspace);
    }
  });

  const sumsOf = (workspace: string, query: Query = ask) =>
    query("SELECT key, events FROM sums WHERE workspace = $1", [workspace]);
  /** Makes the first step of a workspace, and begins other work once it has counted: that work waits for its end. */
  const firstStep = async (workspace: string, work: () => Promise<unknown>): Promise<void> => {
    const told = { ...imported(event("anna", "first", THEN)), workspace };
    for (const { text, values } of makeRecords([told])) await ask(text, values);
    await store([told]);
    let isDone = false;
    let working: Promise<unknown> = Promise.resolve();
    const transaction: Database["transaction"] = (ofStep) =>
      database.transaction(async (query) => {
        const result = await ofStep(query);
        expect(await sumsOf(workspace, query)).toHaveLength(1);
        working = work().finally(() => {
          isDone = true;
        });
        const waits = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
        await waitFor(async () => isDone || (await ask(waits)).length > 0);
        return result;
      });
    await step({ ...database, transaction }, workspace, end());
    await working;
    await followSums(database, workspace);
    expect(await sumsOf(workspace)).toEqual([]);
    await deleteWorkspace(database, workspace);
  };

  it("have nothing of whoever was left out while a workspace was counted for the first time", () => {
    const anna = { workspace: "left", kind: "contact", id: recordId("contact", "anna", "left") } as const;
    return firstStep("left", () => leaveOut(database, anna, true));
  });

  it("have nothing of what was deleted while a workspace was counted for the first time", () =>
    firstStep("deleted", async () => {
      await deleteEvents(database, "deleted", { name: "first" });
      await renew(database, "deleted");
    }));

  it("are gone with their workspace", async () => {
    await deleteWorkspace(database, "default");
    for (const table of ["sums", "sums_followed", "sums_stale", "active_contacts", "active_accounts"])
      expect(await ask(`SELECT 1 AS one FROM ${table}`), table).toEqual([]);
  });
});
