/** Which page sends which events: leases, claims and what crashes, stalls and clocks make of them. */
import { describe, expect, it } from "vitest";
import { dice, inWorld, type World } from "../../../simulation/world.js";
import { acceptAll, answerBy, leaveBehind, MINUTE, numbered, track } from "../../../support/verbs.js";

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
      await track(crashed, ...numbered(30));
      crashed.kill();
      acceptAll(world);
      if (when === "opened later") await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names()).toEqual(numbered(30));
      expect(world.stored()).toEqual([]);
    }),
  );
  it("deliver what a crashed one has queued once, however many they are", () =>
    inWorld(async (world) => {
      const crashed = await world.open();
      await track(crashed, ...numbered(30));
      crashed.kill();
      await world.clock.advance(30_000);
      acceptAll(world);
      for (let page = 0; page < 8; page++) await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names().toSorted()).toEqual(numbered(30).toSorted());
    }));
  it("that take over at once what an exit has left wait for no lease", () =>
    inWorld(async (world) => {
      const page = await world.open();
      await track(page, ...numbered(40));
      await page.leave();
      page.kill();
      acceptAll(world);
      await world.open();
      await world.clock.advance(2_000);
      expect(world.names().toSorted()).toEqual(numbered(40).toSorted());
    }));
  it("that was stopped for minutes sends nothing that another has taken over", () =>
    inWorld(async (world) => {
      const stopped = await world.open();
      const other = await world.open();
      await track(stopped, ...numbered(10));
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

it("a page that draws the same random numbers as the one before takes over what that one has left", () =>
  inWorld(
    async (world) => {
      const before = await world.open();
      await before.track("a");
      before.kill();
      await world.clock.advance(MINUTE);
      acceptAll(world);
      const from = world.sent.length;
      await world.open();
      await world.clock.advance(MINUTE);
      expect(world.names().slice(from)).toEqual(["a"]);
    },
    () => 0.5,
  ));

describe("what a tab that is no more has left", () => {
  const leave = (world: World, tab: string, count = 3): string[] => {
    const names = Array.from({ length: count }, (_, index) => `${tab}-${index}`);
    leaveBehind(world, names, { tab });
    return names;
  };
  it("goes to one of those who claim at the same time, and nothing of it stays", async () => {
    const wrong: string[] = [];
    for (let seed = 1; seed <= 50; seed++)
      await inWorld(async (world) => {
        acceptAll(world);
        const names = ["dead", "gone"].flatMap((tab) => leave(world, tab));
        const random = dice(seed + 1_000);
        for (let page = 0; page < 3; page++) {
          await world.open();
          await world.clock.advance(Math.floor(random() * 90));
        }
        await world.clock.advance(MINUTE);
        const rows = Object.keys(world.storage.rows).filter((key) => /event|tab:|adopter/.test(key));
        if (`${world.names().toSorted()}` !== `${names.toSorted()}`) wrong.push(`seed ${seed}: ${world.names()}`);
        if (rows.length) wrong.push(`seed ${seed}: ${rows}`);
      }, dice(seed));
    expect(wrong).toEqual([]);
  });
  it.each(["", "x", "NaN", "-1", "{}", "9999999999999999", "Infinity", "someone"])(
    "is sent whatever its lease, or the adopter, is: %j",
    (value) =>
      inWorld(async (world) => {
        acceptAll(world);
        const names = leave(world, "dead");
        world.storage.rows["tracklet:tab:dead"] = world.storage.rows["tracklet:adopter"] = value;
        await world.open();
        await world.clock.advance(2_000);
        expect(world.names()).toEqual(names);
      }),
  );
  it("is sent by the next one where its adopter crashes as well, at most 25 s later", () =>
    inWorld(async (world) => {
      const names = leave(world, "dead");
      const adopter = await world.open({ stamp: true });
      await world.clock.advance(1_000);
      expect(world.names()).toEqual(names);
      await world.open({ stamp: true });
      adopter.kill();
      acceptAll(world);
      await world.clock.advance(26_000);
      expect(world.names().slice(3)).toEqual(names);
    }));
  it("stays with its adopter while that one lives, although its timers are late by seconds", () =>
    inWorld(async (world) => {
      leave(world, "dead");
      answerBy(world, () => 503, 3_600);
      const adopter = await world.open();
      await world.clock.advance(1_000);
      await world.open();
      for (let turn = 0; turn < 20; turn++) {
        adopter.isFrozen = true;
        await world.clock.advance(14_000);
        adopter.isFrozen = false;
        await world.clock.advance(5_000);
      }
      const leases = Object.keys(world.storage.rows).filter((key) => key.startsWith("tracklet:tab:"));
      expect([leases.length, world.storage.rows["tracklet:adopter"]]).toEqual([1, leases[0]!.split(":")[2]]);
    }));
  it("is let go, unsent, by an adopter who finds another one in its place", () =>
    inWorld(async (world) => {
      const names = leave(world, "dead", 6);
      const adopter = await world.open();
      await world.clock.advance(1_000);
      const begun = world.sent.length;
      world.storage.rows["tracklet:adopter"] = "other";
      world.storage.rows["tracklet:tab:other"] = `${world.clock.wall()}`;
      for (const sent of world.openRequests()) await sent.answer(200);
      await adopter.track("own");
      await world.clock.advance(5_000);
      expect([names.length > begun, world.names().slice(begun)]).toEqual([true, ["own"]]);
    }));
});

it("rows of other scripts wake no page", () =>
  inWorld(async (world) => {
    const [page, other] = [await world.open(), await world.open()];
    await world.clock.advance(MINUTE);
    const before = page.storageUses;
    for (const key of ["cart:event:1", "cart:tab:1", "tracklet2:consent", "cart"]) other.window.localStorage[key] = "1";
    await world.clock.advance(10);
    expect([page.waits(), page.storageUses]).toEqual([0, before]);
  }));

it("a page on which nothing waits sets no timer and touches no storage, reads included", () =>
  inWorld(async (world) => {
    acceptAll(world);
    const pages = [
      await world.open(),
      await world.open({ contactUid: undefined as never }),
      await world.open({ consent: "pending" }),
    ];
    for (const page of pages) await page.track("a");
    await world.clock.advance(MINUTE);
    const before = pages.map(({ storageUses }) => storageUses);
    await world.clock.advance(60 * MINUTE);
    expect([pages.map((page) => page.waits()), pages.map(({ storageUses }) => storageUses)]).toEqual([
      [0, 0, 0],
      before,
    ]);
  }));
