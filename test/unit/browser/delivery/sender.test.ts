/** How events leave: the whole tracker in pages of a fake browser, answered by hand or by a rule. */
import { describe, expect, it } from "vitest";
import { inWorld, type Sent } from "../../../simulation/world.js";
import { acceptAll, answerBy, inWorlds, MINUTE, numbered, track, until } from "../../../support/verbs.js";

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
  it("is sent the same bytes at each attempt, by the next page as well", () =>
    inWorld(async (world) => {
      answerBy(world, () => (world.names().length < 4 ? 503 : 200));
      const page = await world.open();
      await track(page, "a");
      await until(world, () => world.names().length === 2, 20);
      await page.leave();
      await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names()).toEqual(["a", "a", "a", "a"]);
      expect(new Set(world.sent.map(({ body }) => body)).size).toBe(1);
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
      expect(world.names().toSorted()).toEqual(numbered(4));
    }));
});

it("an outage keeps the events, sends one that has not failed, and then the others", () =>
  inWorlds([0, 408, 425, 429, 500, 502, 503, 504], async (world, status) => {
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
      expect(world.sent.slice(4).filter(({ keepalive }) => keepalive)).toEqual([]);
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
      expect(new Set(world.names()).size).toBe(240);
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
    inWorld(
      async (world) => {
        const page = await world.open();
        answerBy(world, () => 503);
        await track(page, "a", "b");
        await world.clock.advance(30 * MINUTE);
        const failed = world.sent.length;
        await until(world, () => world.sent.length > failed && !world.openRequests().length, 100);
        const before = world.sent.length;
        for (let turn = 0; turn < 5; turn++) {
          if (what === "show") await page.hide();
          await (what === "flush" ? page.run(() => void page.tracker.flush()) : page[what]());
        }
        await world.clock.advance(9_000);
        // One at once, where the last is 8 s ago, and one 8 s later.
        expect(world.sent.length - before).toBeGreaterThanOrEqual(1);
        expect(world.sent.length - before).toBeLessThanOrEqual(2);
      },
      // The longest wait there is.
      () => 0.999,
    ),
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
  it("and leaves requests open for over 2 s is sent a few more meanwhile, eight at once at most", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await world.clock.advance(MINUTE);
      await track(page, ...numbered(20));
      await world.clock.advance(1_900);
      const before = world.openRequests().length;
      await world.clock.advance(200);
      expect(before).toBeLessThanOrEqual(4);
      expect(world.openRequests().length).toBeGreaterThan(before);
      expect(world.openRequests().findIndex(({ keepalive }) => !keepalive)).toBe(before);
      await world.clock.advance(10_000);
      expect(world.openRequests().length).toBeLessThanOrEqual(8);
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
  it("and whose requests the browser never ends is sent them again after 20 s", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, ...numbered(3));
      await world.clock.advance(20);
      for (const sent of world.sent) sent.isOpen = false;
      acceptAll(world);
      await world.clock.advance(19_000);
      expect(world.names()).toEqual(numbered(3));
      await world.clock.advance(10_000);
      expect([world.names(), world.stored()]).toEqual([[...numbered(3), ...numbered(3)], []]);
    }));
});

describe("a service that hangs", () => {
  it("holds one request at the start of a page, a second after 2 s, and two where the page is left", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, ...numbered(30));
      await world.clock.advance(1_900);
      expect(world.openRequests()).toHaveLength(1);
      await world.clock.advance(3_000);
      expect(world.openRequests()).toHaveLength(2);
      await page.leave();
      expect(world.openRequests()).toHaveLength(2);
    }));
  it("is sent four at a time once it has answered, and one again when it hangs", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, ...numbered(30));
      await world.clock.advance(20);
      await page.run(() => world.sent[0]!.answer(200));
      await world.clock.advance(20);
      expect(world.openRequests()).toHaveLength(4);
      await world.clock.advance(13_000);
      expect(world.openRequests()).toHaveLength(4);
      await world.clock.advance(5_000);
      expect(world.openRequests()).toHaveLength(1);
    }));
  it("whose first answer comes when its event is sent anew, ends no request but its own", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await page.track("a");
      await world.clock.advance(20);
      // WebKit never ends it: it is forgotten after 20 s, and a second one begins.
      world.sent[0]!.isOpen = false;
      await until(world, () => world.sent.length === 2, 1_000);
      world.sent[0]!.isOpen = true;
      await page.run(() => world.sent[0]!.answer(503));
      await world.clock.advance(10_000);
      expect(world.names()).toEqual(["a", "a"]);
    }));
});
