/** Who sends what several tabs have, whatever becomes of them (design §3.6): each sentence of it, shown once. */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { expectOnce, inScenario } from "./scenario.js";
import type { Page } from "./world.js";

const NOBODY = { contactUid: undefined as never };
const CLOSE = { hiddenMs: 20 };
const NAVIGATE = { isNavigation: true, restMs: 30 };
const SEEDS = [1, 2, 3];

const names = (entries: { name: string }[]): string[] => entries.map(({ name }) => name);
const sendersOf = ({ world }: Journal, page: Page): string[] =>
  world.sent.filter((sent) => sent.page === page).map(({ name }) => name);
/** A page that has been there for a while. */
const openSettled = async ({ open, pass }: Journal, ...how: Parameters<Journal["open"]>): Promise<Page> => {
  const page = await open(...how);
  await pass(5);
  return page;
};

describe("a tab that crashes", () => {
  it.each(SEEDS)("has its events stored by another open tab within 6 s (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const { open, trackMany, pass } = journal;
      const [, page] = [await openSettled(journal), await open()];
      await trackMany(page, 20);
      journal.crash(page);
      await pass(6);
      expectOnce(journal);
    }, seed),
  );
  it("while it takes over another one's, frees them for a third", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, until, world, service } = journal;
      const [first, second] = [await open({ stamp: true }), await open()];
      await openSettled(journal);
      service.weather = "refused";
      await trackMany(first, 9);
      await pass(3);
      journal.crash(first);
      await pass(10);
      service.weather = "up";
      service.latency = () => 2_000;
      await until(() => world.locks.heldBy(second).length);
      await pass(1);
      await journal.leave(second, CLOSE);
      await pass(60);
      expectOnce(journal);
    }));
});

it("300 dead tabs cost eight locks at a time, and none while the service is down; all is there 30 s after the recovery", () =>
  inScenario(async (journal) => {
    const { open, track, pass, world, service } = journal;
    service.weather = "refused";
    const dead = await open();
    const { key, name } = await track(dead);
    journal.crash(dead);
    // The same of 300 tabs.
    await pass(1);
    const { rows } = world.storage;
    for (let tab = 0; tab < 300; tab++) rows[key!.replace(/(event\d*):[^:]+/, `$1:dead${tab}`)] = rows[key!]!;
    Object.assign(journal.entries.get(name)!, { mayRepeat: "it is 301 events", isDurable: false });
    const page = await open();
    const before = world.locks.asked.length;
    await pass(120);
    // One for each probe.
    expect(world.locks.asked.length - before).toBeLessThan(40);
    service.weather = "up";
    await page.online();
    const from = world.sent.length;
    await pass(30);
    expect([world.stored(), world.sent.length - from]).toEqual([[], 301]);
    await journal.freeze(page);
    await pass(0.01);
    expect(world.locks.heldBy(page)).toEqual([]);
  }));

it("a living tab's young event goes at once, beside a take-over of its older ones", () =>
  inScenario(async (journal) => {
    const { open, track, trackMany, pass, service } = journal;
    const [page, other] = [await open(), await openSettled(journal)];
    service.weather = "refused";
    const older = await trackMany(page, 5);
    await pass(20);
    service.weather = "up";
    service.latency = () => 1_000;
    await other.online();
    await journal.stall(page, 9_000);
    expect(sendersOf(journal, other)).toEqual(expect.arrayContaining(names(older)));
    const young = await track(page);
    await pass(1.2);
    expect(young.stored).toBe(1);
    await pass(30);
    expectOnce(journal);
  }));

describe("a tab that stands still", () => {
  it.each([0.3, 3, 4.5])(
    "for %f s right after track(), and then goes to another site, sends the event once",
    (seconds) =>
      inScenario(async (journal) => {
        const { open, stall, leave, pass } = journal;
        await openSettled(journal);
        const page = await openSettled(journal);
        await stall(page, seconds * 1_000, true);
        await leave(page, NAVIGATE);
        await open();
        await pass(30);
        expectOnce(journal);
      }),
  );
  it("while its request is open keeps that event, and no other tab's", () =>
    inScenario(async (journal) => {
      const { open, track, stall, trackMany, pass, service } = journal;
      const [page, dead, other] = [await open(), await open(), await openSettled(journal)];
      service.latency = () => 10_000;
      const kept = await track(page);
      await pass(1);
      service.latency = () => 20;
      await trackMany(dead, 3);
      journal.crash(dead);
      await track(other);
      await stall(page, 30_000);
      expect([sendersOf(journal, page), sendersOf(journal, other).length]).toEqual([[kept.name], 4]);
      await pass(30);
      expectOnce(journal);
    }));
  it("changes nothing by an answer that comes after another tab has delivered", () =>
    inScenario(async (journal) => {
      const { track, stall, pass, service, world } = journal;
      const page = await openSettled(journal);
      await openSettled(journal);
      service.rule = () => (world.sent.length === 1 ? 503 : 200);
      const entry = await track(page);
      await pass(0.03);
      entry.mayRepeat = "its page stands still before it has the lock";
      await stall(page, 20_000);
      await pass(60);
      expect(world.sent.map((sent) => [sent.name, sent.page === page])).toEqual([
        [entry.name, true],
        [entry.name, false],
      ]);
    }));
  it.each([true, false])(
    "obeys a refusal that it hears of only when it is left (reads what is stored: %s)",
    (readsFresh) =>
      inScenario(async (journal) => {
        const { open, choose, stall, leave, trackMany, pass, world, service } = journal;
        const [page, other] = [await open({}, { readsFresh }), await openSettled(journal)];
        service.weather = "refused";
        await trackMany(page, 3);
        await pass(3);
        world.clock.add(1_000, () => choose(other, "denied"));
        await stall(page, 3_000);
        await leave(page, { restMs: 50 });
        await open();
        await pass(1);
        expect(Object.keys(world.storage.rows)).toEqual(["tracklet:consent"]);
      }),
  );
  it("gives nothing to who comes after a log-out of which it hears only when it is left", () =>
    inScenario(async (journal) => {
      const { open, identify, reset, stall, leave, trackMany, pass, world } = journal;
      const [page, other] = [await open(NOBODY), await openSettled(journal, NOBODY)];
      await trackMany(page, 2);
      await pass(3);
      world.clock.add(1_000, () => reset(other));
      await stall(page, 3_000);
      await leave(page, { restMs: 50 });
      await identify(await open(NOBODY), "bob");
      await pass(30);
      expect(world.names()).toEqual([]);
    }));
});

