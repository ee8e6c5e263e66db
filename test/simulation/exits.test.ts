/** What becomes of events when pages end: cleanly, cut off, by a crash, or with their storage emptied (design §3.4, §3.6). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { expectOnce, inScenario, missing, trackMany } from "./scenario.js";
import type { Page } from "./world.js";

const SEEDS = [1, 2, 3];
const SECOND = 1_000;
const all = ({ entries }: Journal) => [...entries.values()];
const sizeOf = (sent: { body: string }[]): number => sent.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

describe("a page that is left", () => {
  it("begins what it tracked last when it is hidden, and what comes later at once, with keepalive", () =>
    inScenario(async ({ open, hide, track, pass, world }) => {
      const page = await open();
      await pass(5);
      await track(page);
      await hide(page);
      expect(world.names()).toEqual(["event 1"]);
      await track(page);
      await page.leave();
      await track(page);
      expect(world.names()).toEqual(["event 1", "event 2", "event 3"]);
      expect(world.sent.every(({ keepalive }) => keepalive)).toBe(true);
    }));
  it("has at most 32 requests and 60 KiB in flight, oldest first", () =>
    inScenario(async ({ open, pass, world, service }) => {
      for (const [count, text] of [
        [100, ""],
        [30, "日".repeat(1_500)],
      ] as const) {
        const page = await open({ params: { text } });
        await pass(5);
        const before = world.sent.length;
        for (let place = 0; place < count; place++) await page.track(`${count} ${place}`);
        service.onBegin = service.onStore = service.onFail = world.onEnd = () => {};
        await page.leave();
        const sent = world.sent.slice(before);
        expect([sent.length <= 32, sizeOf(sent) <= 61_440]).toEqual([true, true]);
        expect(sent.map(({ name }) => name)).toEqual(sent.map((_, place) => `${count} ${place}`));
        expect(sent.length).toBeGreaterThan(10);
        page.kill();
      }
    }));
  it("begins two where one has been unanswered for over 2 s, and none while a back-off is in force", () =>
    inScenario(async (journal) => {
      const { open, leave, trackMany, pass, world, service } = journal;
      const page = await open();
      service.weather = "silent";
      await trackMany(page, 1);
      await pass(2.5);
      await trackMany(page, 10);
      await leave(page, {});
      expect(world.sent.length).toBe(2);
      service.weather = "busy";
      service.retryAfterS = 60;
      const next = await open();
      await trackMany(next, 1);
      await pass(5);
      const before = world.sent.length;
      await trackMany(next, 5);
      await leave(next, { isLate: true });
      expect(world.sent.length).toBe(before);
    }));
  it("acts on nothing but acceptance, and takes what was broken off just before for no failure", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, world, service } = journal;
      const page = await open();
      await pass(5);
      service.latency = () => 1_000;
      service.weather = "silent";
      await trackMany(page, 3);
      await pass(0.05);
      await page.navigateAway();
      const [first, second] = world.openRequests();
      await first!.answer(200);
      await second!.fail();
      await pass(0.1);
      expect([world.stored().length, world.storage.rows["tracklet:backoff"]]).toEqual([2, undefined]);
      page.kill();
    }));
  it("begins nothing more when another page finds the service well again", () =>
    inScenario(async ({ open, track, pass, world, service }) => {
      const [page, other] = [await open(), await open()];
      service.weather = "unavailable";
      await track(page);
      await pass(1);
      await page.leave();
      const before = world.sent.length;
      service.weather = "up";
      await page.online();
      await track(other);
      await pass(9.5);
      expect(world.sent.slice(before).filter((sent) => sent.page === page)).toEqual([]);
    }));
});

describe("what was in flight at a clean exit", () => {
  /** The page after it; the service never gets what was in flight. */
  const afterExit = async ({ open, track, leave, pass, service }: Journal, config = {}) => {
    const page = await open(config);
    await pass(5);
    service.weather = "silent";
    const entry = await track(page);
    await pass(0.1);
    await leave(page, {});
    const next = await open(config);
    await pass(6);
    return [next, entry] as const;
  };
  const times = ({ world }: Journal, { name }: { name: string }): number =>
    world.names().filter((one) => one === name).length;
  it("counts as stored once a later request is accepted, or nobody is left to judge it", async () => {
    for (const isJudged of [true, false])
      await inScenario(async (journal) => {
        const [next, entry] = await afterExit(journal);
        journal.service.weather = "up";
        if (!isJudged) await journal.pass(20);
        await journal.track(next);
        await journal.pass(5);
        expect([times(journal, entry), journal.world.stored()]).toEqual([1, []]);
      });
  });
  it.each([0, 503, 401, 404, 302])("is sent again when two other events fail (%i)", (status) =>
    inScenario(async (journal) => {
      const [next, entry] = await afterExit(journal);
      journal.service.rule = () => status;
      await journal.trackMany(next, 2);
      await journal.pass(10);
      journal.service.rule = () => 200;
      // A service that refuses everything is asked again after five minutes.
      await journal.pass(400);
      expect([entry.stored, journal.world.stored()]).toEqual([1, []]);
    }),
  );
  it("waits for the requests that began in time and may still show that the service went down", () =>
    inScenario(async (journal) => {
      const [next, entry] = await afterExit(journal);
      await journal.trackMany(next, 2);
      await journal.pass(18);
      expect(journal.world.stored()).toContain(entry.name);
      await journal.pass(15);
      journal.service.weather = "up";
      await journal.pass(60);
      expect([entry.stored, journal.world.stored()]).toEqual([1, []]);
    }));
  it.each<[string, object, (journal: Journal, page: Page) => unknown]>([
    ["the browser is offline", {}, ({ world }) => (world.isOnline = false)],
    ["events are stamped", { stamp: true }, () => {}],
    ["the page crashes", {}, (journal, page) => journal.crash(page)],
  ])("is sent again where %s", (_, config, change) =>
    inScenario(async (journal) => {
      const page = await journal.open(config);
      await journal.pass(5);
      journal.service.weather = "silent";
      const entry = await journal.track(page);
      await journal.pass(0.1);
      change(journal, page);
      if (!page.isDead) await journal.leave(page, {});
      journal.world.isOnline = true;
      journal.service.weather = "up";
      await journal.open(config);
      await journal.pass(10);
      expect([times(journal, entry), journal.world.stored()]).toEqual([2, []]);
    }),
  );
});

