import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { viewOf } from "../../../src/service/base/params.js";
import type { Database } from "../../../src/service/database/database.js";
import { idAt } from "../../../src/service/database/event-id.js";
import { openDatabase } from "../../../src/service/database/open-database.js";
import { dayIn, later } from "../../../src/service/days/zone.js";
import { makeRecords } from "../../../src/service/ingest/store/records.js";
import { insertEvents, type NewEvent } from "../../../src/service/ingest/store/rows.js";
import { type Filter, figuresOf } from "../../../src/service/numbers/figures.js";
import { ask } from "../../../src/service/numbers/questions.js";
import { readWhen, type Time, type When } from "../../../src/service/numbers/spans.js";
import { overDatabase } from "../support/over-database.js";
import { recount } from "../support/recount.js";

/* Each question over what is counted is equal to a count of drawn events here, in zones whose clocks are set in the time that it asks for. */

const DAY = 86_400_000;
/** A time a few days after the clocks were set, forward or back. */
const CHANGES: [zone: string, time: string][] = [
  ["America/Santiago", "2026-04-06T15:20Z"],
  ["America/Santiago", "2026-09-08T02:10Z"],
  ["Australia/Lord_Howe", "2026-04-06T15:40Z"],
  ["Australia/Lord_Howe", "2026-10-05T01:10Z"],
  ["Asia/Kathmandu", "2026-05-09T19:10Z"],
  ["Pacific/Kiritimati", "2026-05-09T10:50Z"],
  ["Africa/Casablanca", "2026-02-16T02:30Z"],
  ["Africa/Casablanca", "2026-03-24T12:00Z"],
  ["America/New_York", "2026-03-09T06:30Z"],
  ["America/New_York", "2026-11-02T05:59Z"],
];

interface Drawn {
  at: number;
  contact: string;
  account: string | undefined;
  name: string;
  url: string | undefined;
  referrer: string | undefined;
  /** Received so much later. */
  late: number;
}

const NAMES = ["pageview", "pageview", "signup", ..."abcdefghi"];
const drawnBefore = (now: number): fc.Arbitrary<Drawn> =>
  fc
    .record({
      // Mostly of the last two weeks, where clocks are set.
      ago: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 0, max: 16 * DAY }) },
        fc.integer({ min: 0, max: 70 * DAY }),
      ),
      contact: fc.integer({ min: 0, max: 5 }),
      account: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
      name: fc.constantFrom(...NAMES),
      path: fc.integer({ min: 0, max: 3 }),
      referrer: fc.option(fc.constant("https://search.example/"), { nil: undefined }),
      late: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20 * DAY })),
    })
    .map(({ ago, contact, account, name, path, referrer, late }) => ({
      ...{ at: now - ago, contact: `c"${contact}`, name, late: Math.min(late, ago) },
      account: account === undefined ? undefined : `a\n${account}`,
      url: name === "pageview" ? `https://${path % 2 ? "a" : "b"}.example/${path}` : undefined,
      referrer: name === "pageview" ? referrer : undefined,
    }));

const toEvent = ({ at, late, contact, account, name, url, referrer }: Drawn, index: number): NewEvent => {
  const params = {
    ...(account && { account_uid: account }),
    ...(url && { visit_url: url }),
    ...(referrer && { referrer }),
  };
  return {
    ...{ workspace: "default", contactUid: contact, accountUid: account, eventUid: name, stamp: undefined },
    ...{ params: JSON.stringify(params), ...viewOf(name, params), receivedAt: at + late },
    occurredAt: late > 0 || index % 2 === 0 ? at : undefined,
  };
};

const stepsOf = (events: readonly Drawn[], { starts, ends }: Time) =>
  starts.map((start, at) => events.filter((one) => one.at >= start && one.at < (starts[at + 1] ?? ends)));
const counted = (events: readonly Drawn[], key: (one: Drawn) => string | undefined): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const one of events) {
    const of = key(one);
    if (of !== undefined) counts.set(of, (counts.get(of) ?? 0) + 1);
  }
  return counts;
};
const within = (events: readonly Drawn[], { starts, ends, before }: Time) => ({
  now: events.filter(({ at }) => at >= starts[0]! && at < ends),
  past: events.filter(({ at }) => at >= before.from && at < before.to),
});
const byCount = (counts: Map<string, number>) =>
  [...counts].sort(([a, more], [b, less]) => less - more || (a < b ? -1 : 1));