describe("what the page does to its storage", () => {
  it("by clear() in an outage takes nothing from the tabs that are open", () =>
    inScenario(async (journal) => {
      const { open, clear, trackMany, pass, service } = journal;
      const [page, other] = [await open(), await openSettled(journal)];
      service.weather = "refused";
      for (const one of [page, other]) await trackMany(one, 5);
      await pass(10);
      await clear(page);
      await pass(10);
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
    }));
  it("key by key takes nothing from the tab that does it", () =>
    inScenario(async (journal) => {
      const { open, removeKeys, trackMany, pass, service } = journal;
      const [page] = [await open(), await openSettled(journal)];
      service.weather = "refused";
      await trackMany(page, 5);
      await pass(10);
      await removeKeys(page);
      await pass(10);
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
    }));
  it.each(["reset", "optOut"] as const)("together with %s() does not hide that from other tabs", (verb) =>
    inScenario(async (journal) => {
      const { open, track, trackMany, identify, pass, world, service } = journal;
      const [page, other] = [await open(NOBODY), await openSettled(journal, NOBODY)];
      await identify(page, "alice");
      await pass(1);
      service.weather = "refused";
      await track(other);
      await other.run(() => other.tracker.reset());
      await pass(1);
      await page.run(() => {
        page.tracker[verb]();
        page.window.localStorage.clear();
      });
      await pass(1);
      service.weather = "up";
      const before = world.sent.length;
      for (const entry of await trackMany(other, 2)) entry.mayBeLost = "nobody is named";
      await pass(60);
      expect(
        world
          .names()
          .slice(before)
          .filter((name) => name !== "event 1"),
      ).toEqual([]);
    }),
  );
});

describe("events that the page makes itself", () => {
  it("end nothing: what fails later is still tried again", () =>
    inScenario(async (journal) => {
      const { forge, trackMany, pass, service } = journal;
      const page = await openSettled(journal);
      await forge(page, "pagehide", "storage", "visibilitychange");
      service.weather = "unavailable";
      await trackMany(page, 3);
      await pass(10);
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
    }));
  it("take no event away", () =>
    inScenario(async (journal) => {
      const { track, pass, service, world } = journal;
      const page = await openSettled(journal);
      service.weather = "refused";
      const { key } = await track(page);
      await pass(3);
      await page.run(() => {
        for (const members of [{ key, newValue: null }, { key: null }, { key: "tracklet:consent", newValue: "denied" }])
          page.window.dispatchEvent(Object.assign(new Event("storage"), members));
      });
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
      expect(world.sent.length).toBeGreaterThan(1);
    }));
});

describe("rows of another version of the script", () => {
  const FORMER = "tracklet:event:0.5-1700000000000:1000000";
  const row = '{"contact_uid":"ann","event_uid":"a","params":{}}';
  it("stay alone until they are too old", () =>
    inScenario(async ({ open, track, pass, world, service }) => {
      service.weather = "refused";
      const key = `${FORMER}:${world.clock.wall()}`;
      world.storage.rows[key] = row;
      const page = await open({ maxAgeMs: 60_000 });
      await track(page);
      await pass(30);
      service.weather = "up";
      await pass(20);
      expect([world.names().includes("a"), world.storage.rows[key]]).toEqual([false, row]);
      await pass(30);
      await open({ maxAgeMs: 60_000 });
      await pass(5);
      expect(world.storage.rows[key]).toBeUndefined();
    }));
});

describe("a prerendering document", () => {
  it("stores and sends nothing, and all once it is visited", () =>
    inScenario(async (journal) => {
      const { open, activate, trackMany, pass, world } = journal;
      const page = await open({}, { isPrerendering: true });
      await trackMany(page, 2);
      await pass(10);
      expect([world.names(), Object.keys(world.storage.rows), page.waits()]).toEqual([[], [], 0]);
      await activate(page);
      await pass(2);
      expectOnce(journal);
    }));
});

