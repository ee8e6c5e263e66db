/**
 * The service and the network before it, and the journal of what became of every event: what was stored how often, and
 * what may have been lost or repeated because nobody could have known better.
 */
import type { Page, Sent, World } from "./world.js";

/** How requests fare: answered 200 or otherwise, refused, or stored although the answer never comes. */
export type Weather =
  | "up"
  | "refused"
  | "unavailable"
  | "busy"
  | "silent"
  | "unauthorized"
  | "lostBefore"
  | "lostAfter";

interface Entry {
  /** The page, from its load or its return to its exit. */
  life: object;
  /** Its place among the events of that life. */
  place: number;
  /** Was it in the storage when `track` returned? */
  isDurable: boolean;
  stored: number;
  attempts: number;
  /** The pages that saw it accepted. */
  seenBy: Set<Page>;
  /** An answer was lost, or its page ended, so that it is sent again although it may be stored. */
  mayRepeat: boolean;
  mayBeLost: boolean;
  /** Was left to the browser at a clean exit, which counts as stored until a request fails. */
  isHandedOff: boolean;
  /** Its last request has failed. */
  hasFailed: boolean;
}

export interface Journal {
  entries: Map<string, Entry>;
  /** What must never happen, and did. */
  violations: string[];
  weather: Weather;
  /** The weather of the next request alone. */
  once: Weather | undefined;
  /** Milliseconds from a request to its answer. */
  latency: () => number;
  retryAfterS: number;
  track(page: Page, name: string): Promise<void>;
  /** To be called before a page is left cleanly, and before it ends at once. */
  onLeave(page: Page): void;
  onCrash(page: Page): void;
  /** To be called before a page comes back. */
  onRestore(page: Page): void;
  /** To be called when the clock is set: tabs take each other for dead, whatever is in flight. */
  onJump(): void;
}

/** @param isExact whether the clock runs as it should, so that pages keep their order and know when a wait is over */
export const watch = (world: World, { isExact }: { isExact: boolean }): Journal => {
  const { clock, storage } = world;
  /** A page that comes back has lost its claim on what it had queued: that is another life. */
  const lives = new Map<Page, object>();
  const places = new Map<object, number>();
  const lastAttempted = new Map<object, number>();
  /** `Retry-After` that a page has seen: nobody may send in this time of day. */
  let hold: { from: number; until: number; isFor: Page | undefined } | undefined;
  const gone = new Set<Page>();

  const journal: Journal = {
    entries: new Map(),
    violations: [],
    weather: "up",
    once: undefined,
    latency: () => 20,
    retryAfterS: 5,
    track: async (page, name) => {
      const life = lives.get(page) ?? page;
      const place = (places.get(life) ?? 0) + 1;
      places.set(life, place);
      const entry: Entry = {
        life,
        place,
        isDurable: false,
        stored: 0,
        attempts: 0,
        seenBy: new Set(),
        mayRepeat: false,
        mayBeLost: false,
        isHandedOff: false,
        hasFailed: false,
      };
      journal.entries.set(name, entry);
      await page.run(() => {
        page.tracker.track(name);
        entry.isDurable = Object.values(storage.rows).some((row) => row.includes(`"${name}"`));
      });
    },
    onLeave: (page) => {
      const isHealthy = !Object.keys(storage.rows).some((key) => key.endsWith(":backoff"));
      for (const { name, keepalive, isKnown, page: by } of world.sent) {
        const entry = journal.entries.get(name)!;
        if (isKnown || by !== page) continue;
        if (!keepalive || !isHealthy) entry.mayRepeat = true;
        else if (entry.hasFailed) entry.mayBeLost = true;
        else entry.isHandedOff = true;
      }
      gone.add(page);
    },
    onCrash: (page) => {
      for (const { name, isKnown, page: by } of world.sent)
        if (!isKnown && by === page && !gone.has(page)) journal.entries.get(name)!.mayRepeat = true;
    },
    onRestore: (page) => {
      gone.delete(page);
      lives.set(page, {});
    },
    onJump: () => {
      for (const { name, isKnown } of world.sent) if (!isKnown) journal.entries.get(name)!.mayRepeat = true;
    },
  };

  const check = (isRight: boolean, what: string): void => {
    if (!isRight) journal.violations.push(`${clock.now()} ms: ${what}`);
  };

  const store = (name: string): void => {
    const entry = journal.entries.get(name)!;
    entry.stored++;
    entry.hasFailed = false;
    check(entry.stored === 1 || entry.mayRepeat, `${name} is stored ${entry.stored} times`);
  };

  /** A request was not accepted: whoever hears of it takes nothing for stored that was left to the browser. */
  const failed = (name: string, weather: Weather): void => {
    const entry = journal.entries.get(name)!;
    entry.hasFailed = true;
    if (weather === "lostAfter") entry.mayRepeat = true;
    else if (entry.isHandedOff) entry.mayBeLost = true;
    for (const other of journal.entries.values()) if (other.isHandedOff) other.mayRepeat = true;
  };

  const obey = (sent: Sent, seconds: number): void => {
    if (gone.has(sent.page) || sent.page.isDead || sent.page.isFrozen) return;
    // A request begun later is the newer word of the service.
    if (world.openRequests().some((other) => other.beganAt > sent.beganAt)) return;
    const from = clock.wall();
    const until = from + seconds * 1_000;
    const isShared = Object.entries(storage.rows).some(([key, row]) => key.endsWith(":backoff") && row.endsWith(",1"));
    if (!hold || until > hold.until) hold = { from, until, isFor: isShared ? undefined : sent.page };
  };

  const settleRequest = async (sent: Sent, weather: Weather): Promise<void> => {
    const { name, page } = sent;
    const entry = journal.entries.get(name)!;
    const isRead = !page.isDead && !page.isFrozen;
    if (weather === "up") {
      if (isRead && sent.isOpen) entry.seenBy.add(page);
      await sent.answer(200);
      return;
    }
    failed(name, weather);
    if (weather === "unavailable") await sent.answer(503);
    else if (weather === "unauthorized") await sent.answer(401);
    else if (weather !== "busy") await sent.fail();
    else {
      const wasOpen = sent.isOpen;
      await sent.answer(429, journal.retryAfterS);
      if (wasOpen) obey(sent, journal.retryAfterS);
    }
  };

  world.onRequest = (sent) => {
    const { name, page } = sent;
    const entry = journal.entries.get(name)!;
    const weather = journal.once ?? journal.weather;
    entry.hasFailed = false;
    journal.once = undefined;
    const time = clock.wall();
    check(!entry.seenBy.has(page), `${name} is sent by a page that saw it accepted`);
    if (isExact && hold && (!hold.isFor || hold.isFor === page))
      check(time < hold.from || time >= hold.until, `${name} is sent although Retry-After holds`);
    if (!entry.attempts++ && isExact) {
      const last = lastAttempted.get(entry.life) ?? 0;
      check(entry.place > last, `${name} is tried after a later event of its page`);
      lastAttempted.set(entry.life, entry.place);
    }
    const latency = journal.latency();
    if (weather === "silent") {
      // The time-out of the page ends it; one that is gone will never know.
      clock.add(15_000, () => failed(name, weather));
      return;
    }
    if (weather === "up" || weather === "lostAfter") clock.add(latency / 2, () => store(name));
    clock.add(latency, () => settleRequest(sent, weather));
  };
  return journal;
};
