/** Events that the service can never take beside others, and services that fail now and then (design §3.5). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { expectOnce, good, inScenario, missing, patient, repeated, trackMany } from "./scenario.js";
import type { Poison } from "./service.js";

const SEEDS = [1, 2, 3, 4, 5];
const SECOND = 1_000;
const QUICK: Poison[] = ["400", "500", "cut"];
const ALL: Poison[] = [...QUICK, "hang"];
/** The other events must be there after this time: those that hang do so until their time-out. */
const timeFor = (poison: Poison, count = 1): number => (count === 1 ? 5 : poison === "hang" ? 20 : 10) * SECOND;

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
      await journal.track(page);
      await world.clock.advance(SECOND);
      const latencies = [300, 100];
      service.latency = () => latencies.shift() ?? 400;
      service.once = "busy";
      service.retryAfterS = 7;
      await journal.track(page);
      await journal.track(page, "cut");
      await world.clock.advance(150);
      await journal.track(page);
      await world.clock.advance(SECOND);
      const before = world.sent.length;
      await journal.track(page);
      await world.clock.advance(5 * SECOND);
      expect([before, world.sent.length]).toEqual([4, 4]);
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
  it.each(ALL)("(%s) alone in one tab beside traffic in another is tried by each 15 times a minute at most", (poison) =>
    inScenario(async (journal) => {
      const other = await openSettled(journal);
      const page = await openSettled(journal);
      const bad = await journal.track(other, poison);
      for (let second = 0; second < 60; second++) {
        await journal.track(page);
        await journal.world.clock.advance(SECOND);
      }
      expect(journal.world.names().filter((name) => name === bad.name).length).toBeLessThanOrEqual(2 * 15);
      await journal.world.clock.advance(5 * SECOND);
      expectOthers(journal);
    }),
  );
});

