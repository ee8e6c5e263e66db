import { afterEach, expect, it, vi } from "vitest";
import type { StoredEvent } from "../event.js";
import type { Position } from "../event-feed.js";
import { createLiveFeed } from "../live-feed.js";

afterEach(() => void vi.useRealTimers());

/** A feed of one writer, whose readings are counted. */
const createFeed = () => {
  const stored: StoredEvent[] = [];
  const at = (position: Position): number => Number(position.get("writer") ?? 0);
  const feed = {
    reads: 0,
    isAway: false,
    now: async (): Promise<Position> => new Map([["writer", String(stored.length)]]),
    read: async (_: string, after: Position, limit: number) => {
      feed.reads += 1;
      await new Promise((resolve) => setImmediate(resolve));
      if (feed.isAway) throw new Error("away");
      const events = stored.slice(at(after), at(after) + limit);
      return { events, position: events.length > 0 ? new Map([["writer", String(at(after) + events.length)]]) : after };
    },
    store: (params = "{}") =>
      stored.push({ id: String(stored.length + 1), receivedAt: 0, contactUid: "c", eventUid: "e", params }),
  };
  return feed;
};

const followers = (live: ReturnType<typeof createLiveFeed>, count: number) => {
  const endings: AbortController[] = [];
  const ids: string[][] = [];
  const follow = async (): Promise<void> => {
    const ending = new AbortController();
    const seen: string[] = [];
    endings.push(ending);
    ids.push(seen);
    let { number } = await live.join(ending.signal);
    while (!ending.signal.aborted) {
      const page = live.after(number);
      if (page === "gone") throw new Error("gone");
      if (page === undefined) await live.changed(60_000, ending.signal);
      else {
        number = page.number;
        seen.push(...page.events.map(({ id }) => id));
      }
    }
  };
  const done = Promise.all(Array.from({ length: count }, follow));
  const have = async (amount: number): Promise<void> => {
    while (ids.some((seen) => seen.length < amount)) await new Promise((resolve) => setImmediate(resolve));
  };
  const end = async (): Promise<void> => {
    for (const ending of endings) ending.abort();
    await done;
  };
  return { ids, have, end };
};

it("reads new events once, whether one or many follow them", async () => {
  const feed = createFeed();
  feed.store();
  const live = createLiveFeed(feed, "shop");
  const many = followers(live, 200);
  await live.join(AbortSignal.abort());
  const before = feed.reads;
  for (let commit = 1; commit <= 20; commit += 1) {
    feed.store();
    live.wake();
    await many.have(commit);
  }
  // One that finds the event, and one that finds no more; the poll each quarter of a second adds a few.
  expect(feed.reads - before).toBeLessThan(60);
  await many.end();
  expect(new Set(many.ids.map((seen) => seen.join()))).toEqual(
    new Set([Array.from({ length: 20 }, (_, index) => index + 2).join()]),
  );
});

it("looks at nothing while nobody follows, and begins with the present again", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const feed = createFeed();
  const live = createLiveFeed(feed, "shop");
  const first = followers(live, 1);
  await live.join(AbortSignal.abort());
  await first.end();
  const before = feed.reads;
  for (let number = 0; number < 10; number += 1) feed.store();
  live.wake();
  await vi.advanceTimersByTimeAsync(60_000);
  vi.useRealTimers();
  expect(feed.reads).toBe(before);
  const later = followers(live, 1);
  const page = await live.join(new AbortController().signal);
  expect(page.position).toEqual(new Map([["writer", "10"]]));
  feed.store();
  live.wake();
  await later.have(1);
  expect(later.ids).toEqual([["11"]]);
  await later.end();
});

it("keeps a bounded number of events, and says of older ones that they are gone", async () => {
  const feed = createFeed();
  const live = createLiveFeed(feed, "shop", 1_000);
  const ending = new AbortController();
  const { number } = await live.join(ending.signal);
  for (let count = 1; count <= 5; count += 1) {
    feed.store("x".repeat(400));
    await live.join(AbortSignal.abort());
  }
  expect([number, number + 3, number + 4, number + 5].map((before) => live.after(before))).toEqual([
    "gone",
    expect.objectContaining({ events: [expect.objectContaining({ id: "4" })] }),
    expect.objectContaining({ events: [expect.objectContaining({ id: "5" })] }),
    undefined,
  ]);
  ending.abort();
});

it("goes on after the database was away", async () => {
  const feed = createFeed();
  const live = createLiveFeed(feed, "shop");
  const one = followers(live, 1);
  await live.join(AbortSignal.abort());
  feed.isAway = true;
  feed.store();
  await expect(live.join(AbortSignal.abort())).rejects.toThrow("away");
  feed.isAway = false;
  await one.have(1);
  await one.end();
});
