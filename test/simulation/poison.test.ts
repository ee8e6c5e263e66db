/** Events that the service can never take beside others, and services that fail now and then (design §3.5). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { good, inScenario, missing, repeated, trackMany } from "./scenario.js";
import type { Poison } from "./service.js";

const SEEDS = [1, 2, 3, 4, 5];
const SECOND = 1_000;
const QUICK: Poison[] = ["400", "500", "cut"];
const ALL: Poison[] = [...QUICK, "hang"];
/** The other events must be there after this time: those that hang do so until their time-out. */
const timeFor = (poison: Poison, count = 1): number => (poison === "hang" && count > 1 ? 20 : 5) * SECOND;

/** A page that has been there for a while. */
const openSettled = async (journal: Journal) => {
  const page = await journal.open();
  await journal.world.clock.advance(10 * SECOND);
  return page;
};
const expectOthers = (journal: Journal): void =>
  expect(missing(good(journal, [...journal.entries.values()])), "not there in time").toEqual([]);

describe.each(SEEDS)("beside an event that the service never takes, the others arrive in time (seed %i)", (seed) => {
  it.each(ALL.flatMap((poison) => [1, 8, 20].map((place) => [poison, place] as const)))(
    "%s, as number %i of 20",
    (poison, place) =>
      inScenario(async (journal) => {
        const page = await openSettled(journal);
        await trackMany(journal, page, { count: 20, bad: { [place]: poison } });
        await journal.world.clock.advance(timeFor(poison));
        expectOthers(journal);
      }, seed),
  );
  it.each(ALL)("%s, six of 20", (poison) =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      const bad = Object.fromEntries([1, 2, 5, 8, 9, 20].map((place) => [place, poison]));
      await trackMany(journal, page, { count: 20, bad });
      await journal.world.clock.advance(timeFor(poison, 6));
      expectOthers(journal);
    }, seed),
  );
  it.each(ALL)("%s, from an earlier page", (poison) =>
    inScenario(async (journal) => {
      const earlier = await openSettled(journal);
      await trackMany(journal, earlier, { count: 4, bad: { 1: poison } });
      await journal.world.clock.advance(60 * SECOND);
      await journal.leave(earlier, {});
      const page = await openSettled(journal);
      await trackMany(journal, page, { count: 19 });
      await journal.world.clock.advance(timeFor(poison));
      expectOthers(journal);
    }, seed),
  );
  it.each(ALL)("%s, alone in another tab", (poison) =>
    inScenario(async (journal) => {
      const other = await openSettled(journal);
      const page = await openSettled(journal);
      await journal.track(other, poison);
      await journal.world.clock.advance(60 * SECOND);
      await trackMany(journal, page, { count: 19 });
      await journal.world.clock.advance(timeFor(poison));
      expectOthers(journal);
    }, seed),
  );
  it.each(ALL)("%s, the only one queued when a new page tracks its first event", (poison) =>
    inScenario(async (journal) => {
      const earlier = await openSettled(journal);
      await journal.track(earlier, poison);
      await journal.world.clock.advance(3 * SECOND);
      await journal.leave(earlier, {});
      const page = await journal.open();
      await journal.track(page);
      await journal.world.clock.advance(timeFor(poison));
      expectOthers(journal);
    }, seed),
  );
  it.each(ALL)("%s, although an outage has failed them as well", (poison) =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      journal.service.weather = "unavailable";
      await trackMany(journal, page, { count: 4, bad: { 1: poison } });
      await journal.world.clock.advance(SECOND);
      journal.service.weather = "up";
      await journal.world.clock.advance(timeFor(poison, 4));
      expectOthers(journal);
    }, seed),
  );
  it.each(ALL)("%s, and twenty navigations repeat nothing", (poison) =>
    inScenario(async (journal) => {
      const first = await openSettled(journal);
      journal.service.latency = () => 100;
      await journal.track(first, poison);
      await journal.world.clock.advance(3 * SECOND);
      await journal.leave(first, { isNavigation: true });
      for (let navigation = 0; navigation < 20; navigation++) {
        const page = await journal.open();
        await trackMany(journal, page, { count: 2 });
        await journal.world.clock.advance(1.5 * SECOND);
        await journal.track(page);
        await journal.world.clock.advance(30);
        await journal.leave(page, { isNavigation: true });
      }
      await journal.open();
      await journal.world.clock.advance(60 * SECOND);
      expectOthers(journal);
      expect(repeated([...journal.entries.values()])).toEqual([]);
    }, seed),
  );
});