const pathOf = ({ url }: Drawn) => url && new URL(url).pathname;
const hostOf = ({ url }: Drawn) => url && new URL(url).host;
const referrerOf = ({ referrer }: Drawn) => referrer && new URL(referrer).host;
const accountOf = ({ account }: Drawn) => account;

/** The figures of events, as a count here has them; lists by key. */
const figuresHere = (events: readonly Drawn[], time: Time) => {
  const { now, past } = within(events, time);
  const keyed = (key: (one: Drawn) => string | undefined) => {
    const [counts, former] = [counted(now, key), counted(past, key)];
    const sum = (all: Map<string, number>) => [...all.values()].reduce((total, one) => total + one, 0);
    return {
      total: sum(counts),
      before: sum(former),
      data: [...counts].map(([of, n]) => [of, n, former.get(of) ?? 0]).sort(),
    };
  };
  const active = (key: (one: Drawn) => string | undefined) => ({
    ...{ total: counted(now, key).size, before: counted(past, key).size },
    counts: stepsOf(events, time).map((some) => counted(some, key).size),
  });
  const names = byCount(counted(now, ({ name }) => name));
  const series = (some: readonly Drawn[]) => stepsOf(some, time).map(({ length }) => length);
  const [most, least] = [counted(now, accountOf), counted(past, accountOf)];
  return {
    events: {
      ...{ total: now.length, before: past.length },
      data: names.slice(0, 8).map(([key]) => [key, series(events.filter(({ name }) => name === key))]),
      others: series(events.filter(({ name }) => !names.slice(0, 8).some(([key]) => key === name))),
      more: names.slice(8).map(([key, n]) => [key, n]),
    },
    ...{ pages: keyed(pathOf), referrers: keyed(referrerOf), busiest: keyed(accountOf) },
    fell: [...least]
      .filter(([of, n]) => (most.get(of) ?? 0) < n)
      .map(([of, n]) => [of, most.get(of) ?? 0, n])
      .sort(),
    ...{ contacts: active(({ contact }) => contact), accounts: active(accountOf) },
  };
};

// biome-ignore lint/suspicious/noExplicitAny: what is told is compared with what is counted here, member by member
const figuresTold = ({ events, pages, referrers, busiest, fell, contacts, accounts }: any) => {
  const row = ({ key, events, before }: { key: string; events: number; before: number }) => [key, events, before];
  const keyed = ({ total, before, data }: { total: number; before: number; data: never[] }) => ({
    ...{ total, before },
    data: data.map(row).sort(),
  });
  return {
    events: {
      ...{ total: events.total, before: events.before },
      data: events.data.map(({ event_uid, counts }: { event_uid: string; counts: number[] }) => [event_uid, counts]),
      others: events.others.counts,
      more: events.more.map(({ event_uid, events }: { event_uid: string; events: number }) => [event_uid, events]),
    },
    ...{ pages: keyed(pages), referrers: keyed(referrers), busiest: keyed(busiest), fell: fell.map(row).sort() },
    ...{ contacts, accounts },
  };
};

