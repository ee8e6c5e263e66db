import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { answerOf } from "../../../src/service/numbers/answer.js";
import { QUESTIONS } from "../../../src/service/numbers/questions.js";
import { AT_ONCE } from "../support/bounds.js";
import { followSums } from "../support/follow-sums.js";
import { overDatabase } from "../support/over-database.js";
import { expectRefusal } from "../support/refusal.js";
import { type RunningService, startService } from "../support/running-service.js";
import { count, EVENTS, idOf, storeEvents, ZONE } from "./random-events.js";

/* `GET /v2/numbers/…` over a database of random events, against counts over the same events here. */

const ADMIN = "test-admin-token";

interface Member {
  unique_id: string;
  events: number;
}

/** Accounts that are stored at once. */
interface Stored {
  amount: number;
  days: number[];
  data: string;
}

overDatabase((place) => {
  let database: Database;
  let service: RunningService;
  beforeAll(async () => {
    database = await openDatabase(place());
    await storeEvents(database);
    service = await startService({ database, adminToken: ADMIN, bounds: AT_ONCE });
  });
  afterAll(() => service.stop());

  const ask = async (path: string, query: Record<string, string> = {}) => {
    const answer = await service.get(`/v2/numbers${path}?${new URLSearchParams({ time_zone: ZONE, ...query })}`);
    expect(answer.status, path).toBe(200);
    return answer.json();
  };
  const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);

  it("list the accounts of a time by name, and find some by name or uid", async () => {
    const names = async (query: Record<string, string>) =>
      (await ask("/accounts", { span: "30d", ...query })).data.map(({ name }: { name: string }) => name);
    expect(await names({ sort: "name", order: "asc" })).toEqual([
      ...["account-1", "account-2", "account-4", "account-5", "Zebra & Sons"],
    ]);
    expect(await names({ search: "zebra" })).toEqual(["Zebra & Sons"]);
    expect(await names({ search: "COUNT-3" })).toEqual(["Zebra & Sons"]);
    expect(await names({ offset: "3", sort: "name", order: "asc" })).toEqual(["account-5", "Zebra & Sons"]);
  });

  /** So many accounts of a workspace, with an event each on some days ago. */
  const storeAccounts = (workspace: string, prefix: string, { amount, days, data }: Stored) =>
    database.transaction(async (query) => {
      const ids = `SELECT md5($1 || $2 || n)::uuid AS id, $2 || n AS uid FROM generate_series(1, $3::int) AS n`;
      const values = [workspace, prefix, amount];
      await query(
        `INSERT INTO accounts (id, workspace, unique_id, created_at, data) SELECT id, $1, uid, 0, $4 FROM (${ids}) AS new`,
        [...values, data],
      );
      await query(
        `INSERT INTO active (workspace, month, contact, account, days, events)
         SELECT $1, month, id, id, days, events FROM (${ids}) AS new CROSS JOIN (
           SELECT month, string_agg(one::text, '' ORDER BY part)::bit(31) AS days, array_agg(one ORDER BY part) AS events
           FROM (SELECT date_trunc('month', day)::date AS month, part, max((extract(day FROM day) = part)::int) AS one
                 FROM (SELECT (now() AT TIME ZONE 'UTC')::date - unnest($4::int[]) AS day) AS days, generate_series(1, 31) AS part
                 GROUP BY 1, 2) AS parts
           GROUP BY 1) AS months`,
        [...values, days],
      );
    });
  const listOf = (workspace: string, which: Record<string, string> = {}, question = "accounts") =>
    answerOf(database.query, QUESTIONS.get(question)!, { workspace, span: "7d", ...which }) as ReturnType<typeof ask>;

  it("count all accounts, however many there are, and show a page of them", async () => {
    await storeAccounts("crowd", "busy-", { amount: 12_000, days: [1, 9], data: "{}" });
    await storeAccounts("crowd", "gone-", { amount: 30, days: [9], data: "{}" });
    const listed = await listOf("crowd");
    expect(listed).toMatchObject({ active: 12_000, falling: 0, silent: 30, total: 12_000, others: null });
    const sorts = ["name", "events", "change", "last_seen_on", "health"];
    for (const [question, more] of [
      ["accounts", ["contacts", "active_contacts"]],
      ["contacts", []],
    ] as const)
      for (const sort of [...sorts, ...more]) {
        const page = async (offset: string) => (await listOf("crowd", { sort, offset }, question)).data;
        expect(await page("0"), `${question} by ${sort}`).toHaveLength(50);
        expect(await page("11990"), `${question} by ${sort}`).toHaveLength(10);
      }
    expect((await listOf("crowd", { sort: "name", order: "asc", limit: "1" })).data[0]!.name).toBe("busy-1");
    expect((await listOf("crowd", { show: "silent", search: "GONE-30" })).data).toMatchObject([
      { unique_id: "gone-30", events: 0, before: 1, counts_before: expect.arrayContaining([1]) },
    ]);
    expect(listed).toMatchObject({ events: 12_000, before: 12_030 });
    expect(listed.fell).toHaveLength(30);
  });

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

  it("tell of an account: members, days, figures, latest events", async () => {
    const id = idOf("account", "account-3");
    const own = EVENTS.filter(({ accountUid }) => accountUid === "account-3");
    const told = await ask(`/accounts/${id}`, { span: "30d", event_uid: "pageview" });
    expect(told).toMatchObject({ unique_id: "account-3", name: "Zebra & Sons", data: { name: "Zebra & Sons" } });
    expect(
      told.members.data.map(({ unique_id, events }: { unique_id: string; events: number }) => [unique_id, events]),
    ).toEqual(expect.arrayContaining(Object.entries(count(own, ({ contactUid }) => contactUid))));
    const last = (events: typeof own) => Math.max(...events.map(({ receivedAt }) => receivedAt));
    expect(told.last_event_at).toBe(last(own));
    for (const { unique_id, last_seen_on } of told.members.data)
      expect(last_seen_on).toBe(
        new Date(last(own.filter(({ contactUid }) => contactUid === unique_id))).toLocaleDateString("sv", {
          timeZone: ZONE,
        }),
      );
    expect(told.days.counts).toHaveLength(90);
    expect(sum(told.days.counts)).toBe(own.length);
    expect(told.figures.events.data).toMatchObject([{ event_uid: "pageview" }]);
    const line = await ask(`/accounts/${id}/events`, { limit: "50" });
    expect(line.data.map(({ received_at }: { received_at: number }) => received_at)).toEqual(
      own
        .map(({ receivedAt }) => receivedAt)
        .sort((a, b) => b - a)
        .slice(0, 50),
    );
  });

  it("tell of a contact, and all its events page by page", async () => {
    const id = idOf("contact", "contact-7");
    const own = EVENTS.filter(({ contactUid }) => contactUid === "contact-7");
    const times = own.map(({ receivedAt }) => receivedAt).sort((a, b) => b - a);
    expect(await ask(`/contacts/${id}`)).toMatchObject({
      ...{ unique_id: "contact-7", events: own.length, first_seen_at: times.at(-1), last_seen_at: times[0] },
      memberships: { total: 1, data: [{ unique_id: "account-1" }] },
    });
    const found: number[] = [];
    for (let before: string | null = ""; before !== null; ) {
      const { data, next }: { data: { received_at: number; params: string }[]; next: string | null } = await ask(
        `/contacts/${id}/events`,
        { limit: "20", ...(before && { before }) },
      );
      found.push(...data.map(({ received_at }) => received_at));
      before = next;
    }
    expect(found).toEqual(times);
  });

  it("leave one's own accounts and contacts out of every figure, afterwards too, until they count again", async () => {
    const figures = async () => {
      const [numbers, accounts, returning, made] = await Promise.all([
        ask("", { span: "90d" }),
        ask("/accounts", { span: "90d" }),
        ask("/returning", { of: "contact" }),
        ask("", { span: "90d", event_uid: "event-3" }),
      ]);
      const { events, pages, contacts, accounts: active, busiest } = numbers;
      return {
        events,
        pages,
        contacts,
        active,
        busiest,
        accounts: accounts.data,
        returning: returning.data,
        made: made.events,
      };
    };
    const change = async (method: string, kind: "account" | "contact", uid: string) => {
      const headers = { authorization: `Bearer ${ADMIN}` };
      const answer = await fetch(`${service.url}/v2/numbers/${kind}s/${idOf(kind, uid)}/left-out`, { method, headers });
      expect(answer.status).toBe(200);
      await followSums(database);
      return (await answer.json()).data.map(({ unique_id }: { unique_id: string }) => unique_id);
    };
    // It is seen this week in any case.
    const act = async (event_uid: string) => {
      await service.post({ contact_uid: "contact-7", event_uid, params: {} });
      await followSums(database);
    };
    await act("first");
    const today = async () => (await ask("", { span: "24h" })).events.total;
    const [before, began] = [await figures(), await today()];
    const own = [
      ...EVENTS.filter(({ accountUid, contactUid }) => accountUid === "account-4" || contactUid === "contact-7"),
    ];
    expect(await change("PUT", "account", "account-4")).toEqual(["account-4"]);
    expect(await change("PUT", "contact", "contact-7")).toEqual(["account-4", "contact-7"]);
    const without = await figures();
    const since = before.events.total - without.events.total;
    const { starts, ends } = await ask("", { span: "90d" });
    expect(since).toBe(own.filter(({ receivedAt }) => receivedAt >= starts[0] && receivedAt < ends).length);
    expect(without.accounts.map(({ unique_id }: { unique_id: string }) => unique_id)).not.toContain("account-4");
    expect(without.contacts.total).toBe(before.contacts.total - new Set(own.map(({ contactUid }) => contactUid)).size);
    expect(before.made.total - without.made.total).toBe(own.filter(({ eventUid }) => eventUid === "event-3").length);
    // An account is told of without them, too.
    const told = await ask(`/accounts/${idOf("account", "account-1")}`, { span: "90d" });
    const others = EVENTS.filter((one) => one.accountUid === "account-1" && one.contactUid !== "contact-7");
    expect(told.figures.events.total).toBe(others.filter(({ receivedAt }) => receivedAt >= starts[0]).length);
    expect(Object.fromEntries(told.members.data.map((one: Member) => [one.unique_id, one.events]))).toEqual(
      count(others, ({ contactUid }) => contactUid),
    );
    // Nor does what they do from now on.
    const former = await today();
    await act("later");
    expect(await today()).toBe(former);
    await change("DELETE", "contact", "contact-7");
    expect(await change("DELETE", "account", "account-4")).toEqual([]);
    const after = await figures();
    expect(await today()).toBe(began + 1);
    // A key that a folded day has lost meanwhile is among the others there.
    const { events, pages, made, ...rest } = after;
    expect(rest).toEqual({ ...before, events: undefined, pages: undefined, made: undefined });
    expect([events.total, pages.total]).toEqual([before.events.total, before.pages.total]);
  });

  it.each<[string, number, RegExp]>([
    ["?from=2026-02-30", 400, /days such as/],
    ["?from=2026-02-02&to=2026-02-01", 400, /in order/],
    ["?from=0001-01-01", 400, /days such as/],
    ["?from=1970-01-01", 400, /from 1971 to 9998/],
    ["?to=9999-12-31", 400, /from 1971 to 9998/],
    ["?from=2020-01-01&to=2026-01-01", 400, /at most 366 days/],
    [`?account=${crypto.randomUUID()}`, 400, /account must be the id of an account/],
    ["/accounts?sort=size", 400, /sort must be/],
    [`/accounts/${crypto.randomUUID()}`, 404, /account was not found/],
    [`/contacts/${crypto.randomUUID()}/events`, 404, /contact was not found/],
    [`/contacts/${idOf("contact", "contact-7")}/events?before=1`, 400, /before/],
    [`/contacts/${idOf("contact", "contact-7")}/events?before=1_${"-".repeat(36)}`, 400, /before/],
  ])("refuse in words: %s", async (path, status, text) => {
    await expectRefusal(await service.get(`/v2/numbers${path}`), status, text);
  });
});
