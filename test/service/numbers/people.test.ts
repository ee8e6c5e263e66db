import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../../../src/service/database/database.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import type { NewEvent } from "../../../src/service/ingest/store/rows.js";
import { AT_ONCE } from "../support/bounds.js";
import { overDatabase } from "../support/over-database.js";
import { expectRefusal } from "../support/refusal.js";
import { type RunningService, startService } from "../support/running-service.js";
import { count, DAY, EVENTS, HOUR, idOf, NOW, paramsOf, storeEvents, urlOf, within, ZONE } from "./random-events.js";

/* `GET /v2/numbers/…` over a database of random events, against counts over the same events here. */

const ADMIN = "test-admin-token";

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
          ...{ active_contacts: active.size, contacts: members.size, last_seen_at: last - (last % (HOUR / 4)) },
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