overDatabase((place) => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase(place());
  });
  afterAll(() => database.close());

  /** Stores these events in place of all, with their records, and counts them. */
  const store = async (drawn: readonly Drawn[], zone: string, now: number): Promise<void> => {
    for (const table of ["events", "contacts", "accounts", "account_contacts", "workspaces", "left_out"])
      await database.query(`DELETE FROM ${table}`);
    await database.query("INSERT INTO workspaces (name, created_at, zone) VALUES ('default', 0, $1)", [zone]);
    const events = drawn.map(toEvent).sort((a, b) => a.receivedAt - b.receivedAt);
    const ids = events.map(({ receivedAt }, at) => idAt(receivedAt).replace(/.{12}$/, `${at}`.padStart(12, "0")));
    await database.write(insertEvents(ids, events));
    for (const { text, values } of makeRecords(events)) await database.query(text, values);
    await recount(database, dayIn(zone, now));
  };

  const whenOf = (zone: string, now: number): fc.Arbitrary<When> =>
    fc.oneof(
      fc.constantFrom("24h", "7d", "7d", "30d", "90d").map((span) => ({ span }) as When),
      fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 })).map(([ago, days]) => {
        const from = later(dayIn(zone, now), -ago);
        return { span: "7d" as const, from, to: later(from, Math.min(days, ago + 1)) };
      }),
    );

  it.each(CHANGES)("are equal to a count of the events in %s, before %s", async (zone, time) => {
    const now = Date.parse(time);
    await fc.assert(
      fc.asyncProperty(
        fc.array(drawnBefore(now), { minLength: 30, maxLength: 60 }),
        fc.array(whenOf(zone, now), { minLength: 3, maxLength: 3 }),
        async (drawn, whens) => {
          await store(drawn, zone, now);
          for (const when of whens) {
            const time = readWhen(when, zone, now);
            const over = (filter: Filter) =>
              figuresOf(database.query, { workspace: "default", ranges: time.ranges, filter });
            expect(figuresTold(await over({}))).toEqual(figuresHere(drawn, time));
            const filters: [Filter, (one: Drawn) => boolean][] = [
              [{ event_uid: "pageview" }, ({ name }) => name === "pageview"],
              [{ event_uid: "a" }, ({ name }) => name === "a"],
              [{ path: "/1" }, (one) => pathOf(one) === "/1"],
              [{ host: "b.example" }, (one) => hostOf(one) === "b.example"],
              [{ referrer: "search.example" }, (one) => referrerOf(one) === "search.example"],
              [{ account: "a\n1" }, ({ account }) => account === "a\n1"],
              [{ account: "a\n1", event_uid: "a" }, ({ account, name }) => account === "a\n1" && name === "a"],
            ];
            const [filter, matches] = filters[drawn.length % filters.length]!;
            const told = await over(filter);
            const wanted = figuresHere(drawn.filter(matches), time);
            expect(figuresTold(told), JSON.stringify(filter)).toEqual(wanted);
            const people = counted(within(drawn.filter(matches), time).now, ({ contact }) => contact);
            expect(
              new Map(
                (told as { people: { data: { key: string; events: number }[] } }).people.data.map(({ key, events }) => [
                  key,
                  events,
                ]),
              ),
            ).toEqual(people);
            const listed = await ask<{
              data: {
                unique_id: string;
                counts: number[];
                counts_before: number[];
                last_seen_on: string;
                active_contacts: number;
              }[];
            }>(...[database.query, "accounts", { workspace: "default", ...time.ranges }]);
            const everybody = await ask<{
              data: { unique_id: string; events: number; before: number; last_seen_on: string; accounts: object[] }[];
            }>(database.query, "contacts", { workspace: "default", ...time.ranges });
            expect(everybody.data.map(({ unique_id }) => unique_id).sort()).toEqual(
              [...counted(within(drawn, time).now, ({ contact }) => contact).keys()].sort(),
            );
            for (const one of everybody.data) {
              const own = drawn.filter(({ contact }) => contact === one.unique_id);
              const { now, past } = within(own, time);
              expect([one.events, one.before]).toEqual([now.length, past.length]);
              expect(one.last_seen_on).toBe(dayIn(zone, Math.max(...now.map(({ at }) => at))));
              expect(one.accounts).toHaveLength(counted(own, accountOf).size);
            }
            for (const one of listed.data) {
              const own = drawn.filter(({ account }) => account === one.unique_id);
              const { now, past } = within(own, time);
              expect(one.counts).toEqual(stepsOf(own, time).map(({ length }) => length));
              expect(one.counts_before.reduce((sum, n) => sum + n, 0)).toBe(past.length);
              expect(one.last_seen_on).toBe(dayIn(zone, Math.max(...[...now, ...past].map(({ at }) => at))));
              expect(one.active_contacts).toBe(counted(now, ({ contact }) => contact).size);
            }
          }
        },
      ),
      { numRuns: 6, seed: 1, endOnFailure: true },
    );
  });
});
