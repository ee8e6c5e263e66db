/** When a service that fails is asked again (design §3.5). */
import { describe, expect, it } from "vitest";
import { fill } from "./area.js";
import type { Journal } from "./journal.js";
import { expectOnce, inScenario, missing, patient } from "./scenario.js";
import type { Page, World } from "./world.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const ROW = "tracklet:backoff";

/** Seconds between requests, rounded. */
const gaps = ({ world }: Journal, from = 0): number[] =>
  world.sent
    .slice(from + 1)
    .map(({ beganAt }, index) => Math.round((beganAt - world.sent[from + index]!.beganAt) / 1_000));
/** A page whose last success is long ago, so that nothing shortens the back-off; answers come at once. */
const inPage = (test: (journal: Journal, page: Page) => Promise<unknown>, chance: number | (() => number) = () => 1) =>
  inScenario(async (journal) => {
    journal.service.latency = () => 1;
    const page = await journal.open();
    await journal.track(page);
    await journal.pass(MINUTE);
    journal.world.sent.splice(0);
    await test(journal, page);
  }, chance);
const askedAgain = ({ sent }: World): (() => boolean) => {
  const { length } = sent;
  return () => sent.length > length;
};
const hurry = (page: Page, what: "online" | "show" | "flush"): Promise<unknown> =>
  what === "flush"
    ? page.run(() => void page.tracker.flush())
    : what === "show"
      ? page.hide().then(page.show)
      : page.online();

describe("failures", () => {
  it("double the wait from 1 s up to 5 min, of which each tab adds its own part of a second", () =>
    inPage(async (journal, page) => {
      journal.service.weather = "unavailable";
      await journal.track(page);
      await journal.pass(HOUR);
      const waits = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
      expect(
        gaps(journal)
          .slice(0, 11)
          .map((gap, index) => gap - waits[index]!),
      ).toEqual(waits.map(() => expect.toSatisfy((more: number) => more === 0 || more === 1)));
    }));
  it("have full jitter", () =>
    inPage(
      async (journal, page) => {
        journal.service.weather = "unavailable";
        await journal.track(page);
        await journal.pass(10 * MINUTE);
        expect(Math.max(...gaps(journal).slice(0, 5))).toBeLessThanOrEqual(5);
      },
      () => 0.25,
    ));
  it("are 2 s apart at most, and the tab's part, for half a minute after a success", () =>
    inScenario(async (journal) => {
      const { open, track, pass, service } = journal;
      const page = await open();
      await track(page);
      await pass(1);
      service.weather = "unavailable";
      await track(page);
      await pass(10 * MINUTE);
      const [short, long] = [gaps(journal, 1).slice(0, 9), gaps(journal, 1).slice(9)];
      expect([Math.max(...short) <= 3, Math.max(...long) > 100]).toEqual([true, true]);
    }, patient()));
  it("that happen together count once", () =>
    inPage(async ({ track, trackMany, pass, service, world }, page) => {
      await track(page);
      await pass(1);
      service.rule = () => (world.sent.length <= 5 ? 503 : 200);
      await trackMany(page, 4);
      await pass(0.5);
      const before = world.sent.length;
      await pass(2.5);
      expect([before, world.sent.length > before]).toEqual([5, true]);
    }));
  it("are known to later pages, each of which may bring one request forward", () =>
    inPage(async (journal, page) => {
      const { open, track, pass, service, world } = journal;
      service.weather = "unavailable";
      await track(page);
      await pass(20 * MINUTE);
      journal.crash(page);
      const before = world.sent.length;
      await open();
      await pass(6 * MINUTE);
      expect(world.sent.length - before).toBeLessThanOrEqual(3);
    }, 5));
  it.each<[string, (journal: Journal) => unknown]>([
    ["denied", ({ world }) => Object.assign(world.storage, { isDenied: true })],
    ["full", ({ world }) => fill(world.storage)],
  ])("make a page wait also where the storage is %s", (_, spoil) =>
    inPage(async (journal, page) => {
      spoil(journal);
      journal.service.weather = "unavailable";
      await journal.track(page);
      await journal.pass(MINUTE);
      expect(gaps(journal).length).toBeLessThanOrEqual(7);
    }, patient()),
  );
});

