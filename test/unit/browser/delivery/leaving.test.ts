/** What is sent while a page is left, what the next page makes of the rest, and how a page comes back. */
import { describe, expect, it } from "vitest";
import { empty } from "../../../simulation/area.js";
import { inWorld, type Page, type Sent, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, MINUTE, numbered, track, trackAndLeave } from "../../../support/verbs.js";

const timesSent = (world: World, name: string): number => world.names().filter((one) => one === name).length;
const sizeOf = (sent: Sent[]): number => sent.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

describe("a page that is left", () => {
  it("begins what it tracked last when it is hidden, and what comes later at once", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("before");
      await page.hide();
      expect(world.names()).toEqual(["before"]);
      await page.track("hidden");
      expect(world.names()).toEqual(["before", "hidden"]);
      await page.leave();
      await page.track("after pagehide");
      expect(world.names()).toEqual(["before", "hidden", "after pagehide"]);
      expect(world.sent.every(({ keepalive }) => keepalive)).toBe(true);
    }));
  it.each([true, false])("stores again what it has emptied out of the storage (keepalive: %s)", (canKeepAlive) =>
    inWorld(async (world) => {
      answerBy(world, () => 503);
      const page = await world.open({}, { canKeepAlive });
      await track(page, ...numbered(40));
      await world.clock.advance(MINUTE);
      empty(world.storage);
      acceptAll(world);
      const before = world.sent.length;
      await page.navigateAway();
      page.kill();
      expect(world.stored()).toEqual(numbered(40));
      await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names().slice(before).toSorted()).toEqual(numbered(40).toSorted());
      expect(world.stored()).toEqual([]);
    }),
  );
  it("stores again what was handed off as what it was", () =>
    inWorld(async (world) => {
      acceptAll(world);
      await trackAndLeave(await world.open(), "a");
      const second = await world.open();
      await world.clock.advance(1_000);
      empty(world.storage);
      await trackAndLeave(second);
      const third = await world.open();
      await world.clock.advance(MINUTE);
      await third.track("b");
      await world.clock.advance(MINUTE);
      expect([world.names(), world.stored()]).toEqual([["a", "b"], []]);
    }));
  it.each([200, 503])("that stood still leaves alone what another one has sent meanwhile (service: %i)", (status) =>
    inWorld(async (world) => {
      answerBy(world, () => 503);
      const [still, other] = [await world.open(), await world.open()];
      await track(still, ...numbered(2));
      await world.clock.advance(2_000);
      await still.hide();
      still.isFrozen = true;
      await world.clock.advance(MINUTE);
      acceptAll(world);
      await world.clock.advance(10 * MINUTE);
      expect(world.stored()).toEqual([]);
      const before = world.sent.length;
      answerBy(world, () => status);
      await other.track("other");
      await world.clock.advance(50);
      still.isFrozen = false;
      await trackAndLeave(still);
      acceptAll(world);
      await world.clock.advance(10 * MINUTE);
      expect(new Set(world.names().slice(before))).toEqual(new Set(["other"]));
    }),
  );
  it.each([true, false])("has at most 32 requests and 60 KiB in flight, oldest first (keepalive: %s)", (canKeepAlive) =>
    inWorld(async (world) => {
      const page = await world.open({}, { canKeepAlive });
      await track(page, ...numbered(100));
      await page.leave();
      expect(world.names()).toEqual(numbered(32));
      const second = await world.open({ name: "other" }, { canKeepAlive });
      for (const name of numbered(20)) await second.track(name, { text: "日".repeat(2_000) });
      const before = world.sent.length;
      await second.leave();
      const sent = world.sent.slice(before);
      expect(sizeOf(sent)).toBeLessThanOrEqual(61_440);
      expect(sent.map(({ name }) => name)).toEqual(numbered(sent.length));
      expect(sent.length).toBeGreaterThan(8);
    }),
  );
  it("sends nothing while a back-off is in force", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await world.clock.advance(20);
      await world.sent[0]!.answer(503, 60);
      await page.track("b");
      await page.leave();
      await page.track("c");
      expect(world.sent.length).toBe(1);
      expect(world.stored()).toEqual(["a", "b", "c"]);
    }));
  it("acts on nothing but acceptance", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await page.track("b");
      await page.leave();
      await world.sent[0]!.fail();
      await world.clock.advance(100);
      expect(world.sent.length).toBe(2);
      expect(world.storage.rows["tracklet:backoff"]).toBeUndefined();
      await world.sent[1]!.answer(200);
      expect(world.stored()).toEqual(["a"]);
      await page.track("c");
      expect(world.names()).toEqual(["a", "b", "a", "c"]);
    }));
  it("takes what the browser has broken off just before for no failure", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await world.clock.advance(20);
      await world.sent[0]!.fail();
      await page.leave();
      await world.clock.advance(100);
      expect(world.storage.rows["tracklet:backoff"]).toBeUndefined();
    }));
  it("leaves the way to the next page, also when an answer comes late", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, ...numbered(60));
      await page.leave();
      await world.clock.advance(5);
      await world.sent[0]!.answer(200);
      page.kill();
      acceptAll(world);
      await world.open();
      await world.clock.advance(5_000);
      for (const name of numbered(60)) expect([name, timesSent(world, name)]).toEqual([name, 1]);
      expect(world.stored()).toEqual([]);
    }));
});

