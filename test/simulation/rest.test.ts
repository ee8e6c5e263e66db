/** When requests begin, and what a page does on which nothing waits (design §3.3, §3.6). */
import { describe, expect, it } from "vitest";
import type { Journal } from "./journal.js";
import { inScenario, trackMany } from "./scenario.js";
import type { Page, World } from "./world.js";

const SECOND = 1_000;

const expectRest = async ({ clock }: World, pages: Page[]): Promise<void> => {
  const before = pages.map(({ storageUses }) => storageUses);
  await clock.advance(60 * SECOND);
  const uses = pages.map(({ storageUses }, index) => storageUses - before[index]!);
  expect({ uses, waits: pages.map((page) => page.waits()) }).toEqual({
    uses: pages.map(() => 0),
    waits: pages.map(() => 0),
  });
};

describe("a page on which nothing waits has no timer and does not touch the storage", () => {
  it.each<[string, object]>([
    ["of a visitor who is known", {}],
    ["of a visitor whom nobody has named", { contactUid: undefined }],
    ["of a visitor who has not agreed yet", { consent: "pending" }],
    ["of a visitor who has refused", { consent: "denied" }],
  ])("%s", (_, config) =>
    inScenario(async (journal) => {
      const pages = [await journal.open(config), await journal.open(config)];
      await trackMany(journal, pages[0]!, { count: 5 });
      await journal.world.clock.advance(60 * SECOND);
      await expectRest(journal.world, pages);
    }),
  );
  it("where an earlier one was left, and another one has crashed", () =>
    inScenario(async (journal) => {
      for (const how of ["left", "crashed"]) {
        const page = await journal.open();
        await trackMany(journal, page, { count: 5 });
        if (how === "left") await journal.leave(page, {});
        else journal.crash(page);
      }
      const pages = [await journal.open(), await journal.open()];
      await journal.world.clock.advance(60 * SECOND);
      await expectRest(journal.world, pages);
    }));
});

describe("a request begins", () => {
  it("after the next frame of a page that is seen", () =>
    inScenario(async (journal) => {
      const page = await journal.open();
      await journal.world.clock.advance(1_003);
      await trackMany(journal, page, { count: 5 });
      const frame = new Promise<number>((resolve) => {
        (page.window.requestAnimationFrame as typeof requestAnimationFrame)(() => resolve(journal.world.sent.length));
      });
      await journal.world.clock.advance(32);
      expect([await frame, journal.world.sent.length > 0]).toEqual([0, true]);
    }));
  it("at the end of the task on a hidden one, once for all that the task has tracked", () =>
    inScenario(async (journal) => {
      const page = await journal.open({}, { isHidden: true });
      await journal.world.clock.advance(SECOND);
      const before = page.storageUses;
      journal.world.onRequest = () => {};
      await page.run(() => {
        for (let count = 0; count < 100; count++) page.tracker.track("a");
      });
      // No time has passed.
      expect(journal.world.sent.length).toBeGreaterThan(0);
      expect(page.storageUses - before).toBeLessThan(400);
    }));
  it("within 100 ms where frames never come", () =>
    inScenario(async (journal) => {
      const page = await journal.open({}, { isCovered: true });
      await journal.world.clock.advance(1_003);
      await journal.track(page);
      await journal.world.clock.advance(100);
      expect(journal.world.sent.length).toBe(1);
    }));
});

describe("requests", () => {
  it("go oldest first: one, until the service has answered, then four at a time", () =>
    inScenario(async (journal) => {
      const { open, trackMany, pass, world } = journal;
      const page = await open();
      const entries = await trackMany(page, 50);
      const counts: number[] = [];
      const { onRequest } = world;
      world.onRequest = (sent) => {
        counts.push(world.openRequests().length);
        onRequest(sent);
      };
      await pass(60);
      expect(world.names()).toEqual(entries.map(({ name }) => name));
      expect([counts[0], counts[1], Math.max(...counts)]).toEqual([1, 1, 4]);
      expect(world.stored()).toEqual([]);
    }));
  it("have keepalive, but for what does not fit into its budget alone; what does waits for room", () =>
    inScenario(async ({ open, pass, world, service }) => {
      const page = await open();
      await pass(5);
      service.onBegin = service.onStore = world.onEnd = () => {};
      await page.track("warm up");
      await pass(1);
      service.latency = () => 1_000;
      const text = (size: number) => ({ text: "日".repeat(size) });
      for (const [name, size] of [
        ["a", 13_000],
        ["b", 13_000],
        ["huge", 30_000],
        ["small", 1],
      ] as const)
        await page.track(name, text(size));
      await pass(0.3);
      const sent = () => world.sent.slice(1).map(({ name, keepalive }) => `${name} ${keepalive}`);
      expect(sent()).toEqual(["a true", "huge false", "small true"]);
      await pass(2);
      expect(sent()[3]).toBe("b true");
    }));
});

describe("flush", () => {
  const flush = async (journal: Journal, page: Page, timeoutMs = 5_000): Promise<unknown> => {
    let result: unknown;
    await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
    await journal.world.clock.advance(timeoutMs);
    return result;
  };
  it("delivers what waits and counts it", () =>
    inScenario(async (journal) => {
      const page = await journal.open();
      await journal.trackMany(page, 20);
      expect(await flush(journal, page)).toEqual({ delivered: 20, queued: 0, dropped: 0 });
      expect(await flush(journal, page)).toEqual({ delivered: 0, queued: 0, dropped: 0 });
    }));
  it("takes over what a page before has left", () =>
    inScenario(async (journal) => {
      const before = await journal.open({ stamp: true });
      await journal.trackMany(before, 3);
      await journal.leave(before, {});
      await journal.pass(10);
      expect(await flush(journal, await journal.open())).toMatchObject({ delivered: 3, queued: 0 });
    }));
  it("resolves early while the service asks for rest, and within its time although nobody answers", async () => {
    for (const [weather, timeoutMs, takes] of [
      ["busy", 5_000, 400],
      ["silent", 300, 301],
    ] as const)
      await inScenario(async (journal) => {
        journal.service.weather = weather;
        journal.service.retryAfterS = 600;
        const page = await journal.open();
        await journal.track(page);
        await journal.pass(0.1);
        let result: unknown;
        await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
        await journal.world.clock.advance(takes);
        expect(result).toEqual({ delivered: 0, queued: 1, dropped: 0 });
      });
  });
});

it("rows of other scripts wake no page", () =>
  inScenario(async ({ open, pass }) => {
    const [page, other] = [await open(), await open()];
    await pass(60);
    const before = page.storageUses;
    for (const key of ["cart:event:1", "cart:tab:1", "tracklet2:consent", "cart"]) other.window.localStorage[key] = "1";
    await pass(1);
    expect([page.waits(), page.storageUses]).toEqual([0, before]);
  }));

it("an outage costs as few uses of the storage with a hundred events as with ten, in two tabs, and no timer but the back-off's", async () => {
  const uses: number[] = [];
  for (const count of [10, 100])
    await inScenario(async ({ open, trackMany, pass, service }) => {
      service.weather = "busy";
      service.retryAfterS = 300;
      const pages = [await open(), await open()];
      for (const page of pages) await trackMany(page, count);
      await pass(60);
      const used = (): number => pages.reduce((sum, { storageUses }) => sum + storageUses, 0);
      const before = used();
      await pass(180);
      expect(used()).toBe(before);
      expect(pages.map((page) => page.waits() <= 1)).toEqual([true, true]);
      await pass(600);
      uses.push(used() - before);
    });
  expect(uses[1]! / uses[0]!).toBeLessThan(1.5);
});