describe("Retry-After", () => {
  it("holds in full, whatever the jitter says, each time", () =>
    inPage(
      async (journal, page) => {
        journal.service.rule = () => [503, 7];
        await journal.track(page);
        await journal.pass(MINUTE);
        expect(gaps(journal).filter((gap) => gap < 7)).toEqual([]);
        expect(gaps(journal).length).toBeGreaterThan(5);
      },
      () => 0,
    ));
  type Answer = [number, number?];
  it.each<[string, Answer[], number]>([
    ["by one that is accepted meanwhile", [[503, 60], [200]], 60],
    ["by a failure with none of its own", [[503, 60], [500]], 60],
    [
      "by a shorter one",
      [
        [503, 60],
        [503, 5],
      ],
      60,
    ],
    [
      "except by a longer one",
      [
        [503, 5],
        [503, 60],
      ],
      60,
    ],
    [
      "except by one that is longer by a second",
      [
        [503, 5],
        [503, 6],
      ],
      6,
    ],
    ["by a failure of another kind before it", [[500], [503, 60]], 60],
    ["by the pause for a refusal", [[503, 600], [401]], 600],
    ["by a longer pause for a refusal", [[503, 60], [401]], 60],
  ])("of one of several requests is not changed %s", (_, answers, seconds) =>
    inPage(async ({ track, trackMany, pass, service, world }, page) => {
      await track(page);
      await pass(1);
      service.rule = () => (answers[world.sent.length - 2] ?? [200]) as [number, number];
      await trackMany(page, 2);
      await pass(0.5);
      expect(world.sent.length).toBe(3);
      for (const what of ["online", "show", "flush"] as const) await hurry(page, what);
      await pass(seconds - 0.6);
      expect(world.sent.length).toBe(3);
      await pass(MINUTE);
      expect(world.stored()).toEqual([]);
    }),
  );
  it("of a day holds for an hour, also for pages that are opened meanwhile", () =>
    inPage(async ({ open, track, pass, service, world }, page) => {
      service.rule = () => (world.sent.length === 1 ? [503, 86_400] : 200);
      await track(page);
      await pass(HOUR / 2);
      await track(await open());
      await pass(HOUR / 2 - 1);
      expect(world.sent.length).toBe(1);
      await pass(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
});

describe("a service that is down", () => {
  it("is asked less and less often, with one event at a time, and not more often for many events", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, service, world } = journal;
      const page = await open();
      service.weather = "unavailable";
      await trackMany(page, 100);
      await pass(10 * MINUTE);
      expect(world.sent.length).toBeLessThan(20);
      const before = world.sent.length;
      await pass(50 * MINUTE);
      expect(world.sent.length - before).toBeLessThanOrEqual(25);
      expect(world.stored().length).toBe(100);
    }));
  it("is asked one at a time, also by many pages that are loaded again and again", () =>
    inScenario(async (journal) => {
      const { open, track, leave, pass, service, world } = journal;
      service.weather = "refused";
      for (let round = 0; round < 8; round++) {
        for (const page of world.pages) if (!page.isDead) await leave(page, {});
        for (let tab = 0; tab < 10; tab++) await track(await open());
        await pass(5);
      }
      // Each of the first ten may have begun one before the first had failed; then one every 8 s, and those of ten tabs whose
      // second of spread ends while the news of the probe is on its way, about a third of a second.
      expect(world.sent.length).toBeLessThanOrEqual(10 + (1 + 10 / 3) * (40 / 8));
      service.weather = "up";
      await pass(10 * MINUTE);
      expectOnce(journal);
    }));
  it.each(["online", "show", "flush"] as const)("is asked within 9 s on %s, however often that happens", (what) =>
    inPage(async ({ trackMany, pass, until, service, world }, page) => {
      service.weather = "unavailable";
      await trackMany(page, 2);
      await pass(30 * MINUTE);
      await until(askedAgain(world));
      const before = world.sent.length;
      for (let turn = 0; turn < 5; turn++) await hurry(page, what);
      await pass(10);
      expect(world.sent.length - before).toBe(1);
    }, patient()),
  );
  it("is asked within 9 s of a page's load, and of its coming back from the cache", async () => {
    for (const how of ["load", "restore"])
      await inPage(async ({ open, freeze, restore, track, pass, until, service, world }, page) => {
        service.weather = "unavailable";
        await track(page);
        await pass(30 * MINUTE);
        await until(askedAgain(world));
        const before = world.sent.length;
        await freeze(page);
        if (how === "load") await open();
        else await restore(page, true);
        await pass(10);
        expect([how, world.sent.length - before]).toEqual([how, 1]);
      }, patient());
  });
  it("and leaves requests open is sent one more after 2 s, and gives up each after 15 s", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, service, world } = journal;
      service.weather = "silent";
      const page = await open();
      await trackMany(page, 20);
      const counts: number[] = [];
      for (const seconds of [1, 2, 2, 10]) {
        await pass(seconds);
        counts.push(world.openRequests().length);
      }
      expect(counts).toEqual([1, 2, 2, 2]);
      service.weather = "up";
      await pass(20);
      expectOnce(journal);
    }));
  it("and whose requests WebKit cuts off for the cache, and never ends, is sent them again", () =>
    inScenario(async ({ open, trackMany, freeze, restore, pass, service, world }) => {
      // Without marks: what is marked counts as stored.
      const page = await open({ stamp: true });
      service.weather = "silent";
      const entries = await trackMany(page, 3);
      await pass(0.1);
      await freeze(page);
      for (const sent of world.sent) sent.isOpen = false;
      service.weather = "up";
      await restore(page, true);
      await pass(40);
      expect(missing(entries)).toEqual([]);
    }));
  it("once its probe's tab is gone, waits for no other answer", () =>
    inPage(async (journal, page) => {
      const { open, track, pass, until, service, world } = journal;
      service.weather = "unavailable";
      await track(page);
      await pass(0.1);
      service.weather = "silent";
      await until(() => world.openRequests().length);
      journal.crash(page);
      service.weather = "up";
      await open();
      await pass(30);
      expect(world.stored()).toEqual([]);
    }, 5));
  it("and is well again for one tab, is well for all", () =>
    inPage(async ({ open, track, pass, until, service, world }, page) => {
      const other = await open();
      service.weather = "unavailable";
      for (const one of [page, other]) await track(one);
      await pass(5 * MINUTE);
      service.weather = "up";
      await until(() => world.stored().length < 2);
      await pass(1.5);
      expect(world.stored()).toEqual([]);
    }, patient()));
});