it("a page that is gone begins nothing when another page finds the service well again", () =>
  inWorld(async (world) => {
    const [page, other] = [await world.open(), await world.open()];
    answerBy(world, () => 503);
    await page.track("a");
    await world.clock.advance(100);
    await page.leave();
    const before = world.sent.length;
    acceptAll(world);
    await page.online();
    await other.track("b");
    await world.clock.advance(9_500);
    expect(world.sent.slice(before).filter((sent) => sent.page === page)).toEqual([]);
    page.kill();
    await world.clock.advance(MINUTE);
    expect(world.stored()).toEqual([]);
  }));

describe("what was in flight at a clean exit", () => {
  /** The page that has taken over what was left. */
  const afterExit = async (world: World): Promise<Page> => {
    await trackAndLeave(await world.open(), "a");
    const next = await world.open();
    await world.clock.advance(1_000);
    return next;
  };
  it("counts as stored once a later request is accepted", () =>
    inWorld(async (world) => {
      const next = await afterExit(world);
      acceptAll(world);
      await next.track("b");
      await world.clock.advance(1_000);
      expect([world.names(), world.stored()]).toEqual([["a", "b"], []]);
    }));
  it("is sent again when two other events fail", async () => {
    const wrong: string[] = [];
    for (const status of [0, 503, 401, 404, 302])
      await inWorld(async (world) => {
        const next = await afterExit(world);
        answerBy(world, () => status);
        await next.track("b");
        await next.track("c");
        await world.clock.advance(40);
        acceptAll(world);
        // A service that refuses everything is asked again after five minutes.
        await world.clock.advance(7 * MINUTE);
        if (timesSent(world, "a") !== 2 || world.stored().length) wrong.push(`status ${status}`);
      });
    expect(wrong).toEqual([]);
  });
  it("is not sent again when one other event fails, which may be its own fault", () =>
    inWorld(async (world) => {
      const next = await afterExit(world);
      answerBy(world, ({ name }) => (name === "b" ? 500 : 200));
      await next.track("b");
      await world.clock.advance(MINUTE);
      expect([timesSent(world, "a"), world.stored()]).toEqual([1, ["b"]]);
    }));
  it("is not dropped by an answer to a request begun before the adoption", () =>
    inWorld(async (world) => {
      const [page, next] = [await world.open(), await world.open()];
      await page.track("a");
      await next.track("slow");
      await world.clock.advance(20);
      await trackAndLeave(page);
      await next.run(() => void next.tracker.flush());
      await world.clock.advance(1_000);
      await world.sent.find(({ name }) => name === "slow")!.answer(200);
      await next.online();
      expect(world.stored()).toEqual(["a"]);
    }));
  it.each<[string, (world: World) => unknown, object]>([
    ["it is offline", (world) => (world.isOnline = false), {}],
    ["events are stamped", () => {}, { stamp: true }],
  ])("is sent again where %s", (_, change, config) =>
    inWorld(async (world) => {
      const page = await world.open(config);
      await page.track("a");
      change(world);
      await trackAndLeave(page);
      world.isOnline = true;
      acceptAll(world);
      await world.open(config);
      await world.clock.advance(1_000);
      expect([timesSent(world, "a"), world.stored()]).toEqual([2, []]);
    }),
  );
  it("is sent again after a crash, when no exit was seen", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await world.clock.advance(20);
      page.kill();
      acceptAll(world);
      await world.open();
      await world.clock.advance(MINUTE);
      expect([timesSent(world, "a"), world.stored()]).toEqual([2, []]);
    }));
});

describe("where keepalive does not exist", () => {
  const traits = { canKeepAlive: false };
  it.each([
    ["ends in a beacon, once", true],
    ["leaves its event to the next page where the browser refuses the beacon", false],
  ])("a click that leaves the page %s", (_, takesBeacons) =>
    inWorld(async (world) => {
      world.takesBeacons = takesBeacons;
      await trackAndLeave(await world.open({}, traits), "a");
      expect(world.sent.map(({ isBeacon }) => isBeacon)).toEqual(takesBeacons ? [true] : []);
      acceptAll(world);
      await world.open({}, traits);
      await world.clock.advance(MINUTE);
      expect([world.names(), world.stored()]).toEqual([["a"], []]);
    }),
  );
  it("an event of a page that stays is sent by a plain request within seconds", () =>
    inWorld(async (world) => {
      const page = await world.open({}, traits);
      acceptAll(world);
      await page.track("a");
      await world.clock.advance(2_000);
      expect([world.sent.map(({ name, isBeacon }) => [name, isBeacon]), world.stored()]).toEqual([[["a", false]], []]);
    }));
});
