import { afterAll, beforeAll, expect, it } from "vitest";
import { readQuestions } from "../../../src/service/commands/assistant.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { openAssistant } from "../support/assistant.js";
import { basic } from "../support/basic.js";
import { followSums } from "../support/follow-sums.js";
import { overDatabase } from "../support/over-database.js";
import { ACCESS_TOKEN, startService } from "../support/running-service.js";

type Told = Record<string, unknown>;
const ADMIN = "test-admin-token";
const DAY = 86_400_000;
const FIRST_MONDAY = 4 * DAY; // 1970-01-05
const NOW = Date.now();
const THIS_MONDAY = NOW - ((NOW - FIRST_MONDAY) % (7 * DAY));
/** Noon of the Monday so many weeks ago, and so many days later. */
const at = (weeksAgo: number, day = 0) => THIS_MONDAY + (day - 7 * weeksAgo + 0.5) * DAY;
const date = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The stamp of an event with this number in its document, as the script has it. */
const numbered = (event_source: string, event_seq: number, occurred_at: number) => ({
  ...{ event_id: crypto.randomUUID(), occurred_at, event_source, event_seq },
});
const [SOURCE, OLD_SOURCE] = ["5a2b0c1d-0000-4000-a000-000000000000", "5a2b0c1d-0000-4000-a000-000000000001"];

/** Contact, account, name, time, params: as little as gives each question an answer that only it has. */
const EVENTS: [string, string | undefined, string, number, Record<string, unknown>?][] = [
  ["anna", "acme", "project_created", at(3, 1)],
  ["anna", "acme", "colleague_invited", at(3, 2)],
  ["anna", "acme", "pageview", at(2), { visit_url: "https://shop.example/a?x=1" }],
  // Arrives after what has happened later.
  ["anna", "acme", "signup", at(3)],
  ["ben", "acme", "signup", at(3)],
  // Before the project, and then more than seven days after the sign-up.
  ["ben", "acme", "colleague_invited", at(3, 1)],
  ["ben", "acme", "project_created", at(3, 3)],
  ["ben", "acme", "colleague_invited", at(1), numbered(SOURCE, 3, at(1))],
  ["cleo", "quiet", "signup", at(5)],
  [
    "cleo",
    "quiet",
    "pageview",
    at(5, 1),
    { visit_url: "https://shop.example/b", ...numbered(OLD_SOURCE, 4, at(5, 1)) },
  ],
  [
    "cleo",
    undefined,
    "pageview",
    at(5, 1),
    { visit_url: "https://shop.example/a", ...numbered(OLD_SOURCE, 2, at(5, 1)) },
  ],
];
/** Received so long ago that no question about the present asks for it. */
const LONG_AGO = at(20);

