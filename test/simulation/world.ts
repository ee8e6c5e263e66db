/**
 * A browser with several pages of one site, in one process: the whole tracker runs in each of them, on a clock, a storage,
 * a network and a randomness that the test holds. Nothing of the tracker is replaced.
 */

import { createArea, type FakeArea } from "./area.js";
import { type Clock, createClock } from "./clock.js";
import type { Sent } from "./network.js";
import { createPage, type Opening, type Page, settle } from "./page.js";
import { startTracker } from "./script.js";

export type { Sent } from "./network.js";
export type { Page } from "./page.js";

export interface World {
  clock: Clock;
  storage: FakeArea;
  pages: Page[];
  open(opening?: Opening): Promise<Page>;
  sent: Sent[];
  /** Is told of each request as it begins; unless it is replaced, each is answered by 200. */
  onRequest(sent: Sent): void;
  /** Is told of each end that a page hears of, just before it acts on it; a status of 0 means that there was no answer. */
  onEnd(sent: Sent, status: number, retryAfter?: number): void;
  isOnline: boolean;
  /** Do pages stamp their events, unless they are told otherwise? Only what is stamped goes together. */
  isStamped: boolean;
  /** The most events that the service says to take in one request, if it takes several. */
  most?: number;
  /** What the address of several events answers, which no service knows: the status of a page, or of a proxy. */
  pluralAnswers?: number;
  /** Do bodies of answers never end? */
  isEndless: boolean;
  /** Requests without an answer. */
  openRequests(): Sent[];
  names(): string[];
  /** The events that are in the storage, in the order of their keys. */
  stored(): string[];
}

/** More requests than any history here needs, and more tasks than a page needs in a second: those that do more never rest. */
const MAX_REQUESTS = 3_000;
const MAX_TASKS = 500;

/** Random numbers from 0 to 1, the same for the same seed. */
export const dice = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Runs `test` in a world of its own. Whatever is thrown into a page of it fails the test. */
export const inWorld = async (test: (world: World) => Promise<void>, random: () => number = dice(1)): Promise<void> => {
  const clock = createClock();
  const storage = createArea(clock);
  /** Tasks of each page in this second. */
  const tasks = new Map<Page, number>();
  let counted = 0;

  clock.enter = async (owner, act) => {
    if (world.sent.length > MAX_REQUESTS) throw new Error("the pages send without end");
    const page = owner as Page | undefined;
    if (!page) {
      await act();
      return settle();
    }
    const second = Math.floor(clock.now() / 1_000);
    if (second !== counted) tasks.clear();
    counted = second;
    tasks.set(page, (tasks.get(page) ?? 0) + 1);
    if (tasks.get(page)! > MAX_TASKS) throw new Error(`page ${world.pages.indexOf(page) + 1} is busy without end`);
    try {
      await page.run(act);
    } catch (error) {
      if (!page.isDead) page.errors.push(error);
    }
  };
  clock.isHeld = (owner) => !!(owner as Page | undefined)?.isFrozen;

  const world: World = {
    clock,
    storage,
    pages: [],
    sent: [],
    onRequest: (sent) => void clock.add(20, () => sent.answer(200)),
    onEnd: () => {},
    isOnline: true,
    isStamped: false,
    isEndless: false,
    openRequests: () => world.sent.filter(({ isOpen }) => isOpen),
    names: () => world.sent.map(({ name }) => name),
    stored: () => {
      const rows = storage.latest();
      return Object.keys(rows)
        .sort()
        .flatMap((key) => eventsIn(rows[key]!));
    },
    open: async (opening = {}) => {
      const page = createPage(world, clock, { random, secure: dice(world.pages.length + 1), opening });
      world.pages.push(page);
      await page.run(() => {
        page.tracker = startTracker(page.window, page.config);
        // Whatever the tracker has caught of its own mistakes. A test may listen in its place.
        if (page.config.debug === undefined)
          page.tracker.debug((code, detail) => code === "error" && !page.isDead && page.errors.push(new Error(detail)));
      });
      // The first task reads what is stored.
      await clock.advance(1);
      return page;
    },
  };
  await test(world);
  for (const { errors } of world.pages) if (errors.length) throw errors[0];
};

/** The names of the events that a row holds, whatever stands around them. */
const eventsIn = (row: string): string[] =>
  [...row.matchAll(/"event_uid":("(?:[^"\\]|\\.)*")/g)].map(([, name]) => JSON.parse(name!));
