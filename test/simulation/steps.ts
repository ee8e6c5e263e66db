/** What may happen in a history: steps at random, and how each is taken. */
import fc from "fast-check";
import { fill } from "./area.js";
import type { Journal } from "./journal.js";
import type { Traits } from "./page.js";
import type { Poison, Weather } from "./service.js";
import type { Page } from "./world.js";

const MAX_PAGES = 4;

/** What takes nothing but a page. */
type Simple =
  | ("crash" | "hide" | "show" | "online" | "flush" | "freeze" | "cover" | "activate" | "forge")
  | ("clear" | "removeKeys" | "reset" | "optIn" | "optOut");

export type Step =
  | { do: "track"; page: number; count: number }
  | { do: "poison"; page: number; poison: Poison }
  | { do: "cure" }
  | { do: "pass"; ms: number }
  | { do: "weather"; weather: Weather; retryAfterS: number }
  | { do: "once"; weather: Weather }
  | ({ do: "open"; contact?: string; account?: string; consent?: "pending" } & Pick<
      Traits,
      "throttleMs" | "readsFresh" | "isPrerendering"
    >)
  /** A page that lives for less than two seconds. */
  | { do: "visit"; ms: number; count: number; restMs: number; isCrash: boolean }
  | { do: "leave"; page: number; isNavigation: boolean; hiddenMs: number; restMs: number; isLate: boolean }
  | { do: "cutOff"; page: number; hiddenMs: number; uses: number }
  | { do: Simple; page: number }
  | { do: "restore"; page: number; isVisibleFirst: boolean }
  | { do: "stall"; page: number; ms: number; tracks: boolean; leaves: boolean }
  | { do: "fill" | "free" }
  | { do: "jump"; ms: number }
  | { do: "identify"; page: number; contact: string; account?: string };

export type Weighted = fc.WeightedArbitrary<Step>;

const page = fc.nat({ max: MAX_PAGES - 1 });
const one = <Name extends Step["do"]>(...names: Name[]) => fc.constantFrom(...names);
const pass = fc.oneof(fc.nat(50), fc.nat(1_000), fc.nat(30_000), fc.nat(400_000));
const isTrue = fc.boolean();
const contact = fc.constantFrom("alice", "bob");
const account = fc.constantFrom(undefined, "acme", "globex");
/** Timers of hidden pages come once a second, and once a minute after five. */
const throttleMs = fc.constantFrom(0, 0, 1_000, 60_000);
const leave = fc.record({
  do: one("leave"),
  page,
  isNavigation: isTrue,
  hiddenMs: fc.constantFrom(0, 0, 20),
  restMs: fc.constantFrom(0, 30),
  isLate: fc.constantFrom(false, false, true),
});

