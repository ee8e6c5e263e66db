/** What becomes of events when pages end: cleanly, cut off, by a crash, or with their storage emptied (design §3.4, §3.6). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { inScenario, missing, repeated, trackMany } from "./scenario.js";

const SEEDS = [1, 2, 3];
const SECOND = 1_000;
const all = ({ entries }: Journal) => [...entries.values()];
const expectOnce = (journal: Journal): void =>
  expect({ missing: missing(all(journal)), repeated: repeated(all(journal)) }).toEqual({ missing: [], repeated: [] });

describe("events handed off on a healthy service", () => {
  it("are not repeated by an outage that comes later", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.latency = () => 100;
      const pages = [];
      for (let page = 0; page < 12; page++) pages.push(await journal.open());
      for (const page of pages) await trackMany(journal, page, { count: 4 });
      for (const page of pages) await journal.leave(page, {});
      const next = await journal.open();
      await world.clock.advance(25 * SECOND);
      service.weather = "unavailable";
      await trackMany(journal, next, { count: 4 });
      await world.clock.advance(30 * SECOND);
      service.weather = "up";
      await world.clock.advance(120 * SECOND);
      expectOnce(journal);
    }));
  const cuts = [0, 1, 2, 3, 5, 8, 13].map((uses) => [uses, "the next page"]);
  it.each([...cuts, [0, "another open tab"], [3, "another open tab"]] as [number, string][])(
    "are not repeated where Firefox cuts the exit off after %i uses, by %s",
    (uses, heir) =>
      inScenario(async (journal) => {
        const { world, service } = journal;
        service.latency = () => 200;
        const other = heir === "the next page" ? undefined : await journal.open();
        const page = await journal.open();
        await world.clock.advance(2 * SECOND);
        await trackMany(journal, page, { count: 20 });
        await journal.cutOff(page, 20, uses);
        const next = other ?? (await journal.open());
        await world.clock.advance(5 * SECOND);
        await journal.track(next);
        await world.clock.advance(60 * SECOND);
        expectOnce(journal);
      }),
  );
});

describe("an event that has failed", () => {
  it("is not handed off, although another tab has seen the service accept one", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.latency = () => SECOND;
      const [page, other] = [await journal.open(), await journal.open()];
      await journal.track(page, "cut");
      await world.clock.advance(1.1 * SECOND);
      await journal.track(other);
      await world.clock.advance(1.5 * SECOND);
      await journal.leave(page, {});
      await journal.track(other);
      await world.clock.advance(2 * SECOND);
      service.poison.clear();
      await world.clock.advance(60 * SECOND);
      expectOnce(journal);
    }));
  it("in an earlier page is not handed off either", () =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      service.latency = () => SECOND;
      const earlier = await journal.open();
      await journal.track(earlier, "cut");
      await world.clock.advance(3 * SECOND);
      await journal.leave(earlier, {});
      const page = await journal.open();
      await journal.track(page);
      // Its attempt on this page is under way.
      await world.clock.advance(1.5 * SECOND);
      await journal.leave(page, {});
      service.poison.clear();
      await journal.track(await journal.open());
      await world.clock.advance(60 * SECOND);
      expectOnce(journal);
    }));
});

describe("a page that is left while the service hangs", () => {
  it.each([1, 2, 9, 14])("loses nothing (after %i s)", (seconds) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const page = await journal.open();
      await world.clock.advance(SECOND);
      service.weather = "silent";
      await trackMany(journal, page, { count: 24 });
      await world.clock.advance(seconds * SECOND);
      await journal.leave(page, {});
      service.weather = "up";
      await journal.open();
      await world.clock.advance(60 * SECOND);
      // Within 3 s nobody could have known.
      if (seconds > 3) expect(missing(all(journal))).toEqual([]);
    }),
  );
});

describe("a page that is left as an outage begins", () => {
  it("loses nothing, although the outage is over right after the next page has seen it", async () => {
    // Only where the back-off draws a short delay does the probe come so soon.
    for (let seed = 1; seed <= 60; seed++)
      await inScenario(async (journal) => {
        const { world, service } = journal;
        const page = await journal.open();
        await world.clock.advance(SECOND);
        service.weather = "silent";
        await trackMany(journal, page, { count: 4 });
        await world.clock.advance(100);
        await journal.leave(page, {});
        service.weather = "refused";
        const next = await journal.open();
        await trackMany(journal, next, { count: 2 });
        await world.clock.advance(150);
        service.weather = "up";
        await world.clock.advance(60 * SECOND);
        expectOnce(journal);
      }, seed);
  });
});

describe("a page that empties the storage in an outage", () => {
  const endings = SEEDS.flatMap((seed) => [true, false].map((isTracking) => [seed, isTracking] as const));
  it.each(endings)("loses nothing when it is left (seed %i, tracked since: %s)", (seed, isTracking) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const page = await journal.open();
      await world.clock.advance(SECOND);
      service.weather = isTracking ? "unavailable" : "refused";
      await trackMany(journal, page, { count: 20 });
      await world.clock.advance(10 * SECOND);
      await journal.clear(page);
      if (isTracking) await journal.track(page);
      await journal.leave(page, {});
      service.weather = "up";
      await journal.open();
      await world.clock.advance(60 * SECOND);
      expect(missing(all(journal))).toEqual([]);
    }, seed),
  );
  it.each(SEEDS)("again and again does not forget the back-off (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const page = await journal.open();
      await world.clock.advance(SECOND);
      service.weather = "unavailable";
      await trackMany(journal, page, { count: 20 });
      const before = world.sent.length;
      for (let time = 0; time < 50; time++) {
        await world.clock.advance(200);
        await journal.clear(page);
        await journal.track(page);
      }
      // Those that begin before the first answer are four to eight; the back-off lets about six follow.
      expect(world.sent.length - before).toBeLessThanOrEqual(16);
    }, seed),
  );
});

describe("a tab that ends in an outage", () => {
  it.each(SEEDS)("by a crash: an open one has sent its events 25 s later (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const { world, service } = journal;
      const open = await journal.open();
      const page = await journal.open();
      await world.clock.advance(5 * SECOND);
      service.weather = "unavailable";
      await trackMany(journal, page, { count: 20 });
      await world.clock.advance(100);
      journal.crash(page);
      service.weather = "up";
      await world.clock.advance(25 * SECOND);
      expect(open.isDead).toBe(false);
      expect(missing(all(journal))).toEqual([]);
    }, seed),
  );
  it.each(SEEDS)("by a crash on a healthy service: what was not begun is there 25 s later (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const { world } = journal;
      await journal.open();
      await world.clock.advance(7 * SECOND);
      const page = await journal.open();
      await world.clock.advance(5 * SECOND);
      await trackMany(journal, page, { count: 20 });
      journal.crash(page);
      await world.clock.advance(25 * SECOND);
      expectOnce(journal);
    }, seed),
  );
  it.each(SEEDS.flatMap((seed) => [0, 2, 5].map((uses) => [seed, uses] as const)))(
    "closed, two of five: all events are there 25 s after the service is back (seed %i, cut off after %i uses)",
    (seed, uses) =>
      inScenario(async (journal) => {
        const { world, service } = journal;
        const pages = [];
        for (let tab = 0; tab < 5; tab++) pages.push(await journal.open());
        await world.clock.advance(5 * SECOND);
        service.weather = "refused";
        for (const page of pages) await trackMany(journal, page, { count: 20 });
        await world.clock.advance(10 * SECOND);
        for (const page of pages.slice(0, 2)) await journal.cutOff(page, 20, uses);
        await world.clock.advance(10 * SECOND);
        service.weather = "up";
        for (const page of pages.slice(2)) await page.online();
        await world.clock.advance(25 * SECOND);
        expect(missing(all(journal))).toEqual([]);
      }, seed),
  );
});
