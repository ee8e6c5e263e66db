import { readFile } from "node:fs/promises";
import { beforeAll, expect, it } from "vitest";
import { answerOf } from "../../../src/service/numbers/ask-question.js";
import { prepare, QUESTIONS } from "../../../src/service/numbers/questions.js";
import { openAssistant } from "../support/assistant.js";
import { followSums } from "../support/database.js";
import { DAY, SHOP, useService } from "../support/fixtures.js";
import { ACCESS_TOKEN, basic } from "../support/service.js";
import { linesOf, runTold } from "../support/told-command.js";

type Told = Record<string, unknown>;
const ADMIN = "test-admin-token";
const FIRST_MONDAY = 4 * DAY; // 1970-01-05
const NOW = Date.now();
const THIS_MONDAY = NOW - ((NOW - FIRST_MONDAY) % (7 * DAY));
/** Noon of the Monday so many weeks ago, and so many days later. */
const at = (weeksAgo: number, day = 0) => THIS_MONDAY + (day - 7 * weeksAgo + 0.5) * DAY;
const date = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The stamp of an event with this number in its document, as the script has it. */
const numbered = (event_source: string, event_seq: number, occurred_at: number) => ({
  event_id: crypto.randomUUID(),
  occurred_at,
  event_source,
  event_seq,
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
const named = (uid: string) => ({ id: expect.any(String), unique_id: uid, name: uid });
/** Received so long ago that no question here asks for it. */
const LONG_AGO = at(20);

const service = useService({ workspaces: [SHOP], adminToken: ADMIN });
beforeAll(async () => {
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
  for (const workspace of ["default", "shop"]) await followSums(service.database, workspace);
});

/** What each question asks for; of the last 60 days. */
const steps = { first: "signup", second: "project_created", third: "colleague_invited" };
const GIVEN: Record<string, string> = { account: "acme", contact: "anna", ...steps };
const givenTo = (name: string) => {
  const own = QUESTIONS.get(name)!.parameters.map((one) => one.name);
  const isOf = (one: string) => own.includes(one) && !(name === "time-line" && one === "account");
  return {
    from: date(at(8)),
    to: date(NOW),
    ...Object.fromEntries(Object.entries(GIVEN).filter(([one]) => isOf(one))),
  };
};
const ask = (name: string, more: Record<string, string> = {}) =>
  answerOf(service.database.query, QUESTIONS.get(name)!, { workspace: "default", ...givenTo(name), ...more });

it("read events by their time, their name or their contact, never all of a workspace", () =>
  service.database.transaction(async (query) => {
    await query("DROP INDEX events_by_id, events_imported, events_imported_by_time");
    await query("SET LOCAL enable_seqscan = off");
    for (const name of ["account", "contact", "delays", "steps", "time-line"]) {
      const { text, values } = prepare(QUESTIONS.get(name)!, {
        workspace: "default",
        ...givenTo(name),
      });
      const plan = JSON.stringify(await query(`EXPLAIN ${text}`, values));
      expect(plan, name).toMatch(/events_by_time|events_by_name|events_pkey|events_by_origin/);
      expect(plan, name).not.toMatch(/Seq Scan on events/);
    }
    await query("ROLLBACK");
  }));

it("tell when each step was taken, of the start that leads furthest", async () => {
  const { data } = await ask("steps", {
    first: "colleague_invited",
    second: "project_created",
    third: "",
    within: "7",
    from: date(at(4)),
  });
  // Ben's first invitation is followed by a project, his second one by nothing.
  expect(data!.map(({ stopped }) => (stopped as Told[]).map(({ unique_id, times }) => [unique_id, times]))).toEqual([
    [["anna", [at(3, 2)]]],
    [["ben", [at(3, 1), at(3, 3)]]],
  ]);
  // No event is two steps, and the second may come within so many days of a start alone.
  const of = async (name: string, within: string, from = date(at(8))) =>
    (await ask("steps", { first: name, second: name, third: "", within, from })).data!.map(({ contacts }) => contacts);
  expect(await of("signup", "7", date(at(4)))).toEqual([2, 0]);
  expect([(await of("colleague_invited", "13"))[1], (await of("colleague_invited", "12"))[1]]).toEqual([1, 0]);
});

it("mark who may still go on", async () => {
  const [first] = (await ask("steps", { first: "colleague_invited", second: "signup", third: "", within: "60" })).data!;
  expect(first).toMatchObject({ contacts: 2, open: 2 });
  expect(first!.stopped).toMatchObject([
    { unique_id: "ben", times: [at(1)], open_until: at(1) + 60 * DAY },
    { unique_id: "anna", times: [at(3, 2)], open_until: at(3, 2) + 60 * DAY },
  ]);
});

it("tell how late events arrive", async () => {
  const { data } = await ask("delays", { from: date(at(4)) });
  expect(data!.map(({ day, events }) => [day, events])).toEqual([
    [date(at(3)), 2],
    [date(at(3, 1)), 2],
    [date(at(3, 2)), 1],
    [date(at(3, 3)), 1],
    [date(at(2)), 1],
    [date(at(1)), 1],
  ]);
  for (const { half_within_s, most_within_s, late } of data!)
    expect([half_within_s, most_within_s, late]).toEqual([60, 60, 0]);
});

it("tell what an account did by name", async () => {
  expect((await ask("account-names")).data!.map(({ event_uid, events }) => `${event_uid} ${events}`).sort()).toEqual([
    "colleague_invited 3",
    "pageview 1",
    "project_created 2",
    "signup 2",
  ]);
});

it("tell of which documents events are missing", async () => {
  const { data, ...sums } = await ask("losses");
  expect(sums).toMatchObject({ documents: 2, events: 3, missing: 4, cannot_be_told: null });
  expect(data).toEqual([
    { source: OLD_SOURCE, contact_uid: "cleo", contact: named("cleo"), began: at(5, 1), events: 2, missing: 2 },
    { source: SOURCE, contact_uid: "ben", contact: named("ben"), began: at(1), events: 1, missing: 2 },
  ]);
  // Without a number none is known to be missing, nor to be there.
  expect((await ask("losses", { workspace: "shop" })).cannot_be_told).toMatch(/numbers its events from 1/);
});

it("are answered the same to an assistant and to a command, and stand all on the page", async () => {
  const page = (await readFile("docs/service/sql.md", "utf8")).replace(/ +/g, " ");
  const assistant = await openAssistant(service.place, ACCESS_TOKEN, { TRACKLET_ACCESS_TOKEN: ACCESS_TOKEN });
  expect(QUESTIONS.size).toBeGreaterThan(13);
  for (const { name, title } of QUESTIONS.values()) {
    expect(page).toContain(`| \`${name}\` | ${title} `);
    const { data, ...told } = await ask(name);
    const rows = data ?? [told];
    const answer = (await assistant.call("ask", { question: name, ...givenTo(name) })) as Told;
    expect(answer.rows, name).toEqual(rows);
    const given = Object.entries(givenTo(name)).map(([one, text]) => `${one}=${text}`);
    const { out } = await runTold(service.place, "sql", name, "--with", ...given);
    expect(linesOf(out), name).toEqual(rows.map((row) => ({ ...row, time_zone: "UTC" })));
  }
  await assistant.close();
});
