/** What becomes of events that the service does not take: alone, as all others, or for a while. */
import { describe, expect, it } from "vitest";
import { inWorld, type Sent, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, inWorlds, MINUTE, numbered, track } from "../../../support/verbs.js";

it("an event that fails while others pass is tried within seconds at first, then ever more rarely", () =>
  inWorld(async (world) => {
    const page = await world.open();
    answerBy(world, ({ name }) => (name === "bad" ? 500 : 200));
    await page.track("bad");
    for (const name of numbered(700)) {
      await page.track(name);
      await world.clock.advance(1_000);
    }
    const times = world.sent.filter(({ name }) => name === "bad").map(({ beganAt }) => beganAt);
    const gaps = times.slice(1).map((time, index) => time - times[index]!);
    expect(Math.max(...gaps.slice(0, 8))).toBeLessThan(5_000);
    expect(Math.max(...gaps)).toBeGreaterThan(60_000);
    expect(Math.max(...gaps)).toBeLessThan(310_000);
    expect(gaps.length).toBeLessThan(30);
  }));

describe("an event that the service refuses", () => {
  const poisonous = ({ name }: Sent): boolean => name.startsWith("bad");
  const harmless = ({ sent }: World): string[] =>
    sent
      .filter((one) => !poisonous(one))
      .map(({ name }) => name)
      .sort();
  it.each([
    ["first", ["bad", ...numbered(9)]],
    ["in the middle", [...numbered(5), "bad", ...numbered(4, 6)]],
    ["last", [...numbered(9), "bad"]],
  ])("%s is dropped and reported, and the others arrive", (_, names) =>
    inWorlds([400, 413, 422], async (world, status) => {
      const page = await world.open();
      answerBy(world, (sent) => (poisonous(sent) ? status : 200));
      await track(page, ...names);
      await world.clock.advance(MINUTE);
      // The last one is known for what it is once another event is accepted.
      await track(page, "e10");
      await world.clock.advance(10 * MINUTE);
      expect(harmless(world)).toEqual(numbered(10).toSorted());
      const dropped = page.problems.filter(({ event }) => event);
      expect(dropped).toMatchObject([{ code: "rejected", event: { event_uid: "bad" } }]);
      expect(world.stored()).toEqual([]);
    }),
  );
  it("is kept as long as nothing is accepted, for the token may be wrong", () =>
    inWorlds([400, 413, 422], async (world, status) => {
      const page = await world.open();
      answerBy(world, () => status);
      await track(page, ...numbered(20));
      await world.clock.advance(120 * MINUTE);
      expect(world.stored().toSorted()).toEqual(numbered(20).toSorted());
      expect(page.problems.filter(({ event }) => event)).toEqual([]);
      expect(page.problems.length).toBe(1);
      expect(world.sent.length).toBeLessThan(80);
      acceptAll(world);
      await world.clock.advance(10 * MINUTE);
      expect(world.stored()).toEqual([]);
    }));
  it("is one of several: all of them go, nothing else does", () =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, (sent) => (poisonous(sent) ? 400 : 200));
      await track(page, "bad1", "e1", "bad2", "bad3", "e2", "e3");
      await world.clock.advance(10 * MINUTE);
      await track(page, "e4");
      await world.clock.advance(30 * MINUTE);
      expect(world.stored()).toEqual([]);
      expect(page.problems.flatMap(({ event }) => event?.event_uid ?? []).toSorted()).toEqual(["bad1", "bad2", "bad3"]);
      expect(harmless(world)).toEqual(numbered(4));
    }));
});

it("a wrong configuration keeps every event, is said once, asked rarely, and loses nothing once it is right", () =>
  inWorlds([301, 302, 401, 403, 404, 405, 410, 415], async (world, status) => {
    const page = await world.open();
    answerBy(world, () => status);
    await track(page, ...numbered(12));
    await world.clock.advance(60 * MINUTE);
    expect(page.problems.length).toBe(1);
    expect(page.problems[0]!.detail).toContain(`${status}`);
    expect(world.sent.length).toBeLessThan(40);
    expect(world.stored().toSorted()).toEqual(numbered(12).toSorted());
    acceptAll(world);
    const before = world.sent.length;
    await world.clock.advance(6 * MINUTE);
    expect(world.names().slice(before).toSorted()).toEqual(numbered(12).toSorted());
    expect(world.stored()).toEqual([]);
  }));