describe("a service that fails now and then", () => {
  it("for half of all requests: 40 events arrive within 40 s, 18 times of 20", async () => {
    let quick = 0;
    for (let seed = 1; seed <= 20; seed++)
      await inScenario(async (journal) => {
        const page = await openSettled(journal);
        journal.service.weather = "half";
        const entries = await trackMany(journal, page, { count: 40 });
        await journal.world.clock.advance(40 * SECOND);
        if (!missing(entries).length) quick++;
      }, seed);
    expect(quick).toBeGreaterThanOrEqual(18);
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

describe("an event that fails while others pass", () => {
  it("is tried within seconds at first, then ever more rarely", () =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      const bad = await journal.track(page, "500");
      for (let second = 0; second < 700; second++) {
        await journal.track(page);
        await journal.pass(1);
      }
      const tries = journal.world.sent.filter(({ name }) => name === bad.name).map(({ beganAt }) => beganAt);
      const gaps = tries.slice(1).map((time, index) => time - tries[index]!);
      expect(Math.max(...gaps.slice(0, 8))).toBeLessThan(5_000);
      expect([Math.max(...gaps) > 60_000, Math.max(...gaps) < 310_000, gaps.length < 30]).toEqual([true, true, true]);
    }));
  it("holds the others back where its answer speaks of the service, and not where it may speak of the event", async () => {
    const held: string[] = [];
    const answers: [number, number?][] = [[0], [400], [500], [500, 5], [404], [408], [425], [429]];
    for (const answer of answers)
      await inScenario(async (journal) => {
        const { track, until, pass, service, world } = journal;
        const page = await openSettled(journal);
        service.rule = ({ name }) => (name === "event 1" ? (answer as [number, number]) : 200);
        await track(page);
        for (const [index, which] of ["first", "second"].entries()) {
          await until(() => world.names().filter((name) => name === "event 1").length > index);
          await pass(0.1);
          const next = await track(page);
          await pass(0.5);
          if (!next.stored) held.push(`${answer.join(" ")} ${which}`);
        }
      }, patient());
    // A wrong configuration is none once another event was accepted.
    const both = ["500 5", "408", "425", "429"].flatMap((answer) => [`${answer} first`, `${answer} second`]);
    expect(held.toSorted()).toEqual([...both, "404 first"].toSorted());
  });
});

describe("events that the service refuses", () => {
  it.each([400, 413, 422].flatMap((status) => [1, 6, 10].map((place) => [status, place] as const)))(
    "with %i are dropped and reported, and the others arrive (number %i of ten)",
    (status, place) =>
      inScenario(async (journal) => {
        const { track, trackMany: many, pass, service, world } = journal;
        const page = await openSettled(journal);
        service.rule = ({ name }) => (name === `event ${place}` ? status : 200);
        const entries = await many(page, 10);
        await pass(60);
        // The last one is known for what it is once another event is accepted.
        await track(page);
        await pass(60);
        expect(missing(entries)).toEqual([`event ${place}`]);
        expect(page.problems.filter(({ event }) => event)).toMatchObject([
          { code: "rejected", detail: `status ${status}`, event: { event_uid: `event ${place}` } },
        ]);
        expect(world.stored()).toEqual([]);
      }),
  );
  it.each([
    [3, 3],
    [20, 8],
  ])("all %i of them mean a wrong configuration, once %i were refused: they are kept", (count, refused) =>
    inScenario(async (journal) => {
      const { trackMany: many, pass, service, world } = journal;
      const page = await openSettled(journal);
      service.weather = "invalid";
      const entries = await many(page, count);
      await pass(7_200);
      expect([page.problems.map(({ code }) => code), new Set(world.names().slice(0, refused)).size]).toEqual([
        ["paused"],
        refused,
      ]);
      expect(world.sent.length).toBeLessThan(80);
      service.weather = "up";
      await pass(600);
      expect(missing(entries)).toEqual([]);
    }),
  );
  it("counts once, however often that happens", () =>
    inScenario(async (journal) => {
      const page = await openSettled(journal);
      journal.service.rule = ({ name }) => (name === "event 1" ? 400 : 503);
      await journal.trackMany(page, 3);
      await journal.pass(1_800);
      expect(page.problems).toEqual([]);
    }));
});

describe("a wrong configuration", () => {
  it.each([301, 302, 401, 403, 404, 405, 410, 415])(
    "(%i) keeps every event, is said once, asked rarely, and loses nothing once it is right",
    (status) =>
      inScenario(async (journal) => {
        const { trackMany: many, pass, service, world } = journal;
        const page = await openSettled(journal);
        service.rule = () => status;
        await many(page, 12);
        await pass(3_600);
        expect([page.problems.map(({ detail }) => detail), world.sent.length < 40]).toEqual([
          [`status ${status}`],
          true,
        ]);
        service.rule = () => 200;
        await pass(360);
        expectOnce(journal);
      }),
  );
  it("is said again when it is wrong again", () =>
    inScenario(async (journal) => {
      const { track, pass, service } = journal;
      const page = await openSettled(journal);
      for (const status of [401, 200, 401]) {
        service.rule = () => status;
        await track(page);
        await pass(400);
      }
      expect(page.problems.map(({ code }) => code)).toEqual(["paused", "paused"]);
    }));
});

it.each([0, 408, 425, 429, 500, 502, 503, 504])(
  "an outage (%i) keeps all events, and sends each once when it is over",
  (status) =>
    inScenario(async (journal) => {
      const { trackMany: many, pass, service, world } = journal;
      const page = await openSettled(journal);
      service.rule = () => status;
      await many(page, 6);
      await pass(0.1);
      expect([world.sent.length <= 5, world.stored().length]).toEqual([true, 6]);
      service.rule = () => 200;
      const tried = world.sent.length;
      await pass(300);
      expect([world.sent.length - tried, page.problems]).toEqual([6, []]);
      expectOnce(journal);
      // The same bytes at each attempt.
      expect(new Set(world.sent.map(({ body }) => body)).size).toBe(6);
    }),
);
