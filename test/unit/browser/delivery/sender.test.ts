/** How events leave: the whole tracker in pages of a fake browser, answered by hand or by a rule. */
import { describe, expect, it } from "vitest";
import { inWorld, type Sent, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, MINUTE, numbered, track } from "../../../support/verbs.js";

/** How often each event was accepted. */
const acceptances = (world: World, accepts: (sent: Sent) => boolean = () => true): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const sent of world.sent) if (accepts(sent)) counts[sent.name] = (counts[sent.name] ?? 0) + 1;
  return counts;
};
const onceEach = (names: string[]): Record<string, number> => Object.fromEntries(names.map((name) => [name, 1]));

describe("a healthy service", () => {
  it("is sent each event after the next frame, and has it when it leaves the storage", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, "a", "b");
      expect(world.names()).toEqual([]);
      expect(world.stored()).toEqual(["a", "b"]);
      await world.clock.advance(20);
      expect(world.names()).toEqual(["a", "b"]);
      await world.sent[0]!.answer(200);
      expect(world.stored()).toEqual(["b"]);
      await world.sent[1]!.answer(204);
      expect(world.stored()).toEqual([]);
      expect(page.problems).toEqual([]);
    }));
  it("is sent a back-log oldest first, a few requests at a time", () =>
    inWorld(async (world) => {
      const page = await world.open();
      let most = 0;
      answerBy(world, () => {
        most = Math.max(most, world.openRequests().length);
        return 200;
      });
      await track(page, ...numbered(50));
      await world.clock.advance(MINUTE);
      expect(world.names()).toEqual(numbered(50));
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThanOrEqual(6);
      expect(world.stored()).toEqual([]);
    }));
  it("is asked with keepalive, but not for what does not fit into its budget", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("small");
      await page.track("large", { text: "x".repeat(100_000) });
      await world.clock.advance(20);
      expect(world.sent.map(({ name, keepalive }) => [name, keepalive])).toEqual([
        ["small", true],
        ["large", false],
      ]);
    }));
  it("waits for room where it would fit into the budget alone, and does not go without keepalive", () =>
    inWorld(async (world) => {
      const page = await world.open();
      for (const name of ["first", "second"]) await page.track(name, { text: "x".repeat(40_000) });
      await page.track("small");
      await world.clock.advance(20);
      expect(world.sent.map(({ name, keepalive }) => [name, keepalive])).toEqual([
        ["first", true],
        ["small", true],
      ]);
      await page.run(() => world.sent[0]!.answer(200));
      await world.clock.advance(10);
      expect(world.sent.slice(2).map(({ name, keepalive }) => [name, keepalive])).toEqual([["second", true]]);
    }));
  it("has no more than 60 KiB in flight with keepalive, counted in UTF-8", () =>
    inWorld(async (world) => {
      const page = await world.open();
      for (const name of numbered(4)) await page.track(name, { text: "日".repeat(10_000) });
      await world.clock.advance(20);
      const bytes = world.openRequests().map(({ body, keepalive }) => (keepalive ? Buffer.byteLength(body) : 0));
      expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(61_440);
      acceptAll(world);
      for (const sent of world.openRequests()) await sent.answer(200);
      await world.clock.advance(MINUTE);
      expect(acceptances(world)).toEqual(onceEach(numbered(4)));
    }));
});

/** Runs the test once for each status, and tells those that fail. */
const forEach = async (statuses: number[], test: (world: World, status: number) => Promise<void>): Promise<void> => {
  for (const status of statuses)
    await inWorld((world) => test(world, status)).catch((cause) => {
      throw new Error(`status ${status}: ${(cause as Error).message}`, { cause });
    });
};

it("an outage keeps the events, sends one that has not failed, and then the others", () =>
  forEach([0, 408, 425, 429, 500, 502, 503, 504], async (world, status) => {
    const page = await world.open();
    answerBy(world, () => status);
    await track(page, ...numbered(6));
    await world.clock.advance(40);
    const tried = world.sent.length;
    expect(tried).toBeLessThanOrEqual(5);
    expect(world.stored()).toEqual(numbered(6));
    acceptAll(world);
    await world.clock.advance(5 * MINUTE);
    expect(world.names().slice(0, 5)).toEqual(numbered(5));
    expect(world.names().slice(tried).toSorted()).toEqual(numbered(6));
    expect(world.stored()).toEqual([]);
    expect(page.problems).toEqual([]);
  }));

