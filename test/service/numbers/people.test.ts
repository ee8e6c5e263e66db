import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import type { NewEvent } from "../../../src/service/ingest/store/rows.js";
import { busiestAccounts, type ListAsked, listAccounts, SORTS } from "../../../src/service/numbers/people/accounts.js";
import { readWhen } from "../../../src/service/numbers/spans.js";
import { AT_ONCE } from "../support/bounds.js";
import { followSums } from "../support/follow-sums.js";
import { overDatabase } from "../support/over-database.js";
import { expectRefusal } from "../support/refusal.js";
import { type RunningService, startService } from "../support/running-service.js";
import { count, DAY, EVENTS, idOf, NOW, paramsOf, storeEvents, urlOf, within, ZONE } from "./random-events.js";

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

  it("list the accounts of a time with what each did, then and before, by any column", async () => {
    for (const span of ["7d", "30d"]) {
      const listed = await ask("/accounts", { span });
      const { now, past } = within(listed);
      const [events, before] = [now, past].map((all) => count(all, ({ accountUid }) => accountUid));
      expect(listed.data.map(({ events }: { events: number }) => events)).toEqual(
        Object.values(events!).sort((a, b) => b - a),
      );
      for (const one of listed.data) {
        const uid = one.unique_id;
        const active = new Set(now.filter(({ accountUid }) => accountUid === uid).map(({ contactUid }) => contactUid));
        const members = new Set(
          EVENTS.filter(({ accountUid }) => accountUid === uid).map(({ contactUid }) => contactUid),
        );
        const last = Math.max(
          ...EVENTS.filter(({ accountUid }) => accountUid === uid).map(({ receivedAt }) => receivedAt),
        );
        expect(one).toMatchObject({
          ...{ id: idOf("account", uid), name: uid === "account-3" ? "Zebra & Sons" : uid },
          ...{ events: events![uid], before: before![uid] ?? 0, change: events![uid]! - (before![uid] ?? 0) },
          ...{
            active_contacts: active.size,
            contacts: members.size,
            last_seen_on: new Date(last).toLocaleDateString("sv", { timeZone: ZONE }),
          },
        });
        expect([sum(one.counts), sum(one.counts_before)]).toEqual([one.events, one.before]);
      }
    }
    const names = async (query: Record<string, string>) =>
      (await ask("/accounts", { span: "30d", ...query })).data.map(({ name }: { name: string }) => name);
    expect(await names({ sort: "name", order: "asc" })).toEqual([
      ...["account-1", "account-2", "account-4", "account-5", "Zebra & Sons"],
    ]);
    expect(await names({ search: "zebra" })).toEqual(["Zebra & Sons"]);
    expect(await names({ search: "COUNT-3" })).toEqual(["Zebra & Sons"]);
    expect(await names({ offset: "3", sort: "name", order: "asc" })).toEqual(["account-5", "Zebra & Sons"]);
  });

  it("tell which accounts fall, and which are silent", async () => {
    const listed = await ask("/accounts", { span: "7d", show: "silent" });
    const { now, past } = within(listed);
    const [events, before] = [now, past].map((all) => count(all, ({ accountUid }) => accountUid));
    const silent = Object.keys(before!).filter((uid) => !events![uid]);
    const falling = Object.keys(before!).filter((uid) => events![uid] && events![uid]! <= 0.75 * before![uid]!);
    expect(silent).toContain("account-1");
    const uids = ({ data }: { data: { unique_id: string }[] }) => data.map(({ unique_id }) => unique_id).sort();
    expect(uids(listed)).toEqual(silent.sort());
    expect(uids(await ask("/accounts", { span: "7d", show: "falling" }))).toEqual(falling.sort());
    expect(listed).toMatchObject({
      silent: silent.length,
      falling: falling.length,
      active: Object.keys(events!).length,
    });
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
        `INSERT INTO active_accounts (workspace, day, account_id, quarters, events)
         SELECT $1, (now() AT TIME ZONE 'UTC')::date - ago, id, B'1'::bit(96), '{1}' FROM (${ids}) AS new, unnest($4::int[]) AS ago`,
        [...values, days],
      );
    });
  const WHICH = {
    search: "",
    show: "all",
    sort: "events",
    order: "desc",
    offset: 0,
    limit: 50,
    others: false,
  } as const;
  const listOf = (workspace: string, which: Partial<ListAsked> = {}) => {
    const when = readWhen({ span: "7d", time_zone: "UTC" });
    return listAccounts(database.query, { workspace, zone: "UTC", ...when }, { ...WHICH, ...which });
  };

  it("count all accounts, however many there are, and show a page of them", async () => {
    await storeAccounts("crowd", "busy-", { amount: 12_000, days: [1, 9], data: "{}" });
    await storeAccounts("crowd", "gone-", { amount: 30, days: [9], data: "{}" });
    const listed = await listOf("crowd");
    expect(listed).toMatchObject({ active: 12_000, falling: 0, silent: 30, total: 12_000, others: null });
    for (const sort of SORTS) {
      const [first, last] = [await listOf("crowd", { sort }), await listOf("crowd", { sort, offset: 11_990 })];
      expect(first.data).toHaveLength(50);
      expect(last.data).toHaveLength(10);
    }
    expect((await listOf("crowd", { sort: "name", order: "asc", limit: 1 })).data[0]!.name).toBe("busy-1");
    expect((await listOf("crowd", { show: "silent", search: "GONE-30" })).data).toMatchObject([
      { unique_id: "gone-30", events: 0, before: 1, counts_before: expect.arrayContaining([1]) },
    ]);
    const when = readWhen({ span: "7d", time_zone: "UTC" });
    const { busiest, fell } = await busiestAccounts(database.query, { workspace: "crowd", ...when });
    expect(busiest).toMatchObject({ total: 12_000, before: 12_030 });
    expect(fell).toHaveLength(30);
  });

  it("let accounts of which events alone tell stand apart where they are ten times the others", async () => {
    await storeAccounts("strangers", "made-", { amount: 30, days: [1], data: "{}" });
    await storeAccounts("strangers", "known-", { amount: 3, days: [1], data: '{"name":"\\u0000","plan":"team"}' });
    const all = await listOf("strangers");
    expect([all.total, all.others]).toEqual([33, null]);
    await storeAccounts("strangers", "more-", { amount: 1, days: [1], data: "{}" });
    const listed = await listOf("strangers");
    expect(listed).toMatchObject({ active: 34, total: 3, others: { total: 31, events: 31 } });
    const apart = await listOf("strangers", { others: true });
    expect([apart.total, apart.others]).toEqual([31, null]);
    expect((await listOf("strangers", { search: "more-" })).data).toMatchObject([{ unique_id: "more-1" }]);
  });

  it.each<[string, Record<string, string>, (event: NewEvent) => boolean]>([
    ["a name", { event_uid: "event-3" }, ({ eventUid }) => eventUid === "event-3"],
    ["page views", { event_uid: "pageview" }, ({ eventUid }) => eventUid === "pageview"],
    ["a path", { path: "/2" }, (event) => urlOf(event)?.pathname === "/2"],
    ["a host and a path", { host: "a.example", path: "/2" }, (event) => urlOf(event)?.href === "https://a.example/2"],
    ["a referrer", { referrer: "search.example" }, (event) => paramsOf(event).referrer !== undefined],
    ["an account", { account: idOf("account", "account-4") }, ({ accountUid }) => accountUid === "account-4"],
  ])("tell what %s is made of, by days of a calendar", async (_what, filter, matches) => {
    const [from, to] = [20, 3].map((ago) => new Date(NOW - ago * DAY).toLocaleDateString("sv", { timeZone: ZONE }));
    const told = await ask("", { from: from!, to: to!, ...filter });
    expect(told.starts).toHaveLength(18);
    const { now, past } = within(told);
    const [own, former] = [now.filter(matches), past.filter(matches)];
    expect(own.length).toBeGreaterThan(0);
    expect(told).toMatchObject({ events: { total: own.length, before: former.length }, cut: false });
    expect(
      told.events.others.counts.map(
        (rest: number, step: number) =>
          rest + sum(told.events.data.map(({ counts }: { counts: number[] }) => counts[step]!)),
      ),
    ).toEqual(
      told.starts.map(
        (start: number, step: number) =>
          own.filter(({ receivedAt }) => receivedAt >= start && receivedAt < (told.starts[step + 1] ?? told.ends))
            .length,
      ),
    );
    const keyed = (rows: { key: string; events: number; before: number }[], member: "events" | "before") =>
      Object.fromEntries(rows.filter((row) => row[member] > 0).map((row) => [row.key, row[member]]));
    const nameOf = ({ eventUid }: NewEvent) => eventUid;
    expect(keyed(told.events.names, "events")).toEqual(count(own, nameOf));
    for (const { key, before } of told.events.names) expect(before).toBe(count(former, nameOf)[key] ?? 0);
    expect(keyed(told.people.data, "events")).toEqual(count(own, ({ contactUid }) => contactUid));
    expect(keyed(told.busiest.data, "events")).toEqual(count(own, ({ accountUid }) => accountUid));
    expect(keyed(told.pages.data, "events")).toEqual(count(own, (event) => urlOf(event)?.pathname));
    expect(keyed(told.referrers.data, "events")).toEqual(
      count(own, (event) => paramsOf(event).referrer && "search.example"),
    );
    expect(told.contacts).toMatchObject({
      total: new Set(own.map(({ contactUid }) => contactUid)).size,
      before: new Set(former.map(({ contactUid }) => contactUid)).size,
    });
    const lost = (uid: string) =>
      (count(former, ({ accountUid }) => accountUid)[uid] ?? 0) -
      (count(own, ({ accountUid }) => accountUid)[uid] ?? 0);
    for (const { key, events, before } of told.fell) expect(before - events).toBe(lost(key));
  });

  it("tell of one day by the hour, and of all names the same by the sums and by the events", async () => {
    const day = new Date(NOW - 2 * DAY).toLocaleDateString("sv", { timeZone: ZONE });
    const told = await ask("", { from: day, to: day });
    expect(told.starts.length).toBeGreaterThan(22);
    const { now, past } = within(told);
    expect(told.events).toMatchObject({ total: now.length, before: past.length });
    for (const { key, events, before } of told.events.names)
      expect([events, before]).toEqual([now, past].map((all) => all.filter(({ eventUid }) => eventUid === key).length));
    const view = (all: NewEvent[]) => all.filter(({ eventUid }) => eventUid === "pageview").length;
    expect(told.pages).toMatchObject({ total: view(now), before: view(past) });
    for (const [of, uid] of [
      ["contacts", "contactUid"],
      ["accounts", "accountUid"],
    ] as const)
      expect(told[of]).toMatchObject({
        total: Object.keys(count(now, (event) => event[uid])).length,
        before: Object.keys(count(past, (event) => event[uid])).length,
      });
    expect(told.busiest.data[0]).toMatchObject({ id: idOf("account", told.busiest.data[0].key) });
  });

  it("tell of an account: members, days, figures, latest events", async () => {
    const id = idOf("account", "account-3");
    const own = EVENTS.filter(({ accountUid }) => accountUid === "account-3");
    const told = await ask(`/accounts/${id}`, { span: "30d", event_uid: "pageview" });
    expect(told).toMatchObject({ unique_id: "account-3", name: "Zebra & Sons", data: { name: "Zebra & Sons" } });
    expect(
      told.members.data.map(({ unique_id, events }: { unique_id: string; events: number }) => [unique_id, events]),
    ).toEqual(expect.arrayContaining(Object.entries(count(own, ({ contactUid }) => contactUid))));
    for (const { unique_id, last_seen_at } of told.members.data)
      expect(last_seen_at).toBe(
        Math.max(...own.filter(({ contactUid }) => contactUid === unique_id).map(({ receivedAt }) => receivedAt)),
      );
    expect(told.days.counts).toHaveLength(90);
    expect(sum(told.days.counts)).toBe(own.length);
    const views = within(told).now.filter(
      ({ accountUid, eventUid }) => accountUid === "account-3" && eventUid === "pageview",
    );
    expect(told.figures.events).toMatchObject({
      total: views.length,
      data: [{ event_uid: "pageview", events: views.length }],
    });
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

  it("tell how many come back in the weeks after their first", async () => {
    const week = (time: number) => Math.floor((time - 4 * DAY) / (7 * DAY));
    for (const [of, uid] of [
      ["account", "accountUid"],
      ["contact", "contactUid"],
    ] as const) {
      const weeks = new Map<string, Set<number>>();
      for (const event of EVENTS)
        if (event[uid] !== undefined)
          weeks.set(event[uid], (weeks.get(event[uid]) ?? new Set()).add(week(event.receivedAt)));
      const { data } = await ask("/returning", { of });
      expect(data).toHaveLength(12);
      for (const [at, { week: monday, began, active }] of data.entries()) {
        const first = week(Date.parse(monday));
        const cohort = [...weeks.values()].filter((all) => Math.min(...all) === first);
        expect(began).toBe(cohort.length);
        expect(active).toEqual(
          Array.from(
            { length: Math.min(8, 11 - at) },
            (_, later) => cohort.filter((all) => all.has(first + later + 1)).length,
          ),
        );
      }
    }
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
    const before = await figures();
    const own = [
      ...EVENTS.filter(({ accountUid, contactUid }) => accountUid === "account-4" || contactUid === "contact-7"),
    ];
    expect(await change("PUT", "account", "account-4")).toEqual(["account-4"]);
    expect(await change("PUT", "contact", "contact-7")).toEqual(["account-4", "contact-7"]);
    const without = await figures();
    const since = before.events.total - without.events.total;
    const { starts, ends } = await ask("", { span: "90d" });
    expect(since).toBe(1 + own.filter(({ receivedAt }) => receivedAt >= starts[0] && receivedAt < ends).length);
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
    await act("later");
    expect((await figures()).events.total).toBe(without.events.total);
    await change("DELETE", "contact", "contact-7");
    expect(await change("DELETE", "account", "account-4")).toEqual([]);
    const after = await figures();
    expect(after.events.total).toBe(before.events.total + 1);
    expect({ ...after, events: 0, contacts: 0, active: 0 }).toEqual({ ...before, events: 0, contacts: 0, active: 0 });
    expect([after.contacts.total, after.active.total]).toEqual([before.contacts.total, before.active.total]);
  });

  it.each<[string, number, RegExp]>([
    ["?from=2026-02-30", 400, /days such as/],
    ["?from=2026-02-02&to=2026-02-01", 400, /in order/],
    ["?from=0001-01-01", 400, /days such as/],
    ["?from=1970-01-01", 400, /from 1971 to 9998/],
    ["?to=9999-12-31", 400, /from 1971 to 9998/],
    ["?time_zone=Mars/Olympus", 400, /time_zone must be/],
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
