/** Which page sends which events: leases, claims and what crashes, stalls and clocks make of them. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createTabs, LEASE_MS, RENEW_MS, type Tabs } from "../../../../src/browser/delivery/tabs.js";
import { createStore, type Store } from "../../../../src/browser/state/storage.js";
import { createArea, empty, type FakeArea } from "../../../simulation/area.js";
import { dice, inWorld, type World } from "../../../simulation/world.js";

const MINUTE = 60_000;
const acceptAll = (world: World): void => {
  world.onRequest = (sent) => void world.clock.add(20, () => sent.answer(200));
};

describe("several pages of one site", () => {
  it("each send their own events, once", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const pages = [await world.open(), await world.open(), await world.open()];
      const expected: string[] = [];
      for (let round = 0; round < 30; round++)
        for (const [index, page] of pages.entries()) {
          expected.push(`${index}-${round}`);
          await page.track(`${index}-${round}`);
          await world.clock.advance(1_111);
        }
      await world.clock.advance(MINUTE);
      expect(world.names().toSorted()).toEqual(expected.toSorted());
      for (const sent of world.sent) expect(pages.indexOf(sent.page)).toBe(Number(sent.name[0]));
      expect(world.stored()).toEqual([]);
    }));
  it("that open while another is busy leave it what it has just queued", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const busy = await world.open();
      await busy.track("a");
      busy.isFrozen = true;
      await world.open();
      await world.clock.advance(2_000);
      busy.isFrozen = false;
      await world.clock.advance(MINUTE);
      expect(world.sent.map(({ name, page }) => [name, page === busy])).toEqual([["a", true]]);
    }));
  it("that open while another without keepalive waits leave it what it has queued", () =>
    inWorld(async (world) => {
      acceptAll(world);
      const first = await world.open({}, { canKeepAlive: false });
      await first.track("a");
      await world.open({}, { canKeepAlive: false });
      await world.clock.advance(MINUTE);
      expect(world.names()).toEqual(["a"]);
    }));
  it("deliver what a crashed one has queued, also while hidden, when timers come once a minute", () =>
    inWorld(async (world) => {
      const crashed = await world.open();
      await crashed.track("a");
      crashed.kill();
      acceptAll(world);
      const hidden = await world.open({}, { isHidden: true });
      for (let minute = 0; minute < 5; minute++) {
        hidden.isFrozen = true;
        await world.clock.advance(MINUTE);
        hidden.isFrozen = false;
        await world.clock.advance(1);
      }
      expect(world.names()).toEqual(["a"]);
    }));
  it.each(["open already", "opened later"])("deliver what a crashed one has queued: %s", (when) =>
    inWorld(async (world) => {
      const crashed = await world.open();
      if (when === "open already") await world.open();
      for (let index = 0; index < 30; index++) await crashed.track(`e${index}`);
      crashed.kill();
      acceptAll(world);
      if (when === "opened later") await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names()).toEqual(Array.from({ length: 30 }, (_, index) => `e${index}`));
      expect(world.stored()).toEqual([]);
    }),
  );
  it("deliver what a crashed one has queued once, however many they are", () =>
    inWorld(async (world) => {
      const crashed = await world.open();
      for (let index = 0; index < 30; index++) await crashed.track(`e${index}`);
      crashed.kill();
      await world.clock.advance(30_000);
      acceptAll(world);
      for (let page = 0; page < 8; page++) await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names().toSorted()).toEqual(Array.from({ length: 30 }, (_, index) => `e${index}`).toSorted());
    }));
  it("that take over at once what an exit has left wait for no lease", () =>
    inWorld(async (world) => {
      const page = await world.open();
      for (let index = 0; index < 40; index++) await page.track(`e${index}`);
      await page.leave();
      page.kill();
      acceptAll(world);
      await world.open();
      await world.clock.advance(2_000);
      expect(world.names().toSorted()).toEqual(Array.from({ length: 40 }, (_, index) => `e${index}`).toSorted());
    }));
  it("that was stopped for minutes sends nothing that another has taken over", () =>
    inWorld(async (world) => {
      const stopped = await world.open();
      const other = await world.open();
      for (let index = 0; index < 10; index++) await stopped.track(`e${index}`);
      stopped.isFrozen = true;
      acceptAll(world);
      await world.clock.advance(2 * MINUTE);
      expect(world.stored()).toEqual([]);
      stopped.isFrozen = false;
      await world.clock.advance(MINUTE);
      await stopped.track("new");
      await world.clock.advance(MINUTE);
      expect(world.names().length).toBe(11);
      expect(world.sent.filter(({ page }) => page === other).length).toBe(10);
    }));
});

describe("a clock that is set back while a request is in flight", () => {
  it.each([2, 1_000, 86_400_000])("by %i ms repeats nothing and loses nothing", (ms) =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await page.track("b");
      await world.clock.advance(0);
      world.clock.jump(-ms);
      await page.track("c");
      await world.clock.advance(2_000);
      acceptAll(world);
      for (const sent of world.openRequests()) await sent.answer(200);
      await world.clock.advance(MINUTE);
      expect(world.names().toSorted()).toEqual(["a", "b", "c"]);
      expect(world.stored()).toEqual([]);
    }),
  );
});

describe("leases and claims", () => {
  let fake: FakeArea;
  let store: Store;
  const random = dice(5);
  const createTab = (): Tabs => createTabs(createStore("t:", fake.area));
  const adoptedBy = (tab: Tabs): string[] => {
    const taken: string[] = [];
    tab.adopt(
      (from) => taken.push(from),
      () => {},
    );
    return taken;
  };
  const old = (): string => `${Date.now() - LEASE_MS}`;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
    vi.spyOn(Math, "random").mockImplementation(random);
    fake = createArea();
    store = createStore("t:", fake.area);
    return () => vi.restoreAllMocks().useRealTimers();
  });

  it("differ from tab to tab", () => {
    const ids = Array.from({ length: 100 }, () => createTab().id());
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[^:]+$/);
  });
  it("hold while they are renewed, a timer being late by seconds", () => {
    const [tab, other] = [createTab(), createTab()];
    tab.hold();
    store.set(`event:${tab.id()}:1000000:${Date.now()}:`, "{}");
    for (let turn = 0; turn < 20; turn++) {
      vi.advanceTimersByTime(RENEW_MS * 3);
      expect(tab.hold()).toBe(true);
      const taken = adoptedBy(other);
      vi.advanceTimersByTime(300);
      expect(taken).toEqual([]);
    }
  });
  it("are over after 20 s", () => {
    const [tab, other] = [createTab(), createTab()];
    tab.hold();
    store.set(`event:${tab.id()}:1000000:${Date.now()}:`, "{}");
    vi.advanceTimersByTime(LEASE_MS);
    expect(tab.hold()).toBe(false);
    const taken = adoptedBy(other);
    vi.advanceTimersByTime(300);
    expect(taken).toEqual([tab.id()]);
  });
  it("go to one of those who claim at the same time", () => {
    for (let round = 0; round < 50; round++) {
      store.set("tab:dead", old());
      store.set("event:dead:1000000:5:", "{}");
      const taken = [createTab(), createTab(), createTab()].map((tab) => {
        const list = adoptedBy(tab);
        vi.advanceTimersByTime(Math.floor(random() * 90));
        return list;
      });
      vi.advanceTimersByTime(300);
      expect(taken.flat()).toEqual(["dead"]);
      store.remove("tab:dead");
      store.remove("event:dead:1000000:5:");
    }
  });
  it("are let go by an owner who shows up while another one claims them", () => {
    const [tab, other] = [createTab(), createTab()];
    tab.hold();
    store.set(`event:${tab.id()}:1000000:${old()}:`, "{}");
    store.set(`tab:${tab.id()}`, old());
    const taken = adoptedBy(other);
    expect(tab.hold()).toBe(false);
    vi.advanceTimersByTime(300);
    expect(taken).toEqual([tab.id()]);
  });
  it.each(["", "x", "NaN", "-1", "{}", "9999999999999999", "Infinity", "someone"])(
    "with the value %j stall nothing",
    (value) => {
      store.set("tab:dead", value);
      store.set("event:dead:1000000:5:", "{}");
      const taken = adoptedBy(createTab());
      vi.advanceTimersByTime(300);
      expect(taken).toEqual(["dead"]);
    },
  );
  it("say when a look around is over: at once where nobody is dead", () => {
    const done = vi.fn();
    createTab().adopt(() => {}, done);
    vi.advanceTimersByTime(0);
    expect(done).toHaveBeenCalledTimes(1);
    store.set("event:dead:1000000:5:", "{}");
    createTab().adopt(() => {}, done);
    vi.advanceTimersByTime(299);
    expect(done).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(done).toHaveBeenCalledTimes(2);
  });
  it("tell the one who lost a claim that two saw held", () => {
    const [tab, other] = [createTab(), createTab()];
    store.set("event:dead:1000000:5:", "{}");
    adoptedBy(tab);
    vi.advanceTimersByTime(300);
    expect(tab.lost()).toEqual([]);
    // The other one's storage had not shown it our claim yet.
    store.set("tab:dead", other.id());
    expect(tab.lost()).toEqual(["dead"]);
    expect(tab.lost()).toEqual([]);
  });
  it("survive a page that empties the storage", () => {
    const tab = createTab();
    store.set("event:dead:1000000:5:", "{}");
    adoptedBy(tab);
    vi.advanceTimersByTime(300);
    empty(fake);
    expect([tab.lost(), tab.hold()]).toEqual([[], true]);
  });
  it("of adopted events last as long as the adopter's own", () => {
    const [adopter, other] = [createTab(), createTab()];
    store.set("event:dead:1000000:5:", "{}");
    adoptedBy(adopter);
    vi.advanceTimersByTime(300);
    adopter.hold();
    const early = adoptedBy(other);
    vi.advanceTimersByTime(LEASE_MS - 1);
    expect(early).toEqual([]);
    vi.advanceTimersByTime(1);
    const late = adoptedBy(other);
    vi.advanceTimersByTime(300);
    expect([late, adopter.lost()]).toEqual([["dead"], ["dead"]]);
  });
  it("are removed when what was adopted is done, and those of dead tabs without events", () => {
    const tab = createTab();
    store.set("event:dead:1000000:5:", "{}");
    store.set("tab:empty", old());
    adoptedBy(tab);
    vi.advanceTimersByTime(300);
    store.remove("event:dead:1000000:5:");
    tab.finish();
    expect(store.keys()).toEqual([]);
  });
  it.each(["tab", "event", "tab:", "event:", "tabby:x", "other:y:z"])("survive the key %j", (key) => {
    store.set(key, "garbage");
    adoptedBy(createTab());
    expect(() => vi.advanceTimersByTime(300)).not.toThrow();
  });
});