describe("where keepalive does not exist", () => {
  const traits = { canKeepAlive: false };
  it.each([true, false])(
    "a click that leaves the page ends in a beacon, if the browser takes it (%s)",
    (takesBeacons) =>
      inScenario(async ({ open, track, leave, pass, world }) => {
        world.takesBeacons = takesBeacons;
        const page = await open({}, traits);
        await pass(5);
        await track(page);
        await leave(page, {});
        expect(world.sent.map(({ isBeacon }) => isBeacon)).toEqual(takesBeacons ? [true] : []);
        const next = await open({}, traits);
        await pass(10);
        await track(next);
        await pass(30);
        expect([world.names(), world.stored()]).toEqual([["event 1", "event 2"], []]);
      }),
  );
  it("an event of a page that stays is sent by a plain request", () =>
    inScenario(async ({ open, track, pass, world }) => {
      await track(await open({}, traits));
      await pass(2);
      expect([world.sent.map(({ isBeacon }) => isBeacon), world.stored()]).toEqual([[false], []]);
    }));
});

it("what was open while a page was cached shows by its answer that the service fails, and by a broken connection nothing", async () => {
  const failures: string[] = [];
  for (const when of ["before", "meanwhile"])
    for (const status of [0, 503])
      await inScenario(async ({ open, track, freeze, restore, pass, world, service }) => {
        const page = await open();
        await pass(5);
        service.weather = "silent";
        if (when === "before") await track(page);
        await pass(0.1);
        await page.hide();
        if (when === "meanwhile") await track(page);
        await freeze(page);
        await restore(page, true);
        await (status ? world.sent[0]!.answer(status) : world.sent[0]!.fail());
        await pass(0.1);
        if (world.storage.rows["tracklet:backoff"]) failures.push(`${when}: ${status}`);
      });
  expect(failures).toEqual(["before: 503", "meanwhile: 503"]);
});

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
        await journal.until(() => all(journal).filter(({ failures }) => failures).length > 1);
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