overDatabase((place) => {
  let questions: string[];
  let database: Database;
  beforeAll(async () => {
    questions = (await readQuestions()).map(({ sql }) => sql);
    const shop = { name: "shop", apiToken: "shop-api-token", accessToken: "shop-access-token" };
    const service = await startService({ ...place(), workspaces: [shop], adminToken: ADMIN });
    // As the past is brought in, each received a minute late.
    const past = EVENTS.map(([contact_uid, account_uid, event_uid, occurred_at, params]) => ({
      contact_uid,
      event_uid,
      received_at: occurred_at + 60_000,
      params: { account_uid, ...(params?.event_id === undefined && { occurred_at }), ...params },
    }));
    const gone = { contact_uid: "dora", event_uid: "signup", received_at: LONG_AGO, params: { account_uid: "gone" } };
    const send = await fetch(`${service.url}/v1/track/events`, {
      method: "POST",
      headers: { "content-type": "application/json", ...basic(`${ADMIN}:`) },
      body: JSON.stringify([...past, gone]),
    });
    expect((await send.json()).every(({ status }: { status: string }) => status === "stored")).toBe(true);
    // Another workspace's event is in no answer.
    const theirs = { contact_uid: "anna", event_uid: "signup", params: { account_uid: "acme" } };
    await service.post(theirs, {}, `?api_token=${shop.apiToken}`);
    await service.close();
    database = await openDatabase(place());
    await followSums(database);
    await followSums(database, "shop");
  });
  afterAll(() => database.close());

  /** The rows of an answer, as both engines tell them. */
  const ask = async (question: number) => {
    const rows = await database.query<{ row: string }>(
      `SELECT to_json(answer)::text AS row FROM (${questions[question - 1]}) AS answer`,
    );
    return rows.map(({ row }) => JSON.parse(row));
  };
  /** Times as epoch milliseconds. */
  const timed = (rows: Record<string, string>[], name: string) =>
    rows.map((row) => ({ ...row, [name]: Date.parse(row[name]!) }));

  it("are fourteen", () => expect(questions).toHaveLength(14));

  it("read events by their time or their contact, never all of a workspace", () =>
    database.transaction(async (query) => {
      await query("DROP INDEX events_by_id, events_by_name, events_imported, events_imported_by_time");
      await query("SET LOCAL enable_seqscan = off");
      const plans = await Promise.all(questions.map((question) => query(`EXPLAIN ${question}`)));
      await query("ROLLBACK");
      for (const [at, plan] of plans.entries())
        if (/FROM events/.test(questions[at]!))
          expect(JSON.stringify(plan), questions[at]).toMatch(/events_by_time|events_pkey|events_by_origin/);
    }));

  it("tells active contacts by week", async () => {
    expect(await ask(1)).toEqual([
      { week: date(at(5)), contacts: 1 },
      { week: date(at(3)), contacts: 2 },
      { week: date(at(2)), contacts: 1 },
      { week: date(at(1)), contacts: 1 },
    ]);
  });

  it("tells events by account", async () => {
    expect(await ask(2)).toEqual([
      { account_uid: "acme", event_uid: "colleague_invited", events: 3, contacts: 2 },
      { account_uid: "acme", event_uid: "project_created", events: 2, contacts: 2 },
      { account_uid: "acme", event_uid: "signup", events: 2, contacts: 2 },
      { account_uid: "acme", event_uid: "pageview", events: 1, contacts: 1 },
    ]);
  });

  it("tells when contacts were last seen", async () => {
    expect(timed(await ask(3), "last_seen")).toEqual([
      { contact_uid: "ben", last_seen: at(1) },
      { contact_uid: "anna", last_seen: at(2) },
    ]);
  });

  it("tells a funnel", async () => {
    expect(await ask(4)).toEqual([{ first_step: 2, second_step: 2, third_step: 1 }]);
  });

  it("tells the most viewed pages", async () => {
    expect(await ask(5)).toEqual([{ page: "/a", views: 1 }]);
  });

  it("tells new contacts by week", async () => {
    expect(await ask(6)).toEqual([
      { week: date(LONG_AGO), new_contacts: 1 },
      { week: date(at(5)), new_contacts: 1 },
      { week: date(at(3)), new_contacts: 2 },
    ]);
  });

  it("tells who comes back", async () => {
    expect((await ask(7)).filter(({ first_week }) => first_week === date(at(3)))).toEqual([
      { first_week: date(at(3)), weeks_later: 0, contacts: 2 },
      { first_week: date(at(3)), weeks_later: 1, contacts: 1 },
      { first_week: date(at(3)), weeks_later: 2, contacts: 1 },
    ]);
  });

  it("tells accounts that have gone quiet", async () => {
    expect(await ask(8)).toEqual([{ account_uid: "quiet", last_seen: date(at(5, 1)) }]);
  });

  it("tells how late events arrive", async () => {
    const days = await ask(9);
    expect(days.map(({ day, events }) => [day, events])).toEqual([
      [date(at(3)), 2],
      [date(at(3, 1)), 2],
      [date(at(3, 2)), 1],
      [date(at(3, 3)), 1],
      [date(at(2)), 1],
      [date(at(1)), 1],
    ]);
    for (const { half_within_s, most_within_s } of days) expect([half_within_s, most_within_s]).toEqual([60, 60]);
  });

  it("tells what a contact did last, by its key", async () => {
    const latest = timed(await ask(10), "at") as { at: unknown; event_uid: string }[];
    expect(latest.map(({ at: time, event_uid }) => [time, event_uid])).toEqual([
      [at(2), "pageview"],
      [at(3, 2), "colleague_invited"],
      [at(3, 1), "project_created"],
      [at(3), "signup"],
    ]);
  });

  it("tells who is active, by day and account", async () => {
    const days = await ask(11);
    expect(days.map(({ day, account_uid, contacts }) => [day, account_uid, contacts])).toEqual([
      [date(at(3)), "acme", 2],
      [date(at(3, 1)), "acme", 2],
      [date(at(3, 2)), "acme", 1],
      [date(at(3, 3)), "acme", 1],
      [date(at(2)), "acme", 1],
      [date(at(1)), "acme", 1],
    ]);
  });

  it("tells the days of another time zone", async () => {
    // Noon in UTC is the next day there.
    expect(await ask(12)).toEqual([
      { day: date(at(5, 2)), views: 2 },
      { day: date(at(2, 1)), views: 1 },
    ]);
  });

  it("tells of which documents events are missing", async () => {
    expect(timed(await ask(13), "began")).toEqual([
      { source: SOURCE, contact_uid: "ben", began: at(1), events: 1, missing: 2 },
    ]);
  });

  it("are answered the same to an assistant", async () => {
    const environment = { TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN };
    const assistant = await openAssistant(place(), ACCESS_TOKEN, environment);
    const steps = { first_event: "signup", second_event: "project_created", third_event: "colleague_invited" };
    const given = { account: "acme", contact: "anna", time_zone: "Pacific/Auckland", ...steps };
    const told = async (question: number) =>
      ((await assistant.call("ask", { question, ...given })) as Told).rows as Told[];
    for (const number of questions.keys()) {
      const rows = await ask(number + 1);
      expect(rows.length).toBeGreaterThan(0);
      expect(await told(number + 1)).toEqual(rows);
    }
    await assistant.close();
  });
});