describe("what stood in memory alone when a page went into the back/forward cache", () => {
  it("because the storage was full, is sent when it comes back", () =>
    inScenario(async (journal) => {
      const { freeze, restore, trackMany, pass, world, service } = journal;
      const page = await openSettled(journal);
      world.storage.quota = 0;
      service.weather = "refused";
      await trackMany(page, 3);
      await pass(1);
      await freeze(page);
      await pass(10);
      service.weather = "up";
      await restore(page, true);
      await pass(60);
      expectOnce(journal);
    }));
  it("because the visitor had not agreed, is sent when it has come back and she agrees", () =>
    inScenario(async (journal) => {
      const { freeze, restore, choose, trackMany, pass } = journal;
      const page = await openSettled(journal, { consent: "pending" });
      await trackMany(page, 3);
      await freeze(page);
      await pass(10);
      await restore(page, true);
      await choose(page, "granted");
      await pass(10);
      expectOnce(journal);
    }));
});

describe("marks", () => {
  it("of a tab that is closed at the onset of an outage are judged by another open one", () =>
    inScenario(async (journal) => {
      const { open, leave, trackMany, pass, service } = journal;
      const [page, other] = [await open(), await openSettled(journal)];
      service.latency = () => 100;
      service.weather = "refused";
      await trackMany(page, 4);
      await pass(0.03);
      await leave(page, CLOSE);
      await pass(6);
      await trackMany(other, 2);
      await pass(10);
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
    }));
  it("of a click that opens a new tab are no delivery where its request fails and the new tab's pass", () =>
    inScenario(async (journal) => {
      const { open, hide, track, pass, service, world } = journal;
      const page = await openSettled(journal);
      service.rule = () => (world.sent.length === 1 ? 503 : 200);
      service.latency = () => (world.sent.length === 1 ? 4_000 : 100);
      await track(page);
      await hide(page);
      const next = await open();
      await track(next);
      await pass(3);
      await track(next);
      await pass(60);
      await page.show();
      await pass(10);
      expectOnce(journal);
    }));
});

describe("tabs in an outage", () => {
  it.each([0, 1_000, 60_000])(
    "one hidden, whose timers come each %i ms: all is there, once, when it is over",
    (throttleMs) =>
      inScenario(async (journal) => {
        const { open, hide, trackMany, pass, service } = journal;
        const [hidden, page] = [await open({}, { throttleMs }), await openSettled(journal)];
        await hide(hidden);
        service.weather = "unavailable";
        for (const one of [hidden, page]) await trackMany(one, 20);
        await pass(90);
        service.weather = "up";
        service.latency = () => 200;
        await pass(180);
        expectOnce(journal);
      }),
  );
  it.each(SEEDS)("five at once: no event is sent twice when it is over (seed %i)", (seed) =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, service, world } = journal;
      const pages = [];
      for (let tab = 0; tab < 5; tab++) pages.push(await open());
      await pass(5);
      service.weather = "refused";
      for (const page of pages) await trackMany(page, 20);
      await pass(60);
      service.weather = "up";
      service.latency = () => 200;
      const before = world.sent.length;
      for (const page of pages) await page.online();
      await pass(60);
      expectOnce(journal);
      expect(world.sent.length - before).toBeLessThanOrEqual(100 + 5);
    }, seed),
  );
});

describe("a service that hangs", () => {
  it.each(
    [10, 30, 60].flatMap(
      (seconds) =>
        [
          [seconds, "start"],
          [seconds, "middle"],
        ] as const,
    ),
  )("for %i s, from the %s of a page, has all events within 20 s", (seconds, when) =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, service } = journal;
      if (when === "start") service.weather = "silent";
      const page = await open();
      if (when === "middle") await trackMany(page, 1);
      await pass(when === "middle" ? 5 : 0);
      service.weather = "silent";
      await trackMany(page, 30);
      await pass(seconds);
      service.weather = "up";
      await pass(20);
      expectOnce(journal);
    }),
  );
});

describe.each(["none", "rejects", "throws"] as const)("where the browser has no locks (%s)", (locks) => {
  // Where it has them and refuses them, as in a sandboxed frame, it refuses the storage as well.
  it.runIf(locks === "none")("other tabs' events are sent at a start, once they are 20 s old", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, world } = journal;
      const dead = await open({}, { locks });
      await trackMany(dead, 3);
      journal.crash(dead);
      await pass(10);
      const early = await open({}, { locks });
      await pass(30);
      expect(world.names()).toEqual([]);
      journal.crash(early);
      await open({}, { locks });
      await pass(5);
      expectOnce(journal);
    }),
  );
  it("a tab's own events are sent and tried again", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, service } = journal;
      const page = await open({}, { locks });
      service.weather = "unavailable";
      await trackMany(page, 12);
      await pass(20);
      service.weather = "up";
      await pass(60);
      expectOnce(journal);
    }));
});
