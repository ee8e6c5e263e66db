import { afterAll, beforeAll, expect, it } from "vitest";
import { readQuestions } from "../../../src/service/commands/assistant.js";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { openAssistant } from "../support/assistant.js";
import { basic } from "../support/basic.js";
import { SHOP } from "../support/command-line.js";
import { followSums } from "../support/follow-sums.js";
import { usePlace } from "../support/over-database.js";
import { ACCESS_TOKEN, startService } from "../support/running-service.js";

type Told = Record<string, unknown>;
const ADMIN = "test-admin-token";
const DAY = 86_400_000;
const FIRST_MONDAY = 4 * DAY; // 1970-01-05
const NOW = Date.now();
const THIS_MONDAY = NOW - ((NOW - FIRST_MONDAY) % (7 * DAY));
/** Noon of the Monday so many weeks ago, and so many days later. */
const at = (weeksAgo: number, day = 0) => THIS_MONDAY + (day - 7 * weeksAgo + 0.5) * DAY;
const text = (length: number) => (weeksAgo: number, day?: number) =>
  new Date(at(weeksAgo, day)).toISOString().slice(0, length);
const [day, noon] = [text(10), text(13)];

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

const questions = (await readQuestions()).map(({ sql }) => sql);
const place = usePlace();
let database: Database;
beforeAll(async () => {
  const service = await startService({ ...place, workspaces: [SHOP], adminToken: ADMIN });
  // As the past is brought in, each received a minute late.
  const past = EVENTS.map(([contact_uid, account_uid, event_uid, occurred_at, params]) => ({
    contact_uid,
    event_uid,
    received_at: occurred_at + 60_000,
    params: { account_uid, ...(params?.event_id === undefined && { occurred_at }), ...params },
  }));
  const gone = { contact_uid: "dora", event_uid: "signup", received_at: LONG_AGO, params: { account_uid: "gone" } };
  const send = await service.several([...past, gone], basic(`${ADMIN}:`), "");
  expect((await send.json()).every(({ status }: { status: string }) => status === "stored")).toBe(true);
  // Another workspace's event is in no answer.
  const theirs = { contact_uid: "anna", event_uid: "signup", params: { account_uid: "acme" } };
  await service.post(theirs, {}, `?api_token=${SHOP.apiToken}`);
  await service.close();
  database = await openDatabase(place);
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

/** Question, columns, and the rows as text: times by their hour. */
const ANSWERS: [what: string, question: number, columns: string, ...rows: string[]][] = [
  ["active contacts by week", 1, "week contacts", `${day(5)} 1`, `${day(3)} 2`, `${day(2)} 1`, `${day(1)} 1`],
  [
    ...(["events by account", 2, "account_uid event_uid events contacts"] as const),
    ...["acme colleague_invited 3 2", "acme project_created 2 2", "acme signup 2 2", "acme pageview 1 1"],
  ],
  ["when contacts were last seen", 3, "contact_uid last_seen", `ben ${noon(1)}`, `anna ${noon(2)}`],
  ["a funnel", 4, "first_step second_step third_step", "2 2 1"],
  ["the most viewed pages", 5, "page views", "/a 1"],
  ["new contacts by week", 6, "week new_contacts", `${day(20)} 1`, `${day(5)} 1`, `${day(3)} 2`],
  [
    ...(["who comes back", 7, "first_week weeks_later contacts", `${day(5)} 0 1`] as const),
    ...[`${day(3)} 0 2`, `${day(3)} 1 1`, `${day(3)} 2 1`],
  ],
  ["accounts that have gone quiet", 8, "account_uid last_seen", `quiet ${day(5, 1)}`],
  [
    ...(["how late events arrive", 9, "day events half_within_s most_within_s"] as const),
    ...[`${day(3)} 2 60 60`, `${day(3, 1)} 2 60 60`, `${day(3, 2)} 1 60 60`, `${day(3, 3)} 1 60 60`],
    ...[`${day(2)} 1 60 60`, `${day(1)} 1 60 60`],
  ],
  [
    ...(["what a contact did last, by its key", 10, "at event_uid", `${noon(2)} pageview`] as const),
    ...[`${noon(3, 2)} colleague_invited`, `${noon(3, 1)} project_created`, `${noon(3)} signup`],
  ],
  [
    ...(["who is active, by day and account", 11, "day account_uid contacts", `${day(3)} acme 2`] as const),
    ...[`${day(3, 1)} acme 2`, `${day(3, 2)} acme 1`, `${day(3, 3)} acme 1`, `${day(2)} acme 1`, `${day(1)} acme 1`],
  ],
  // Noon in UTC is the next day there.
  ["the days of another time zone", 12, "day views", `${day(5, 2)} 2`, `${day(2, 1)} 1`],
  [
    ...(["of which documents events are missing", 13, "source contact_uid began events missing"] as const),
    `${SOURCE} ben ${noon(1)} 1 2`,
  ],
];
const told = (value: unknown) =>
  typeof value === "string" && /^\d{4}-.+T/.test(value) ? new Date(value).toISOString().slice(0, 13) : String(value);
it.each(ANSWERS)("tells %s", async (_what, question, columns, ...rows) => {
  const answer = await ask(question);
  expect(
    answer.map((row) =>
      columns
        .split(" ")
        .map((column) => told(row[column]))
        .join(" "),
    ),
  ).toEqual(rows);
});

it("are answered the same to an assistant", async () => {
  const environment = { TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN };
  const assistant = await openAssistant(place, ACCESS_TOKEN, environment);
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
