import { beforeAll, expect, it } from "vitest";
import { recordId } from "../../../src/service/base/exact-text.js";
import { readWhen } from "../../../src/service/days/calendar.js";
import { answerOf } from "../../../src/service/numbers/ask-question.js";
import { QUESTIONS } from "../../../src/service/numbers/questions.js";
import { AT_ONCE } from "../support/bounds.js";
import { followSums } from "../support/database.js";
import { DAY, expectRefusal, SHOP, useService } from "../support/fixtures.js";
import { until } from "../support/service.js";

/* `GET /v2/numbers/…`: its times, its lists, and its words. That each figure is right is a property of the model. */

const ADMIN = "test-admin-token";

/** Accounts that are stored at once. */
interface Stored {
  amount: number;
  days: number[];
  data: string;
}

const service = useService({ adminToken: ADMIN, bounds: AT_ONCE, workspaces: [SHOP] });
beforeAll(async () => {
  await asAdmin("PUT", "/v2/accounts?uid=zoo", { data: { name: "Zebra & Sons" } });
  for (const [contact_uid, account_uid, event_uid] of [
    ["anna", "acme", "pageview"] as const,
    ["ben", "zoo", "pageview"] as const,
    ["cleo", "zoo", "paid"] as const,
    ["ben", "zoo", "paid"] as const,
  ])
    await service.post({ contact_uid, event_uid, params: { account_uid } });
  await followSums(service.database);
});

const ask = async (path: string, query: Record<string, string> = {}) => {
  const answer = await service.get(`/v2/numbers${path}?${new URLSearchParams({ span: "7d", ...query })}`);
  expect(answer.status, path).toBe(200);
  return answer.json();
};

it("tell when the first and the last event came, if there was one, in the zone of the workspace", async () => {
  const ask = (query = "") => service.get(`/v2/numbers${query}`, { authorization: `Bearer ${SHOP.accessToken}` });
  const none = { first_on: null, last_event_at: null, events: { total: 0 }, counted_back_to: null, events_since: null };
  const answer = await ask("?time_zone=Mars/Base");
  expect(answer.headers.get("warning")).toBe('299 - "time_zone is ignored: days are those of UTC"');
  expect(await answer.json()).toMatchObject({ time_zone: "UTC", ...none });
  const began = Date.now();
  await service.post({ contact_uid: "anna", event_uid: "signed_up" }, {}, `?api_token=${SHOP.apiToken}`);
  const numbers = await until(async () => {
    const numbers = await (await ask()).json();
    const isDone = numbers.events.total > 0 && numbers.counted_to > numbers.last_event_at;
    return isDone && numbers.counted_back_to === null ? numbers : undefined;
  });
  expect(new Date(began).toISOString()).toContain(numbers.first_on);
  expect(numbers.last_event_at).toBeGreaterThanOrEqual(began);
});

// In some there is no midnight when clocks are set, in some there are two, and some set them by half an hour.
it.each(
  "Europe/Berlin America/Santiago Africa/Cairo Atlantic/Azores Australia/Lord_Howe America/St_Johns Asia/Kathmandu".split(
    " ",
  ),
)("count each day of a year in %s from its first moment to its last", (zone) => {
  const dayOf = (at: number) => new Date(Date.UTC(2025, 0, 1 + at)).toISOString().slice(0, 10);
  const { starts, ends } = readWhen({ span: "7d", from: dayOf(0), to: dayOf(364) }, zone);
  const { format } = new Intl.DateTimeFormat("sv", { timeZone: zone });
  const edges = [...starts, ends].map((time) => [format(time - 1), format(time)]);
  expect(edges).toEqual(Array.from({ length: 366 }, (_, at) => [dayOf(at - 1), dayOf(at)]));
});

