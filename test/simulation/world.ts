/**
 * A browser with several pages of one site, in one process: the whole tracker runs in each of them, on a clock, a storage,
 * a network and a randomness that the test holds. Nothing of the tracker is replaced.
 */

import { createTracker } from "../../src/browser/tracker.js";
import type { Config, Problem, Tracker } from "../../src/types.js";
import { createArea, type FakeArea } from "./area.js";
import { type Clock, createClock } from "./clock.js";
import { withGlobals } from "./globals.js";

/** A request that a page has begun. */
export interface Sent {
  page: Page;
  /** Name of its event. */
  name: string;
  body: string;
  url: string;
  isBeacon: boolean;
  keepalive: boolean;
  beganAt: number;
  /** Has neither been answered nor broken off. */
  isOpen: boolean;
  /** Has the page heard of its end? */
  isKnown: boolean;
  /** Answers; the page acts on it unless it is gone. */
  answer(status: number, retryAfter?: number): Promise<void>;
  /** Breaks the connection. */
  fail(): Promise<void>;
}

export interface Page {
  tracker: Tracker;
  problems: Problem[];
  isHidden: boolean;
  /** In the back/forward cache, or busy: its tasks wait. */
  isFrozen: boolean;
  isDead: boolean;
  /** Tracks, and lets promises settle; the next task is up to the clock. */
  track(name: string, params?: Record<string, unknown>): Promise<void>;
  /** Runs in the page. */
  run<T>(act: () => T): Promise<T>;
  hide(): Promise<void>;
  show(): Promise<void>;
  online(): Promise<void>;
  /** Hides it, then leaves it; its document lives on until `kill`. */
  leave(): Promise<void>;
  /** Ends the document at once, with no event. */
  kill(): void;
  /** Leaves it for the back/forward cache. */
  freeze(): Promise<void>;
  /** Brings it back; specifications and browsers differ on which event comes first. */
  restore(isVisibleFirst?: boolean): Promise<void>;
}

export interface World {
  clock: Clock;
  storage: FakeArea;
  sent: Sent[];
  pages: Page[];
  /** Is told of each request as it begins. */
  onRequest: (sent: Sent) => void;
  isOnline: boolean;
  takesBeacons: boolean;
  open(config?: Partial<Config>, traits?: { canKeepAlive?: boolean; isHidden?: boolean }): Promise<Page>;
  /** Requests without an answer. */
  openRequests(): Sent[];
  names(): string[];
  /** The events that are in the storage. */
  stored(): string[];
}

export const eventName = (body: string): string => JSON.parse(body).event_uid;

/** More requests than any history here needs: pages that begin so many do not come to rest. */
const MAX_REQUESTS = 3_000;

/** Random numbers from 0 to 1, the same for the same seed. */
export const dice = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Lets promises settle. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 16; turn++) await null;
};

interface Inside extends Page {
  document: EventTarget & { hidden?: boolean };
  window: EventTarget;
  canKeepAlive: boolean;
}

