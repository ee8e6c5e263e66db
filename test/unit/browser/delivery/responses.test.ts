/** What becomes of events that the service does not take: alone, as all others, or for a while. */
import { describe, expect, it } from "vitest";
import { inWorld, type Sent, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, inWorlds, MINUTE, numbered, track, until } from "../../../support/verbs.js";

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
    // Alone at last, it holds nobody back.
    const before = world.sent.length;
    await until(world, () => world.sent.length > before, 1_000);
    expect(world.storage.rows["tracklet:backoff"]).toBeUndefined();
  }));

it("what speaks of the service holds the other events back, what may speak of the event does not", async () => {
  const held: string[] = [];
  for (const [status, retryAfter] of [[0], [400], [500], [500, 5], [404], [408], [425], [429]] as [number, number?][])
    await inWorld(
      async (world) => {
        const page = await world.open();
        answerBy(world, ({ name }) => (name === "bad" ? status : 200), retryAfter);
        await page.track("bad");
        for (const [index, next] of ["first", "second"].entries()) {
          await until(world, () => world.names().filter((name) => name === "bad").length > index, 100);
          await world.clock.advance(100);
          await page.track(next);
          await world.clock.advance(500);
          if (!world.names().includes(next)) held.push([status, retryAfter, next].join(" ").replace("  ", " "));
        }
      },
      () => 1,
    );
  // A wrong configuration is none once another event was accepted.
  const both = ["500 5", "408", "425", "429"].flatMap((answer) => [`${answer} first`, `${answer} second`]);
  expect(held.toSorted()).toEqual([...both, "404 first"].toSorted());
});

it("a failure of what another tab has sent meanwhile counts, and brings nothing back", () =>
  inWorld(async (world) => {
    const page = await world.open();
    // So many that the tab holds a lease: the storage was not emptied.
    await track(page, ...numbered(9));
    await world.clock.advance(20);
    delete world.storage.rows[Object.keys(world.storage.rows).find((key) => key.includes(":1000000:"))!];
    await world.sent[0]!.answer(503);
    expect(world.storage.rows["tracklet:backoff"]).toBeDefined();
    acceptAll(world);
    await world.clock.advance(MINUTE);
    expect([world.names().filter((name) => name === "e1"), world.stored()]).toEqual([["e1"], []]);
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
      expect(dropped).toMatchObject([{ code: "rejected", detail: `status ${status}`, event: { event_uid: "bad" } }]);
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
  it.each([
    [3, 3],
    [20, 8],
  ])("is one of %i that all are: the service may rest once %i of them were refused", (count, refused) =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, () => 400);
      await track(page, ...numbered(count));
      await until(world, () => page.problems.length, 100);
      expect([page.problems[0]!.code, world.names()]).toEqual(["paused", numbered(refused)]);
    }),
  );
  it("counts once, however often that happens", () =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, (sent) => (poisonous(sent) ? 400 : 503));
      await track(page, "bad", "e1", "e2");
      await world.clock.advance(30 * MINUTE);
      expect([world.sent.filter(poisonous).length > 3, page.problems]).toEqual([true, []]);
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

it("a configuration that is wrong again is said again", () =>
  inWorld(async (world) => {
    const page = await world.open();
    for (const [name, status] of [
      ["a", 401],
      ["b", 200],
      ["c", 401],
    ] as const) {
      answerBy(world, () => status);
      await page.track(name);
      await world.clock.advance(6 * MINUTE);
    }
    expect(page.problems.map(({ code }) => code)).toEqual(["paused", "paused"]);
  }));

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

it("all events refused after the clock was set back are a wrong configuration, and kept", () =>
  inWorld(async (world) => {
    const page = await world.open();
    acceptAll(world);
    await page.track("before");
    await world.clock.advance(1_000);
    world.clock.jump(-10_000);
    answerBy(world, () => 400);
    await track(page, "one", "two", "three");
    for (const name of numbered(10)) {
      await world.clock.advance(2 * MINUTE);
      await page.track(name);
    }
    expect(page.problems.map(({ code }) => code)).toEqual(["paused"]);
    acceptAll(world);
    await world.clock.advance(15 * MINUTE);
    expect(new Set(world.names())).toEqual(new Set(["before", "one", "two", "three", ...numbered(10)]));
    expect(page.problems.map(({ code }) => code)).toEqual(["paused"]);
  }));
