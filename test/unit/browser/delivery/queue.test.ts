/** What waits: durable, in its order, within its bounds, whatever the storage is and holds. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/types.js";
import { fill } from "../../../simulation/area.js";
import { inWorld, type Page, type World } from "../../../simulation/world.js";
import {
  acceptAll,
  anonymous,
  bodies,
  flush,
  identify,
  MINUTE,
  numbered,
  reset,
  track,
} from "../../../support/verbs.js";

const EVENT = "tracklet:event2:";
/** A page whose service never answers, so that what is tracked stays to be looked at. */
const inPage = (config: Partial<Config>, test: (page: Page, world: World) => Promise<unknown>): Promise<void> =>
  inWorld(async (world) => void (await test(await world.open(config), world)));
const evicted = (page: Page): string[] =>
  page.problems.filter(({ code }) => code === "evicted").map(({ event }) => event!.event_uid);

it("makes an event durable before track returns, one key an event, and never touches the others", () =>
  inPage({}, async (page, world) => {
    await page.run(() => {
      page.tracker.track("a");
      expect(world.stored()).toEqual(["a"]);
      const before = { ...world.storage.rows };
      page.tracker.track("b");
      expect(world.storage.rows).toMatchObject(before);
      expect(Object.keys(world.storage.rows).filter((key) => key.startsWith(EVENT)).length).toBe(2);
    });
  }));

it("keeps the order although the clock is set back, also for the next page", () =>
  inPage({}, async (page, world) => {
    const names = numbered(20);
    for (const name of names) {
      await page.track(name);
      world.clock.jump(-1_000);
    }
    page.kill();
    acceptAll(world);
    await world.open();
    await world.clock.advance(MINUTE);
    expect(world.names().filter((name, index, all) => all.indexOf(name) === index)).toEqual(names);
    expect(world.stored()).toEqual([]);
  }));

describe("bounds", () => {
  it("of the count drop the oldest, report it, and flush counts it", () =>
    inPage({ maxEvents: 3 }, async (page, world) => {
      await track(page, "a", "b", "c", "d", "e");
      expect([(await flush(world, page, 100))?.dropped, (await flush(world, page, 100))?.dropped]).toEqual([2, 0]);
      expect([world.stored(), evicted(page), page.problems[0]!.detail]).toEqual([
        ["c", "d", "e"],
        ["a", "b"],
        "maxEvents, maxBytes",
      ]);
    }));
  it("of the bytes drop as many of the oldest as it takes, and what is larger than all that may wait", () =>
    inPage({ maxBytes: 1_000 }, async (page, world) => {
      const rest = (name: string) =>
        JSON.stringify({ contact_uid: "ann", event_uid: name, params: { text: "" } }).length;
      for (const name of ["a", "b", "c"]) await page.track(name, { text: "x".repeat(200) });
      // Both fill it to the last byte.
      await page.track("large", { text: "x".repeat(800 - rest("c") - rest("large")) });
      await world.clock.advance(20);
      expect([world.stored(), evicted(page)]).toEqual([
        ["c", "large"],
        ["a", "b"],
      ]);
      await page.track("too large", { text: "x".repeat(1_000) });
      await world.clock.advance(20);
      expect(world.stored()).toEqual(["c", "large"]);
    }));
  it("of the age drop what has waited for too long, also of a page before", () =>
    inPage({ maxAgeMs: 60_000 }, async (page, world) => {
      await page.track("old");
      page.kill();
      await world.clock.advance(MINUTE);
      acceptAll(world);
      const next = await world.open({ maxAgeMs: 60_000 });
      await next.track("new");
      await world.clock.advance(MINUTE);
      expect(next.problems).toMatchObject([{ code: "evicted", detail: "maxAgeMs", event: { event_uid: "old" } }]);
      expect(world.sent.filter((sent) => sent.page === next).map(({ name }) => name)).toEqual(["new"]);
    }));
  it("of the age hold also where nothing else is tracked", () =>
    inPage({ maxAgeMs: 60_000 }, async (page, world) => {
      await page.track("old");
      await world.clock.advance(2 * MINUTE);
      expect([world.stored(), evicted(page)]).toEqual([[], ["old"]]);
    }));
  it("are not looked at anew after each of many answers", () =>
    inPage({}, async (page, world) => {
      let measured = 0;
      page.window.TextEncoder = class extends TextEncoder {
        override encode(text?: string) {
          measured++;
          return super.encode(text);
        }
      };
      acceptAll(world);
      await track(page, ...numbered(200));
      await world.clock.advance(MINUTE);
      expect([world.names().length, measured < 200 * 10]).toEqual([200, true]);
    }));
  it("hold for what was adopted, too", () =>
    inPage({ maxEvents: 3 }, async (page, world) => {
      await track(page, "a", "b");
      await page.leave();
      page.kill();
      const next = await world.open({ maxEvents: 3, stamp: true });
      await track(next, "c", "d", "e");
      await world.clock.advance(2_000);
      expect([world.stored(), evicted(next)]).toEqual([
        ["c", "d", "e"],
        ["a", "b"],
      ]);
    }));
});