it.each([-86_400_000, 86_400_000])("a clock that is set by %i ms ends the wait", (ms) =>
  inPage(async (journal, page) => {
    const { track, pass, service, world } = journal;
    journal.isExact = false;
    service.rule = () => (world.sent.length === 1 ? [503, 3_600] : 200);
    await track(page);
    await pass(1);
    journal.jump(ms);
    await track(page);
    await pass(MINUTE);
    expect(world.stored()).toEqual([]);
  }, 5),
);

it("a row that something else wrote never stalls for more than an hour", async () => {
  const wrong: string[] = [];
  const rows = ["", "x", "{}", "[1,2]", ",,,", "NaN,NaN,NaN,NaN", "Infinity,Infinity,Infinity,1", "1e999,1,1,1"];
  for (const rest of ["1e12,1e12,1", "-1,-1,0", "1e999", "", "600000,3,told,0"])
    rows.push(`NOW,${rest}`, `xNOW,${rest}`);
  for (const row of rows)
    await inScenario(async ({ open, track, pass, service, world }) => {
      world.storage.rows[ROW] = row.replace("NOW", `${world.clock.wall()}`);
      service.rule = () => (world.sent.length === 1 ? 503 : 200);
      await track(await open());
      await pass(HOUR + 6 * MINUTE);
      if (world.stored().length || world.sent.length !== 2) wrong.push(row);
    });
  expect(wrong).toEqual([]);
});