/** Runs `test` in a world of its own, and puts the globals back. */
export const inWorld = async (test: (world: World) => Promise<void>, random: () => number = dice(1)): Promise<void> => {
  const clock = createClock();
  const storage = createArea();
  let current: Inside | undefined;

  const inside = async <T>(page: Inside, act: () => T): Promise<T> => {
    const before = current;
    current = page;
    try {
      const result = act();
      await settle();
      return result;
    } finally {
      current = before;
    }
  };
  clock.enter = (owner, act) => {
    if (world.sent.length > MAX_REQUESTS) throw new Error("the pages send without end");
    return owner ? inside(owner as Inside, act) : Promise.resolve(act()).then(settle);
  };
  clock.owner = () => current;
  clock.isHeld = (owner) => !!(owner as Inside | undefined)?.isFrozen;

  const fire = (page: Inside, target: EventTarget, type: string, members = {}): Promise<unknown> =>
    inside(page, () => target.dispatchEvent(Object.assign(new Event(type), members)));

  const setVisibility = async (page: Inside, isHidden: boolean): Promise<void> => {
    if (page.isHidden === isHidden) return;
    page.isHidden = isHidden;
    await fire(page, page.document, "visibilitychange");
  };

  const record = (page: Inside, members: Pick<Sent, "body" | "url" | "isBeacon" | "keepalive">): Sent => {
    const sent: Sent = {
      ...members,
      page,
      name: eventName(members.body),
      beganAt: clock.now(),
      isOpen: true,
      isKnown: false,
      answer: async () => {},
      fail: async () => {},
    };
    world.sent.push(sent);
    return sent;
  };

  const fetch = (url: string, init: RequestInit): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const page = current!;
      const sent = record(page, { body: init.body as string, url, isBeacon: false, keepalive: !!init.keepalive });
      const end = async (act: () => void): Promise<void> => {
        if (!sent.isOpen) return;
        sent.isOpen = false;
        clock.forget(init.signal);
        if (page.isDead) return;
        const hear = (): void => {
          sent.isKnown = true;
          act();
        };
        if (page.isFrozen) clock.add(0, hear, page);
        else await inside(page, hear);
      };
      sent.answer = (status, retryAfter) =>
        end(() =>
          resolve({ status, headers: { get: () => retryAfter?.toString() ?? null }, text: () => Promise.resolve("") }),
        );
      sent.fail = () => end(() => reject(new TypeError("Failed to fetch")));
      init.signal?.addEventListener("abort", () => end(() => reject(init.signal!.reason)));
      world.onRequest(sent);
    });

  const sendBeacon = (url: string, blob: { body: string }): boolean => {
    if (!world.takesBeacons) return false;
    const sent = record(current!, { body: blob.body, url, isBeacon: true, keepalive: true });
    sent.isOpen = false;
    world.onRequest(sent);
    return true;
  };

  const tellOthers = (): void => {
    for (const page of world.pages as Inside[])
      if (page !== current && !page.isDead && !clock.has(page, "storage"))
        clock.add(1, () => page.window.dispatchEvent(new Event("storage")), page, "storage");
  };
  storage.onChange = tellOthers;

  const world: World = {
    clock,
    storage,
    sent: [],
    pages: [],
    onRequest: () => {},
    isOnline: true,
    takesBeacons: true,
    openRequests: () => world.sent.filter(({ isOpen }) => isOpen),
    names: () => world.sent.map(({ name }) => name),
    stored: () =>
      Object.keys(storage.rows)
        .filter((key) => key.includes(":event:"))
        .map((key) => eventName(storage.rows[key]!.replace(/^[! ]/, ""))),
    open: async (config = {}, { canKeepAlive = true, isHidden = false } = {}) => {
      const page: Inside = {
        tracker: undefined as unknown as Tracker,
        document: new EventTarget(),
        window: new EventTarget(),
        canKeepAlive,
        problems: [],
        isHidden,
        isFrozen: false,
        isDead: false,
        track: (name, params) => inside(page, () => page.tracker.track(name, params)),
        run: (act) => inside(page, act),
        hide: () => setVisibility(page, true),
        show: () => setVisibility(page, false),
        online: async () => void (await fire(page, page.window, "online")),
        leave: async () => {
          await setVisibility(page, true);
          await fire(page, page.window, "pagehide", { persisted: false });
        },
        kill: () => {
          page.isDead = true;
          clock.drop(page);
        },
        freeze: async () => {
          await setVisibility(page, true);
          await fire(page, page.window, "pagehide", { persisted: true });
          page.isFrozen = true;
        },
        restore: async (isVisibleFirst = true) => {
          page.isFrozen = false;
          if (isVisibleFirst) await setVisibility(page, false);
          await fire(page, page.window, "pageshow", { persisted: true });
          await setVisibility(page, false);
        },
      };
      Object.defineProperty(page.document, "hidden", { get: () => page.isHidden });
      world.pages.push(page);
      await inside(page, () => {
        page.tracker = createTracker({
          name: "tracklet",
          apiToken: "token",
          trackUrl: "https://track.example",
          pageviews: "off",
          contactUid: "ann",
          onError: (problem) => page.problems.push(problem),
          ...config,
        });
      });
      return page;
    },
  };

  await withGlobals(
    {
      document: () => current?.document,
      window: () => current?.window,
      location: () => ({ href: "https://site.example/" }),
      localStorage: storage.area,
      navigator: () => ({ onLine: world.isOnline, sendBeacon }),
      ...Object.fromEntries([
        ["Request", () => ({ prototype: current?.canKeepAlive ? { keepalive: true } : {} })],
        ["Blob", () => BeaconBody],
      ]),
      fetch: () => fetch,
      setTimeout: () => clock.setTimeout,
      clearTimeout: () => clock.clear,
      setInterval: () => clock.setInterval,
    },
    { now: clock.wall, monotonic: clock.now, random, timeout: clock.timeoutSignal },
    () => test(world),
  );
};

/** A `Blob` whose text can be read at once. */
class BeaconBody {
  readonly body: string;
  readonly type: string;
  constructor([body]: [string], { type }: { type: string }) {
    this.body = body;
    this.type = type;
  }
}
