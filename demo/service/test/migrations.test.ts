import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../database.js";
import { digest, recordId } from "../exact-text.js";
import { up as createFirstTables } from "../migrations/001-tables.js";
import { openDatabase, openExisting } from "../open-database.js";
import { onBothEngines } from "./engines.js";
import { type RunningService, startService } from "./running-service.js";

/** A contact's uid with what its text may hold, escaped as it is stored. */
const ODD = 'odd \u0000 "contact"';
const NUMBERED = 1_203;

/** What a service of the first version has left: tables that no migration counted, and numbered events. */
const makeFirstVersion = async (database: Database): Promise<void> => {
  for (const table of ["schema_migrations", "writers", "user_ranks", "events"])
    await database.query(`DROP TABLE ${table}`);
  for (const table of ["accounts", "contacts", "users"])
    await database.query(`ALTER TABLE ${table} DROP COLUMN workspace`);
  await createFirstTables(database.query);
  await database.query("CREATE INDEX events_by_contact ON events (contact_id, id)");
  await database.query("INSERT INTO service_state VALUES ('last_event_id', $1)", [NUMBERED]);
  const insert = (id: number, uid: string, key: string, params: string) =>
    database.query("INSERT INTO events VALUES ($1, $2, $3, $4, $5, 'kept', $6)", [
      key,
      id,
      // Many share a millisecond: their numbers are what orders them.
      1_700_000_000_000 + Math.floor(id / 100),
      recordId("contact", uid),
      JSON.stringify(uid).slice(1, -1),
      params,
    ]);
  for (let id = 1; id <= NUMBERED; id += 1)
    if (id % 2 === 1) await insert(id, id % 3 === 0 ? ODD : "contact-001", `key-${id}`, `{"n":${id}}`);
  const stamped = String.raw`{"event_id":"stamp-1","account_uid":"a\u0000\ud83d","occurred_at":1699999999999,"big":1e400}`;
  await insert(2, "contact-002", `stamp-${digest("stamp-1")}`, stamped);
  await insert(4, "contact-002", "key-4", '{"account_uid":7,"occurred_at":"yesterday"}');
  await insert(6, "contact-002", "key-6", '{"account_uid":"acme","occurred_at":-9007199254740991}');
  // Data that somebody has broken by SQL.
  await database.query(
    "INSERT INTO contacts (id, unique_id, created_at, archived, data) VALUES ($1, $2, 5, false, 'broken {')",
    [recordId("contact", 'bare"'), 'bare"'],
  );
  await database.query(
    `INSERT INTO accounts (id, unique_id, created_at, data, stage, health) VALUES ($1, 'odd', 5, '[1]', '"x"', 7)`,
    [recordId("account", "odd")],
  );
};

onBothEngines((place) => {
  let service: RunningService;
  beforeAll(async () => {
    const database = await openDatabase({ ...place(), seed: true });
    await makeFirstVersion(database);
    await database.close();
    service = await startService(place());
  });
  afterAll(() => service.close());

  it("keeps every event of a database of the first version, in order", async () => {
    for (const [uid, isTheirs] of [
      ["contact-001", (id: number) => id % 3 !== 0],
      [ODD, (id: number) => id % 3 === 0],
    ] as const) {
      const numbers = Array.from({ length: NUMBERED }, (_, index) => index + 1).filter((id) => id % 2 === 1);
      const { rows } = await service.events(uid);
      expect(rows.map(({ params }) => params.n)).toEqual(numbers.filter(isTheirs));
      expect(rows[0]).toMatchObject({ contact_uid: uid, event_uid: "kept", received_at: 1_700_000_000_000 });
    }
  });

  it("keeps the params as they were sent, and stores no repeat of a stamped event", async () => {
    const event = { contact_uid: "contact-002", event_uid: "kept", params: { event_id: "stamp-1" } };
    expect((await service.post(event)).status).toBe(200);
    const { rows, text } = await service.events("contact-002");
    expect(rows).toHaveLength(3);
    expect(text).toContain(String.raw`"account_uid":"a\u0000\ud83d","occurred_at":1699999999999,"big":1e400}`);
  });

  it("reads the account and the time of the events that it finds", async () => {
    await service.close();
    const database = await openDatabase({ ...place(), seed: true });
    const rows = await database.query<{ account_uid: string; occurred_at: unknown }>(
      "SELECT account_uid, occurred_at FROM events WHERE contact_id = $1 ORDER BY id",
      [recordId("contact", "contact-002")],
    );
    expect(rows.map(({ account_uid, occurred_at }) => [account_uid, Number(occurred_at)])).toEqual([
      [String.raw`a\u0000\ud83d`, 1_699_999_999_999],
      [null, 0],
      ["acme", 0],
    ]);
    await expect(database.query("SELECT 1 FROM numbered_events")).rejects.toThrow(/does not exist/);
    await database.close();
    service = await startService(place());
  });

  it("keeps the records, and makes those that events tell of", async () => {
    const contact = await (await service.get("/v2/contacts?uid=contact-002")).json();
    const account = await (await service.get("/v2/accounts?uid=acme")).json();
    expect(account).toMatchObject({ unique_id: "acme", data: {}, contacts: { data: [{ id: contact.id }] } });
    expect(contact.accounts.data).toContainEqual({ id: account.id });
    expect((await (await service.get("/v2/contacts?uid=contact-001")).json()).data.name).toEqual(expect.any(String));
    expect(await (await service.get('/v2/contacts?uid=bare"')).json()).toMatchObject({
      unique_id: 'bare"',
      created_at: 5,
      data: {},
    });
    expect(await (await service.get("/v2/accounts?uid=odd")).json()).toEqual({
      object: "account",
      id: expect.any(String),
      unique_id: "odd",
      created_at: 5,
      data: {},
      salesmachine: { health: 7 },
      contacts: { object: "contact.list", data: [] },
    });
    expect((await (await service.get("/v2/users")).json()).pagination.total).toBe(137);
  });

  it("refuses a database of a newer version, and leaves it alone", async () => {
    await service.close();
    const database = await openDatabase({ ...place(), seed: true });
    await database.query("INSERT INTO schema_migrations VALUES ('999-later', 1)");
    await database.close();
    await expect(startService(place())).rejects.toThrow(/newer version \(999-later\)/);
    await expect(openExisting({ ...place(), seed: true })).rejects.toThrow(/newer version \(999-later\)/);
  });
});