describe("a service that is down", () => {
  it("is asked less and less often, with one event at a time", () =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, () => 503);
      await track(page, ...numbered(10));
      await world.clock.advance(10 * MINUTE);
      const afterTen = world.sent.length;
      expect(afterTen).toBeLessThan(20);
      await world.clock.advance(50 * MINUTE);
      expect(world.sent.length - afterTen).toBeLessThanOrEqual(25);
      expect(world.stored()).toEqual(numbered(10));
    }));
  it("is asked one at a time, also by many pages that are loaded again and again", () =>
    inWorld(async (world) => {
      answerBy(world, () => 0);
      for (let round = 0; round < 12; round++) {
        for (const page of world.pages) {
          if (page.isDead) continue;
          await page.leave();
          page.kill();
        }
        for (let tab = 0; tab < 20; tab++) await track(await world.open(), `e${round}-${tab}`);
        await world.clock.advance(5_000);
      }
      // Each of the first 20 pages may have begun one before the first had failed; then at most one every 8 s.
      expect(world.sent.length).toBeLessThanOrEqual(20 + 60 / 8 + 5);
      acceptAll(world);
      const begun = world.sent.length;
      await world.clock.advance(10 * MINUTE);
      expect(world.stored()).toEqual([]);
      expect(Object.keys(acceptances(world)).length).toBe(240);
      expect(world.sent.length - begun).toBe(240);
    }));
  it("may be asked at once by the next page, which does not wait for the stored back-off", () =>
    inWorld(async (world) => {
      answerBy(world, () => 503);
      const page = await world.open();
      await track(page, "a");
      await world.clock.advance(30 * MINUTE);
      page.kill();
      acceptAll(world);
      await world.clock.advance(MINUTE);
      await world.open();
      await world.clock.advance(9_300);
      expect(world.stored()).toEqual([]);
    }));
  it.each(["online", "show", "flush"] as const)("is asked within 9 s on %s, however often that happens", (what) =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, () => 503);
      await track(page, "a", "b");
      await world.clock.advance(30 * MINUTE);
      while (!(world.storage.rows["tracklet:backoff"] && world.openRequests().length === 0))
        await world.clock.advance(1);
      const before = world.sent.length;
      for (let turn = 0; turn < 5; turn++) {
        if (what === "show") await page.hide();
        await (what === "flush" ? page.run(() => void page.tracker.flush()) : page[what]());
      }
      await world.clock.advance(9_000);
      // One at once, where the last is 8 s ago, and one 8 s later.
      expect(world.sent.length - before).toBeGreaterThanOrEqual(1);
      expect(world.sent.length - before).toBeLessThanOrEqual(2);
    }),
  );
  it.each(["online", "show", "flush"] as const)(
    "that said Retry-After: 600 is left alone on %s and on a page load",
    (what) =>
      inWorld(async (world) => {
        const page = await world.open();
        answerBy(world, () => 503, 600);
        await track(page, "a");
        await world.clock.advance(100);
        expect(world.sent.length).toBe(1);
        for (let turn = 0; turn < 50; turn++) {
          if (what === "show") await page.hide();
          await (what === "flush" ? page.run(() => void page.tracker.flush()) : page[what]());
          await track(page, `more${turn}`);
          if (turn % 10 === 0) await world.open();
          await world.clock.advance(10_000);
        }
        expect(world.sent.length).toBe(1);
        acceptAll(world);
        await world.clock.advance(5 * MINUTE);
        expect(world.stored()).toEqual([]);
      }),
  );
  it("that says Retry-After to the second request as well is obeyed then, too", () =>
    inWorld(async (world) => {
      const page = await world.open();
      answerBy(world, () => 503, 2);
      await track(page, "a");
      await world.clock.advance(MINUTE);
      const times: number[] = [];
      world.onRequest = (sent) => {
        times.push(world.clock.now());
        world.clock.add(20, () => sent.answer(503, 7));
      };
      await world.clock.advance(5 * MINUTE);
      expect(times.length).toBeGreaterThan(2);
      const waits = times.slice(1).map((time, index) => time - times[index]!);
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(7_020);
    }));
  it("and never answers is given up after 15 s, and asked again", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, "a");
      await world.clock.advance(20);
      const [{ beganAt }] = world.sent as [Sent];
      await world.clock.advance(beganAt + 14_999 - world.clock.now());
      expect(world.openRequests().length).toBe(1);
      await world.clock.advance(1);
      expect(world.openRequests().length).toBe(0);
      acceptAll(world);
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
});

describe("an event that the service refuses", () => {
  const poisonous = ({ name }: Sent): boolean => name.startsWith("bad");
  it.each([
    ["first", ["bad", ...numbered(9)]],
    ["in the middle", [...numbered(5), "bad", ...numbered(4, 6)]],
    ["last", [...numbered(9), "bad"]],
  ])("%s is dropped and reported, and the others arrive", (_, names) =>
    forEach([400, 413, 422], async (world, status) => {
      const page = await world.open();
      answerBy(world, (sent) => (poisonous(sent) ? status : 200));
      await track(page, ...names);
      await world.clock.advance(MINUTE);
      // The last one is known for what it is once another event is accepted.
      await track(page, "e10");
      await world.clock.advance(10 * MINUTE);
      expect(acceptances(world, (sent) => !poisonous(sent))).toEqual(onceEach(numbered(10)));
      const dropped = page.problems.filter(({ event }) => event);
      expect(dropped).toMatchObject([{ code: "rejected", event: { event_uid: "bad" } }]);
      expect(world.stored()).toEqual([]);
    }),
  );
  it("is kept as long as nothing is accepted, for the token may be wrong", () =>
    forEach([400, 413, 422], async (world, status) => {
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
      expect(acceptances(world, (sent) => !poisonous(sent))).toEqual(onceEach(numbered(4)));
    }));
});

it("a wrong configuration keeps every event, is said once, asked rarely, and loses nothing once it is right", () =>
  forEach([301, 302, 401, 403, 404, 405, 410, 415], async (world, status) => {
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