it("list the accounts of a time by name, whatever its case", async () => {
  const names = async (query: Record<string, string>) =>
    (await ask("/accounts", query)).data.map(({ name }: { name: string }) => name);
  expect(await names({ sort: "name", order: "asc" })).toEqual(["acme", "Zebra & Sons"]);
});

const asAdmin = async (method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${ADMIN}`, ...(body && { "content-type": "application/json" }) };
  const answer = await fetch(service.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  expect(answer.status, path).toBe(200);
};

it.each(["accounts", "contacts"])(
  "list %s that never did anything: as new, by a search, by their health",
  async (kind) => {
    const uidsOf = async (query: Record<string, string>) =>
      (await ask(`/${kind}`, query)).data.map(({ unique_id }: { unique_id: string }) => unique_id);
    await asAdmin("PUT", `/v2/${kind}?uid=gamma`, {});
    const leftOut = `/v2/numbers/${kind}/${recordId(kind === "accounts" ? "account" : "contact", "gamma")}/left-out`;
    const { new: amount } = await ask(`/${kind}`);
    expect((await uidsOf({ show: "new" })).sort()).toContain("gamma");
    expect(await uidsOf({ show: "new" })).toHaveLength(amount);
    // That time was over when it began.
    expect((await ask(`/${kind}`, { span: "30d", show: "new" })).data).toEqual([]);
    expect(await uidsOf({ health: "bad" })).toEqual(["gamma"]);
    expect(await uidsOf({ health: "bad", show: "silent" })).toEqual([]);
    const told = { unique_id: "gamma", events: 0, last_seen_on: null };
    for (const show of ["all", "new", "falling", "silent"])
      expect((await ask(`/${kind}`, { search: "GAMM", show, span: "30d" })).data).toMatchObject([
        { ...told, left_out: false, health: "bad" },
      ]);
    await asAdmin("PUT", leftOut);
    expect((await ask(`/${kind}`, { search: "gamma" })).data).toMatchObject([{ ...told, left_out: true }]);
    expect(await uidsOf({ health: "bad" })).toEqual([]);
    expect((await ask(`/${kind}`)).new).toBe(amount - 1);
    await asAdmin("DELETE", leftOut);
  },
);

it("tell of an account: members, days, figures, latest events", async () => {
  const id = recordId("account", "zoo");
  const told = await ask(`/accounts/${id}`, { event_uid: "pageview" });
  const last_seen_on = new Date().toISOString().slice(0, 10);
  expect(told).toMatchObject({
    unique_id: "zoo",
    name: "Zebra & Sons",
    data: { name: "Zebra & Sons" },
    members: {
      data: expect.arrayContaining([
        expect.objectContaining({ unique_id: "ben", events: 2, last_seen_on }),
        expect.objectContaining({ unique_id: "cleo", events: 1, last_seen_on }),
      ]),
    },
    figures: { events: { data: [{ event_uid: "pageview", events: 1 }] } },
  });
  expect(told.days.counts).toHaveLength(90);
  expect(told.days.counts.at(-1)).toBe(3);
  const { data } = await ask(`/accounts/${id}/events`, { limit: "2" });
  expect(data).toMatchObject([
    { contact: { unique_id: "ben" }, event_uid: "paid", received_at: told.last_event_at },
    { contact: { unique_id: "cleo" } },
  ]);
});

/** So many accounts of a workspace, with an event each on some days ago. */
const storeAccounts = (workspace: string, prefix: string, { amount, days, data }: Stored) =>
  service.database.transaction(async (query) => {
    const ids = `SELECT key_of($1, 'account', $2 || n) AS id, $2 || n AS uid FROM generate_series(1, $3::int) AS n`;
    const values = [workspace, prefix, amount];
    await query(
      `INSERT INTO accounts (id, workspace, unique_id, created_at, data) SELECT id, $1, uid, 0, $4 FROM (${ids}) AS new`,
      [...values, data],
    );
    await query(
      `INSERT INTO active (workspace, month, contact, account, days, events)
       SELECT $1, month, id, id, days, events FROM (${ids}) AS new CROSS JOIN (
         SELECT month, string_agg(one::text, '' ORDER BY part)::bit(31) AS days, array_agg(up_to ORDER BY part) AS events
         FROM (SELECT date_trunc('month', day)::date AS month, part, max((extract(day FROM day) = part)::int) AS one,
                 count(*) FILTER (WHERE extract(day FROM day) <= part)::int AS up_to
               FROM (SELECT (now() AT TIME ZONE 'UTC')::date - unnest($4::int[]) AS day) AS days, generate_series(1, 31) AS part
               GROUP BY 1, 2) AS parts
         GROUP BY 1) AS months`,
      [...values, days],
    );
  });
const agoOf = (days: number) => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);

it("tell the last day of who is found, however long ago that was", async () => {
  for (const days of [20, 200])
    await storeAccounts("late", `ago-${days}-`, { amount: 1, days: [days, 210], data: "{}" });
  for (const days of [20, 200])
    expect((await listOf("late", { span: "24h", search: `ago-${days}-` })).data).toMatchObject([
      { last_seen_on: agoOf(days) },
    ]);
});

it("tell no health of who belongs to one's own account alone", async () => {
  const contact = async () => (await service.get("/v2/contacts?uid=staff")).json();
  const bad = async () =>
    (await ask("/contacts", { health: "bad" })).data.map(({ unique_id }: { unique_id: string }) => unique_id);
  const found = async () => (await ask("/contacts", { search: "staff" })).data;
  await asAdmin("PUT", "/v2/contacts?uid=staff", { accounts: ["ours"] });
  expect(await bad()).toContain("staff");
  await asAdmin("PUT", `/v2/numbers/accounts/${recordId("account", "ours")}/left-out`);
  expect(await bad()).not.toContain("staff");
  expect(await found()).toMatchObject([{ left_out: true }]);
  expect((await contact()).salesmachine).toEqual({});
  await asAdmin("PUT", "/v2/contacts?uid=staff", { accounts: ["acme"] });
  expect(await bad()).toContain("staff");
  expect(await found()).toMatchObject([{ left_out: false }]);
  expect((await contact()).salesmachine).toMatchObject({ health: "bad" });
});

it("say that figures change until all that somebody did is left out", async () => {
  const isChanging = async () =>
    (await answerOf(service.database.query, QUESTIONS.get("state")!, { workspace: "moving" })).changing;
  // Nobody counts in this workspace.
  await service.database.query(
    "INSERT INTO left_out (workspace, kind, id, unique_id, upto) VALUES ('moving', 'contact', gen_random_uuid(), 'ours', gen_random_uuid())",
  );
  expect(await isChanging()).toBe(true);
  await service.database.query("UPDATE left_out SET upto = NULL WHERE workspace = 'moving'");
  expect(await isChanging()).toBe(false);
  // Somebody was left out here before.
  await followSums(service.database);
  expect(await ask("/accounts")).toMatchObject({ changing: false });
});

const listOf = (workspace: string, which: Record<string, string> = {}, question = "accounts") =>
  answerOf(service.database.query, QUESTIONS.get(question)!, { workspace, span: "7d", ...which }) as ReturnType<
    typeof ask
  >;

it("take for new who did nothing before this time, although all records are made later, as by an import", async () => {
  await storeAccounts("imported", "old-", { amount: 2, days: [1, 2, 3, 9, 40], data: "{}" });
  await storeAccounts("imported", "fresh-", { amount: 1, days: [2], data: "{}" });
  await service.database.query(
    "UPDATE accounts SET created_at = extract(epoch FROM now())::bigint WHERE workspace = 'imported'",
  );
  for (const span of ["7d", "30d"])
    expect(await listOf("imported", { span, show: "new" })).toMatchObject({
      new: 1,
      rising: 2,
      data: [{ unique_id: expect.stringContaining("fresh-") }],
    });
});

it("tell since when an account is seen, whenever its record was made", async () => {
  await storeAccounts("since", "old-", { amount: 1, days: [2, 70], data: "{}" });
  expect(await listOf("since", { account: "old-1" }, "account")).toMatchObject({
    first_seen_at: Date.parse(agoOf(70)),
  });
});

it("tell of nobody that rises where nobody did anything before", async () => {
  await storeAccounts("begun", "first-", { amount: 2, days: [1, 2, 3], data: "{}" });
  expect(await listOf("begun")).toMatchObject({ rising: 0, rose: [], data: Array(2).fill({ trend: null }) });
  expect(await listOf("begun", {}, "contacts")).toMatchObject({ rising: 0, data: Array(2).fill({ trend: null }) });
  await storeAccounts("begun", "old-", { amount: 1, days: [9], data: "{}" });
  expect(await listOf("begun")).toMatchObject({ rising: 2, rose: Array(2).fill({ events: 3, before: 0 }) });
  expect(await listOf("begun", { show: "rising" }, "contacts")).toMatchObject({ total: 2 });
});

it("count all accounts, however many there are, and show a page of them", async () => {
  await storeAccounts("crowd", "busy-", { amount: 1_200, days: [1, 9], data: "{}" });
  await storeAccounts("crowd", "gone-", { amount: 30, days: [9, 10], data: "{}" });
  await storeAccounts("crowd", "more-", { amount: 2, days: [1, 2, 3, 9], data: "{}" });
  await storeAccounts("crowd", "still-", { amount: 5, days: [20], data: "{}" });
  const listed = await listOf("crowd");
  expect(listed).toMatchObject({ active: 1_202, rising: 2, falling: 30, silent: 5, total: 1_202, others: null });
  expect(await listOf("crowd", { show: "silent" })).toMatchObject({ total: 5, data: Array(5).fill({ silent: true }) });
  const sorts = ["name", "events", "change", "last_seen_on", "health"];
  for (const [question, more] of [
    ["accounts", ["contacts", "active_contacts"]],
    ["contacts", []],
  ] as const)
    for (const sort of [...sorts, ...more]) {
      const page = async (offset: string) => (await listOf("crowd", { sort, offset }, question)).data;
      expect(await page("0"), `${question} by ${sort}`).toHaveLength(50);
      expect(await page("1192"), `${question} by ${sort}`).toHaveLength(10);
    }
  expect((await listOf("crowd", { sort: "name", order: "asc", limit: "1" })).data[0]!.name).toBe("busy-1");
  expect((await listOf("crowd", { show: "silent", search: "GONE-30" })).data).toMatchObject([
    {
      unique_id: "gone-30",
      events: 0,
      before: 2,
      trend: "falling",
      silent: false,
      counts_before: expect.arrayContaining([1]),
    },
  ]);
  expect(listed).toMatchObject({ events: 1_206, before: 1_262 });
  expect([listed.fell, listed.rose].map((one: object[]) => one.length)).toEqual([30, 2]);
});

it.each(["accounts", "contacts"])(
  "find %s by words of name and uid in any order, whatever the case and the accents",
  async (kind) => {
    await asAdmin("PUT", `/v2/${kind}?uid=${encodeURIComponent("ÅSE")}`, { data: { name: 'José "Pepe" Müller' } });
    for (const search of ["MULLER", "müller", "jose", "JOSE\u0301", "åse", "ase", "muller jose", "Müller  ase pepe"])
      expect((await ask(`/${kind}`, { search })).data, search).toMatchObject([{ unique_id: "ÅSE" }]);
    for (const search of ["mueller", "jose soren", "jos_", "m%r", "\\"])
      expect((await ask(`/${kind}`, { search })).data, search).toEqual([]);
    await asAdmin("PUT", `/v2/${kind}?uid=north`, { data: { name: "Søren Łópez-Groß ĐÐĦIŦ ðħıŧ ÆŒÞ" } });
    for (const search of ["soren", "LOPEZ", "gross", "GROẞ", "Groß ddhit", "dhit AEOETH", "øren", "æœþ"])
      expect((await ask(`/${kind}`, { search })).data, search).toMatchObject([{ unique_id: "north" }]);
  },
);

it("let accounts of which events alone tell stand apart where they are ten times the others", async () => {
  await storeAccounts("strangers", "made-", { amount: 30, days: [1], data: "{}" });
  await storeAccounts("strangers", "known-", { amount: 3, days: [1], data: '{"name":"\\u0000","plan":"team"}' });
  const all = await listOf("strangers");
  expect([all.total, all.others]).toEqual([33, null]);
  await storeAccounts("strangers", "more-", { amount: 1, days: [1], data: "{}" });
  const listed = await listOf("strangers");
  expect(listed).toMatchObject({ active: 34, total: 3, others: { total: 31, events: 31 } });
  const apart = await listOf("strangers", { others: "true" });
  expect([apart.total, apart.others]).toEqual([31, null]);
  expect((await listOf("strangers", { search: "more-" })).data).toMatchObject([{ unique_id: "more-1" }]);
});

it.each<[string, number, RegExp]>([
  ["?from=2026-02-30", 400, /days such as/],
  ["?from=2026-02-02&to=2026-02-01", 400, /from must not be after to/],
  ["?from=0001-01-01", 400, /days such as/],
  ["?from=1970-01-01", 400, /from 1971 to 9998/],
  ["?to=9999-12-31", 400, /from 1971 to 9998/],
  ["?from=2020-01-01&to=2026-01-01", 400, /at most 366 days/],
  [`?account=${crypto.randomUUID()}`, 400, /account must be the id of an account/],
  ["/steps?first=signup", 400, /second is missing/],
  ["/questions/none", 404, /question was not found/],
  ["/questions/time-line?contact=anna&limit=10000", 400, /^limit must be at most 9999$/],
  ["/questions/time-line", 400, /^contact must be given, or account$/],
  ["/questions/time-line?contact=anna&before=then", 400, /^one of contact, .* before, limit is not what it must be$/],
  ["/questions/account", 400, /^account must be given$/],
  ["/questions/account?account=nobody", 400, /^account must be the uid of an account, and no account has this one$/],
  ["/questions/contact?contact=nobody", 400, /^contact must be the uid of a contact, and no contact has this one$/],
  ["/questions/keys?most=many", 400, /^most must be a whole number such as 50$/],
  ["/questions/active?of=person", 400, /^of must be contact or account$/],
  [`/accounts/${crypto.randomUUID()}`, 404, /account was not found/],
  [`/contacts/${crypto.randomUUID()}/events`, 404, /contact was not found/],
  [`/contacts/${recordId("contact", "anna")}/events?before=1`, 400, /before/],
  [`/contacts/${recordId("contact", "anna")}/events?before=1_${"-".repeat(36)}`, 400, /before/],
])("refuse in words: %s", async (path, status, text) => {
  await expectRefusal(await service.get(`/v2/numbers${path}`), status, text);
});

it("tell of an account that is left out when its last event happened, whatever was stored after it", async () => {
  for (let days = 0; days < 25; days += 1) {
    const params = { account_uid: "own", occurred_at: Date.now() - days * DAY };
    await service.post({ contact_uid: "otto", event_uid: "seen", params });
  }
  const id = recordId("account", "own");
  await asAdmin("PUT", `/v2/numbers/accounts/${id}/left-out`);
  const { last_event_at, members } = await ask(`/accounts/${id}`);
  expect(members.data).toMatchObject([{ left_out: true, last_seen_on: agoOf(0) }]);
  expect(new Date(last_event_at).toISOString()).toContain(agoOf(0));
});