describe("events that lack their contact", () => {
  it("get it with their account, and keep what they hold", () =>
    inPage(anonymous, async (page, world) => {
      acceptAll(world);
      await page.track("a", { n: 1 });
      await page.track("b", { contact_uid: "no contact", account_uid: "own" });
      expect(await bodies(world)).toEqual([]);
      await identify(page, "ann", "acme");
      expect(await bodies(world)).toEqual([
        { contact_uid: "ann", event_uid: "a", params: { account_uid: "acme", n: 1 } },
        { contact_uid: "ann", event_uid: "b", params: { contact_uid: "no contact", account_uid: "own" } },
      ]);
    }));
  it("alone go at a log-out, and not what others were named for", () =>
    inPage({}, async (before, world) => {
      await before.track("a");
      before.kill();
      const page = await world.open(anonymous);
      await reset(page);
      expect(world.stored()).toEqual(["a"]);
    }));
  const unnamed = Array.from({ length: 103 }, (_, index) => `u${index}`);
  it("are 100 at most, reported once, and neither push out nor are pushed out by the others", () =>
    inPage({ ...anonymous, maxEvents: 2 }, async (page, world) => {
      const own = (event: object) => ({ contact_uid: "bob", ...event });
      const other = await world.open({ ...anonymous, maxEvents: 2, beforeSend: own as never });
      await track(page, ...unnamed);
      await track(other, "a", "b", "c");
      await world.clock.advance(20);
      expect([evicted(page), evicted(other)]).toEqual([["u0"], ["a"]]);
      expect(world.stored().filter((name) => name.startsWith("u"))).toEqual(unnamed.slice(3));
      acceptAll(world);
      await identify(page, "ann");
      await world.clock.advance(MINUTE);
      expect(world.stored()).toEqual([]);
    }));
  it("push out no others by their size", () =>
    inPage({ ...anonymous, maxBytes: 1_000 }, async (page, world) => {
      await identify(page, "ann");
      await page.track("first", { text: "x".repeat(500) });
      await page.run(() => page.tracker.reset());
      await page.track("u", { text: "x".repeat(800) });
      await world.clock.advance(20);
      expect(world.stored()).toEqual(["first", "u"]);
    }));
});

describe("a row in the storage", () => {
  it("that is no event is removed, counted, and in nobody's way", async () => {
    const wrong: string[] = [];
    for (const text of [
      "{",
      "",
      '{"event_uid":"a"',
      "5",
      "null",
      "[]",
      '{"event_uid":"a"}',
      '{"params":null}',
      "!",
      "!5",
    ])
      await inWorld(async (world) => {
        acceptAll(world);
        world.storage.rows[`${EVENT}dead:1000000:5`] = text;
        world.storage.rows[`${EVENT}dead:1000001:${world.clock.wall()}`] =
          '{"contact_uid":"ann","event_uid":"good","params":{}}';
        const page = await world.open();
        const result = await flush(world, page);
        await world.clock.advance(MINUTE);
        if (`${world.names()}` !== "good" || Object.keys(world.storage.rows).some((key) => key.startsWith(EVENT)))
          wrong.push(`${text}: ${world.names()} ${JSON.stringify(world.storage.rows)}`);
        if (page.problems.length || (result?.dropped ?? 0) > 1) wrong.push(`${text}: ${JSON.stringify(page.problems)}`);
      });
    expect(wrong).toEqual([]);
  });
  it("with a key that nobody writes stalls nothing", async () => {
    for (const key of [
      "event:",
      "event:dead",
      "event:dead:",
      "event:dead:x:y",
      "event:dead:1:2:3:4:5",
      "tab",
      "tab:",
      "tabby:x",
    ])
      await inWorld(async (world) => {
        acceptAll(world);
        world.storage.rows[`tracklet:${key}`] = "garbage";
        const page = await world.open();
        await page.track("a");
        await world.clock.advance(MINUTE);
        expect([key, world.names(), world.stored()]).toEqual([key, ["a"], []]);
      });
  });
});

it("is sent again as it is, whatever it holds", () =>
  inPage({}, async (page, world) => {
    const text = '!1700000000000{"contact_uid":"bob"';
    await page.track("!5", { text });
    await world.clock.advance(20);
    await world.sent[0]!.answer(503);
    page.kill();
    acceptAll(world);
    await world.open();
    const body = { contact_uid: "ann", event_uid: "!5", params: { text } };
    expect(await bodies(world)).toEqual([body, body]);
    expect(world.stored()).toEqual([]);
  }));

it("keeps what was adopted durable although the storage is full", () =>
  inPage({ stamp: true }, async (page, world) => {
    await track(page, "a", "b");
    await page.leave();
    page.kill();
    fill(world.storage);
    const next = await world.open({ stamp: true });
    await world.clock.advance(2_000);
    expect(world.stored()).toEqual(["a", "b"]);
    acceptAll(world);
    for (const sent of world.openRequests()) if (sent.page === next) await sent.answer(200);
    await world.clock.advance(MINUTE);
    expect(world.stored()).toEqual([]);
  }));

it("goes on in memory, within its bounds, where nothing can be stored", () =>
  inWorld(async (world) => {
    world.storage.isDenied = true;
    const page = await world.open({ ...anonymous, maxEvents: 2 });
    acceptAll(world);
    await track(page, "a", "b", "c");
    await identify(page, "ann");
    await world.clock.advance(MINUTE);
    expect([world.names(), evicted(page)]).toEqual([["b", "c"], ["a"]]);
  }));