/** Outages, exits, crashes and full storage; all pages are of one contact. */
export const BASE: Weighted[] = [
  { weight: 10, arbitrary: fc.record({ do: one("track"), page, count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 10, arbitrary: fc.record({ do: one("pass"), ms: pass }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one("weather"),
      weather: fc.constantFrom<Weather>(
        ...(["up", "up", "up", "refused", "unavailable", "busy", "silent"] as const),
        ...(["unauthorized", "invalid", "half", "alternating"] as const),
      ),
      retryAfterS: fc.integer({ min: 1, max: 90 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: one("once"), weather: fc.constantFrom<Weather>("lostBefore", "lostAfter") }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: one("open"),
      throttleMs,
      readsFresh: isTrue,
      isPrerendering: fc.constantFrom(false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: one("visit"),
      ms: fc.nat(2_000),
      count: fc.nat(3),
      restMs: fc.constantFrom(0, 30),
      isCrash: isTrue,
    }),
  },
  { weight: 3, arbitrary: leave },
  {
    weight: 1,
    arbitrary: fc.record({
      do: one("cutOff"),
      page,
      hiddenMs: fc.integer({ min: 0, max: 50 }),
      uses: fc.constantFrom(0, 0, 1, 2, 3, 5, 8),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: one("crash", "hide", "show", "online", "flush", "freeze", "cover", "activate", "forge"),
      page,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("restore"), page, isVisibleFirst: isTrue }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: one("stall"),
      page,
      ms: fc.oneof(fc.nat(5_000), fc.nat(60_000)),
      tracks: isTrue,
      leaves: isTrue,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("fill", "free") }) },
];

export const JUMPS: Weighted[] = [
  {
    weight: 2,
    arbitrary: fc.record({
      do: one("jump"),
      ms: fc.oneof(fc.integer({ min: -86_400_000, max: 86_400_000 }), fc.integer({ min: -5_000, max: 5_000 })),
    }),
  },
];

/** Events that the service can never take, until it is mended. */
export const POISON: Weighted[] = [
  {
    weight: 4,
    arbitrary: fc.record({ do: one("poison"), page, poison: fc.constantFrom<Poison>("400", "500", "cut", "hang") }),
  },
  { weight: 1, arbitrary: fc.record({ do: one("cure") }) },
];

/** Pages that empty the storage of their site. */
export const CLEARING: Weighted[] = [
  { weight: 3, arbitrary: fc.record({ do: one("clear", "clear", "removeKeys"), page }) },
];

/** Several people, in several accounts. */
export const IDENTITIES: Weighted[] = [
  { weight: 4, arbitrary: fc.record({ do: one("identify"), page, contact, account }) },
  { weight: 2, arbitrary: fc.record({ do: one("reset"), page }) },
  { weight: 3, arbitrary: fc.record({ do: one("open"), throttleMs, readsFresh: isTrue, contact: fc.constant("") }) },
  { weight: 1, arbitrary: fc.record({ do: one("open"), throttleMs, readsFresh: isTrue, contact, account }) },
];

export const CONSENT: Weighted[] = [
  { weight: 3, arbitrary: fc.record({ do: one("optIn", "optOut"), page }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: one("open"), throttleMs, readsFresh: isTrue, consent: fc.constant("pending") }),
  },
];

/** What concerns no page, or one that is not running. */
const takeApart = async (step: Step, { world, service, ...journal }: Journal): Promise<void> => {
  switch (step.do) {
    case "pass":
      return world.clock.advance(step.ms);
    case "weather":
      service.weather = step.weather;
      service.retryAfterS = step.retryAfterS;
      return;
    case "once":
      service.once = step.weather;
      return;
    case "cure":
      return service.poison.clear();
    case "fill":
      // No event fits any more; a lease or the back-off does.
      return fill(world.storage, 60);
    case "free":
      world.storage.quota = Number.POSITIVE_INFINITY;
      return;
    case "jump":
      return journal.jump(step.ms);
    case "open": {
      const { contact, account, consent, throttleMs, readsFresh, isPrerendering } = step;
      const who = contact === undefined ? {} : { contactUid: contact || (undefined as never) };
      const config = { ...who, ...(account && { accountUid: account }), ...(consent && { consent }) };
      if (running(world.pages).length < MAX_PAGES)
        await journal.open(config, { throttleMs, readsFresh, isPrerendering });
      return;
    }
    case "visit": {
      const visited = await journal.open();
      for (let count = 0; count < step.count; count++) await journal.track(visited);
      await world.clock.advance(step.ms);
      if (step.isCrash) journal.crash(visited);
      else await journal.leave(visited, step);
      return;
    }
    case "restore": {
      const frozen = world.pages.filter(({ isFrozen, isDead }) => isFrozen && !isDead);
      const back = frozen[step.page % frozen.length];
      if (back) await journal.restore(back, step.isVisibleFirst);
    }
  }
};

/** What a running page does, or what happens to it. */
const takeIn = async (chosen: Page, step: Step, journal: Journal): Promise<unknown> => {
  // Nobody sees it yet.
  if (chosen.isPrerendering && !["track", "poison", "activate", "crash", "forge"].includes(step.do)) return;
  switch (step.do) {
    case "track":
      for (let count = 0; count < step.count; count++) await journal.track(chosen);
      return;
    case "poison":
      return journal.track(chosen, { poison: step.poison });
    case "leave":
      return journal.leave(chosen, step);
    case "cutOff":
      return journal.cutOff(chosen, step.hiddenMs, step.uses);
    case "stall":
      await journal.stall(chosen, step.ms, step.tracks);
      return step.leaves && journal.leave(chosen, { isNavigation: true, restMs: 30 });
    case "identify":
      return journal.identify(chosen, step.contact, step.account);
    case "optIn":
      return journal.choose(chosen, "granted");
    case "optOut":
      return journal.choose(chosen, "denied");
    case "flush":
      return chosen.run(() => void chosen.tracker.flush());
    case "cover":
      return chosen.cover(!chosen.isCovered);
    case "crash":
    case "hide":
    case "freeze":
    case "clear":
    case "removeKeys":
    case "forge":
    case "reset":
      return journal[step.do](chosen);
    case "activate":
      return chosen.isPrerendering && journal.activate(chosen);
    case "show":
    case "online":
      return chosen[step.do]();
  }
};

const running = (pages: Page[]): Page[] => pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);

export const take = async (step: Step, journal: Journal): Promise<void> => {
  if (!("page" in step) || step.do === "restore") return takeApart(step, journal);
  const pages = running(journal.world.pages);
  const chosen = pages[step.page % pages.length];
  if (chosen) await takeIn(chosen, step, journal);
};
