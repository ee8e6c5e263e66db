/** When a page looks at its queue and the storage, and what it does not do for that. */
import { expect, it } from "vitest";
import { empty } from "../../../simulation/area.js";
import { dice, inWorld } from "../../../simulation/world.js";
import {
  acceptAll,
  anonymous,
  answerBy,
  flush,
  identify,
  leaveBehind,
  MINUTE,
  numbered,
  rowsOf,
  track,
  until,
} from "../../../support/verbs.js";

/** The longest waits, and names of pages that differ. */
const patient = () => {
  const random = dice(1);
  return () => 0.99 + random() / 1_000;
};

it("an event on a page where nothing waits costs 18 uses of the storage at most, and leaves no row", () =>
  inWorld(async (world) => {
    acceptAll(world);
    const page = await world.open();
    await world.clock.advance(MINUTE);
    const before = page.storageUses;
    await page.track("a");
    await world.clock.advance(MINUTE);
    expect([page.storageUses - before <= 18, Object.keys(world.storage.rows)]).toEqual([true, ["tracklet:identity"]]);
  }));

it("what a page tracks in an outage that another one has noticed gets a lease at once", () =>
  inWorld(async (world) => {
    const page = await world.open();
    await world.clock.advance(MINUTE);
    const now = world.clock.wall();
    world.storage.rows["tracklet:backoff"] = `${now},300000,9,,${now}`;
    await page.track("a");
    await world.clock.advance(100);
    expect([world.sent.length, rowsOf(world, "tab:").length]).toEqual([0, 1]);
  }));

it("an outage costs as few uses of the storage with a hundred events as with ten", async () => {
  const uses: number[] = [];
  for (const count of [10, 100])
    await inWorld(async (world) => {
      answerBy(world, () => 503, 60);
      const page = await world.open();
      await track(page, ...numbered(count));
      await world.clock.advance(MINUTE / 2);
      const before = page.storageUses;
      await world.clock.advance(3 * MINUTE);
      uses.push(page.storageUses - before);
    });
  expect(uses[1]! / uses[0]!).toBeLessThan(1.5);
});

it("several events wait for no more than one does, and another page's contact for none", () =>
  inWorld(async (world) => {
    const [page, other] = [await world.open(), await world.open()];
    await page.track("first");
    const waits = page.waits();
    await track(page, ...numbered(3));
    expect(page.waits()).toBe(waits);
    acceptAll(world);
    await world.clock.advance(MINUTE);
    await identify(other, "bob");
    await world.clock.advance(100);
    expect(page.waits()).toBe(0);
  }));

it("a page that is done leaves another one's claim alone", () =>
  inWorld(async (world) => {
    leaveBehind(world, ["bad"]);
    answerBy(world, ({ name }) => (name === "bad" ? 500 : 200));
    await world.open();
    await world.clock.advance(2_000);
    const other = await world.open();
    const claim = rowsOf(world, "adopter").map((key) => world.storage.rows[key]);
    await track(other, ...numbered(9));
    await world.clock.advance(10_000);
    expect([world.stored(), rowsOf(world, "adopter").map((key) => world.storage.rows[key])]).toEqual([["bad"], claim]);
  }));

it("a lease is held for many events, and for what cannot be sent at once", async () => {
  const held: string[] = [];
  for (const [what, config, count, status] of [
    ["eight", {}, 8, 200],
    ["nine", {}, 9, 200],
    ["an outage", {}, 1, 503],
    ["nobody named", anonymous, 1, 200],
  ] as const)
    await inWorld(async (world) => {
      const page = await world.open(config);
      await track(page, ...numbered(count));
      await world.clock.advance(20);
      for (const sent of world.openRequests()) await sent.answer(status);
      if (rowsOf(world, "tab").length) held.push(what);
    });
  expect(held).toEqual(["nine", "an outage", "nobody named"]);
});

it("a page that stays stores again what it has emptied out of the storage, with its back-off", () =>
  inWorld(async (world) => {
    answerBy(world, () => 503);
    const page = await world.open();
    await track(page, ...numbered(5));
    await world.clock.advance(10 * MINUTE);
    const backoff = world.storage.rows["tracklet:backoff"];
    empty(world.storage);
    await page.track("e6");
    await world.clock.advance(50);
    expect([world.stored(), world.storage.rows["tracklet:backoff"]]).toEqual([numbered(6), backoff]);
    expect([rowsOf(world, "tab").length, rowsOf(world, "identity").length]).toEqual([1, 1]);
  }));