describe("a Retry-After", () => {
  it("that comes while a probe is under way holds after the probe's success", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const page = await openSettled(journal);
      const latencies = [300, 100];
      service.latency = () => latencies.shift() ?? 400;
      service.weather = "alternating";
      service.retryAfterS = 7;
      await journal.track(page);
      await journal.track(page, "cut");
      await world.clock.advance(150);
      service.weather = "up";
      await journal.track(page);
      await world.clock.advance(SECOND);
      const before = world.sent.length;
      await journal.track(page);
      await world.clock.advance(5 * SECOND);
      expect([before, world.sent.length]).toEqual([3, 3]);
      await world.clock.advance(60 * SECOND);
      expectOthers(journal);
    }));
});

describe("an event that the service never took", () => {
  it.each<[Poison, number]>(
    (["500", "cut", "hang"] as const).flatMap((poison) => [5, 60, 1_000].map((s): [Poison, number] => [poison, s])),
  )("(%s) arrives within 20 s of a visit after the service takes it, %i s later", (poison, seconds) =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      await trackMany(journal, page, { count: 20, bad: { 3: poison } });
      await journal.world.clock.advance(seconds * SECOND);
      journal.service.poison.clear();
      await journal.leave(page, {});
      await journal.open();
      await journal.world.clock.advance(20 * SECOND);
      expect(missing([...journal.entries.values()])).toEqual([]);
    }),
  );
  it("(400) is dropped and reported, and the others are not", () =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      const [bad, ...others] = await trackMany(journal, page, { count: 20, bad: { 1: "400" } });
      await journal.world.clock.advance(20 * SECOND);
      expect(page.problems.map(({ code, event }) => [code, event?.event_uid])).toEqual([["rejected", bad!.name]]);
      expect(missing(others)).toEqual([]);
      expect(journal.world.stored()).toEqual([]);
    }));
  it.each(ALL)("(%s) alone in one tab beside traffic in another is tried 15 times a minute at most", (poison) =>
    inScenario(async (journal) => {
      const other = await openSettled(journal);
      const page = await openSettled(journal);
      const bad = await journal.track(other, poison);
      for (let second = 0; second < 60; second++) {
        await journal.track(page);
        await journal.world.clock.advance(SECOND);
      }
      expect(journal.world.names().filter((name) => name === bad.name).length).toBeLessThanOrEqual(15);
      await journal.world.clock.advance(5 * SECOND);
      expectOthers(journal);
    }),
  );
});

describe("a service that fails now and then", () => {
  it("for half of all requests: 40 events arrive within 40 s, 19 times of 20", async () => {
    let quick = 0;
    for (let seed = 1; seed <= 20; seed++)
      await inScenario(async (journal) => {
        const page = await openSettled(journal);
        journal.service.weather = "half";
        const entries = await trackMany(journal, page, { count: 40 });
        await journal.world.clock.advance(40 * SECOND);
        if (!missing(entries).length) quick++;
      }, seed);
    expect(quick).toBeGreaterThanOrEqual(19);
  });
  it.each(SEEDS)("for every second request, with a Retry-After: it is obeyed, and all arrive (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      journal.service.weather = "alternating";
      journal.service.retryAfterS = 7;
      const entries = await trackMany(journal, page, { count: 20 });
      await journal.world.clock.advance(400 * SECOND);
      expect(missing(entries)).toEqual([]);
    }, seed),
  );
});