it("a page sends at once when another one has found the service well", () =>
  inWorld(async (world) => {
    answerBy(world, () => 503);
    const [page, other] = [await world.open(), await world.open()];
    await page.track("a");
    await other.track("b");
    await world.clock.advance(5 * MINUTE);
    acceptAll(world);
    await until(world, () => world.stored().length < 2, 100);
    await world.clock.advance(50);
    expect(world.stored()).toEqual([]);
  }, patient()));

it("an exit wakes a page on which nothing waits at once, events of others only at the end of their lease", () =>
  inWorld(async (world) => {
    const idle = await world.open();
    const page = await world.open();
    await world.clock.advance(MINUTE);
    const before = idle.storageUses;
    acceptAll(world);
    for (const name of numbered(20)) {
      await page.track(name);
      await world.clock.advance(100);
    }
    expect([idle.storageUses, idle.waits()]).toEqual([before, 1]);
    answerBy(world, () => 503);
    await page.track("last");
    await world.clock.advance(100);
    const { length } = world.sent;
    await page.leave();
    page.kill();
    acceptAll(world);
    await world.clock.advance(10_000);
    expect([world.sent.slice(length).map((sent) => [sent.name, sent.page === idle]), world.stored()]).toEqual([
      [["last", true]],
      [],
    ]);
  }));

it("a page that waits for another one's lease looks again at its end, and seldom before", () =>
  inWorld(async (world) => {
    const other = await world.open();
    await other.track("a");
    other.kill();
    const page = await world.open();
    const before = page.storageUses;
    await world.clock.advance(19_000);
    expect([page.storageUses - before < 30, page.waits()]).toEqual([true, 1]);
    acceptAll(world);
    await world.clock.advance(2_000);
    expect(world.names()).toEqual(["a"]);
  }));

it("an event that waits for its contact is left to who has adopted it meanwhile", () =>
  inWorld(async (world) => {
    const page = await world.open(anonymous);
    await page.track("a");
    await world.clock.advance(1_000);
    page.isFrozen = true;
    await world.clock.advance(30_000);
    const other = await world.open();
    await world.clock.advance(2_000);
    page.isFrozen = false;
    await identify(page, "ann");
    await world.clock.advance(2_000);
    expect(world.sent.map((sent) => [sent.name, sent.page === other])).toEqual([["a", true]]);
  }));

it("a page that is gone neither asks a service that is down nor takes over anything", () =>
  inWorld(async (world) => {
    const crashed = await world.open();
    await crashed.track("a");
    crashed.kill();
    answerBy(world, () => 503);
    const page = await world.open();
    await page.track("b");
    await world.clock.advance(1_000);
    await page.leave();
    await world.clock.advance(10 * MINUTE);
    const { length } = world.sent;
    await page.track("late");
    expect([world.sent.length - length, rowsOf(world, "adopter")]).toEqual([0, []]);
  }));

it("a claim holds for its time, whatever hurries, and comes before other attempts in an outage", () =>
  inWorld(
    async (world) => {
      const now = world.clock.wall();
      leaveBehind(world, ["a"]);
      world.storage.rows["tracklet:backoff"] = `${now - MINUTE},1000,3,,${now - MINUTE}`;
      acceptAll(world);
      const page = await world.open();
      await page.track("own");
      await flush(world, page, 400);
      expect(world.names()).toEqual([]);
      await world.clock.advance(200);
      expect(world.names().toSorted()).toEqual(["a", "own"]);
    },
    () => 0.9,
  ));

it("a claim is respected by who comes a moment later", () =>
  inWorld(async (world) => {
    leaveBehind(world, ["a"]);
    const first = await world.open();
    await world.clock.advance(50);
    await world.open();
    await world.clock.advance(2_000);
    expect(world.sent.map(({ name, page }) => [name, page === first])).toEqual([["a", true]]);
  }));

it("a frame that never comes delays an event by 100 ms at most", () =>
  inWorld(async (world) => {
    const page = await world.open({}, { isCovered: true });
    await page.track("a");
    await world.clock.advance(100);
    expect(world.names()).toEqual(["a"]);
  }));

it("a service that is down is asked within 9 s of a page's coming back from the cache", () =>
  inWorld(async (world) => {
    answerBy(world, () => 503);
    const page = await world.open();
    await page.track("a");
    await world.clock.advance(30 * MINUTE);
    const failed = world.sent.length;
    await until(world, () => world.sent.length > failed && !world.openRequests().length, 100);
    await page.freeze();
    await page.restore();
    const { length } = world.sent;
    await world.clock.advance(9_000);
    expect(world.sent.length).toBe(length + 1);
  }, patient()));
