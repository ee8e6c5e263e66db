/** The words of a story: what pages do, what happens to all of them, and what is expected. */
import { expect } from "vitest";
import type { Config, Tracker } from "../../src/types.js";
import { fill } from "./area.js";
import type { Journal } from "./journal.js";
import type { Traits } from "./page.js";
import type { Poison, Weather } from "./service.js";
import type { Page, World } from "./world.js";

export interface Teller extends Journal {
  tell(text: string): Promise<void>;
  /** One step of a page. */
  act(page: Page, text: string): Promise<unknown>;
  /** The page of this letter that was opened last. */
  page(letter: string): Page;
  open(config?: Partial<Config>, traits?: Traits): Promise<Page>;
  /** Lets time pass until something is so, for an hour at most. */
  until(isSo: () => unknown): Promise<void>;
  /** So many requests were counted before. */
  counted: number;
  /** What all chances are from now on, from 0 to 1. */
  chance: number | undefined;
  random(): number;
}

const OPENING: Record<string, { config?: Partial<Config>; traits?: Traits }> = {
  nobody: { config: { contactUid: undefined as never } },
  pending: { config: { consent: "pending" } },
  denied: { config: { consent: "denied" } },
  stamped: { config: { stamp: true } },
  hidden: { traits: { isHidden: true } },
  covered: { traits: { isCovered: true } },
  prerendering: { traits: { isPrerendering: true } },
};
const TRAITS = ["canKeepAlive", "throttleMs", "locks", "readsFresh"];
/** So many pages run at once in a history at random. */
const MAX_PAGES = 4;

const words = (text: string): string[] => text.split(" ").filter(Boolean);
const readValue = (text: string): unknown => (/^(\d+|true|false)$/.test(text) ? JSON.parse(text) : text);
const counted = (text: string, many: number): string => (many > 1 ? `${text} x${many}` : text);
const running = (pages: Page[]): Page[] => pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);

/** The names of those that have not arrived. */
export const missing = ({ entries }: Pick<Journal, "entries">): string[] =>
  [...entries.values()].flatMap(({ name, stored }) => (stored ? [] : [name]));

/** Options and traits in words: `nobody stamped`, `as ann/acme`, `maxEvents=3 throttleMs=1000`. */
export const readOpening = (text: string): [Partial<Config>, Traits] => {
  const config: Record<string, unknown> = {};
  const traits: Record<string, unknown> = {};
  const [, contactUid, accountUid] = /\bas (\w+)(?:\/(\w+))?/.exec(text) ?? [];
  if (contactUid) Object.assign(config, { contactUid }, accountUid && { accountUid });
  for (const word of words(text.replace(/\bas \S+/, ""))) {
    const [name, value] = word.split("=") as [string, string?];
    if (value !== undefined) (TRAITS.includes(name) ? traits : config)[name] = readValue(value);
    else if (!OPENING[name]) throw new Error(`nobody opens "${name}"`);
    Object.assign(config, OPENING[name]?.config);
    Object.assign(traits, OPENING[name]?.traits);
  }
  return [config, traits];
};

/** `tracks`, `tracks 20`, `tracks signup {"plan":"team"}`, `tracks poison cut`, `tracks 20 poison hang at 1 5`. */
const track = async (journal: Journal, page: Page, text: string): Promise<void> => {
  const [, what = "1", poison, places, params] =
    /^(?!poison)(\w+)? ?(?:poison (\w+)(?: at ([\d ]+))?)? ?(\{.*\})?$/.exec(text) ??
    /^()poison (\w+)()()$/.exec(text) ??
    [];
  const count = /^\d*$/.test(what) ? Number(what || 1) : undefined;
  for (let place = 1; place <= (count ?? 1); place++) {
    const track = journal.begin(page, {
      ...(count === undefined && { name: what }),
      ...(params && { params: JSON.parse(params) }),
      ...(poison && (!places || words(places).includes(`${place}`)) && { poison: poison as Poison }),
    });
    await page.run(track);
  }
};

const clear = (teller: Teller, by: Page, isByKey: boolean): void => {
  teller.cleared = { at: teller.world.clock.now(), by, isByKey };
  teller.inform("onClear", by, isByKey);
};

/** What pages do, and what is done to them. */
export const PAGE: Record<string, (teller: Teller, page: Page, rest: string) => unknown> = {
  tracks: track,
  identifies: ({ inform }, page, who) => {
    const [contact, account] = who.split("/") as [string, string?];
    inform("onIdentify", page, contact, account);
    return page.run(() => page.tracker.identify(contact, account));
  },
  resets: ({ inform }, page) => {
    inform("onReset", page);
    return page.run(() => page.tracker.reset());
  },
  agrees: ({ inform }, page) => {
    inform("onChoice", page, "granted");
    return page.run(() => page.tracker.optIn());
  },
  refuses: ({ inform }, page) => {
    inform("onChoice", page, "denied");
    return page.run(() => page.tracker.optOut());
  },
  /** A verb of which the rules need not know: `calls "flush"`. */
  calls: (_, page, text) => {
    const [verb, ...args] = JSON.parse(`[${text}]`);
    return page.run(() => void (page.tracker[verb as keyof Tracker] as (...given: unknown[]) => unknown)(...args));
  },
  /** Empties the storage. */
  clears: (teller, page) => {
    clear(teller, page, false);
    return page.run(() => page.window.localStorage.clear());
  },
  /** Removes one key after the other. */
  removes: (teller, page) => {
    clear(teller, page, true);
    const { localStorage } = page.window;
    return page.run(() => Object.keys(localStorage).map((key) => delete localStorage[key]));
  },
  /** Fires events that browsers fire; those of these types. */
  forges: async (_, page, text) => {
    const types = text ? words(text) : ["storage", "visibilitychange", "pagehide", "online", "pageshow"];
    for (const type of types) await page.run(() => page.window.dispatchEvent(new Event(type)));
  },
  hides: async ({ inform }, page) => {
    if (page.isHidden) return;
    await page.hide();
    inform("onHide", page);
  },
  shows: (_, page) => page.show(),
  /** Another window comes in front of it, or goes. */
  covers: (_, page) => page.cover(!page.isCovered),
  /** As a tab that is closed so many milliseconds after it was hidden, and whose document lives on for so many; or by a link. */
  leaves: async (teller, page, how) => {
    const [hiddenMs = 20, restMs = 30] = (how.match(/\d+/g) ?? []).map(Number);
    if (how.includes("navigating")) await page.navigateAway();
    else {
      await PAGE.hides!(teller, page, "");
      await teller.world.clock.advance(hiddenMs);
      await page.leave();
    }
    if (how.includes("tracking")) await track(teller, page, "");
    teller.inform("onExit", page);
    await teller.world.clock.advance(restMs);
    page.kill();
    teller.inform("onEnd", page, "left");
  },
  /** Is left, and lives on. */
  goes: (_, page) => page.leave(),
  /** Is closed as Firefox does, after so many uses, and so many milliseconds after it was hidden. */
  cut: async (teller, page, how) => {
    const [uses, hiddenMs = 20] = words(how).map(Number);
    await PAGE.hides!(teller, page, "");
    await teller.world.clock.advance(hiddenMs);
    await page.cutOff(uses!);
    teller.inform("onEnd", page, "cut");
  },
  crashes: ({ inform }, page) => {
    page.kill();
    inform("onEnd", page, "crashed");
  },
  /** Goes into the back/forward cache. */
  freezes: async (teller, page) => {
    await PAGE.hides!(teller, page, "");
    await page.freeze();
    teller.inform("onExit", page);
  },
  returns: ({ inform }, page, how) => {
    inform("onRestore", page);
    return page.restore(how !== "unseen");
  },
  /** Is visited, if it was loaded ahead. */
  activates: (_, page) => page.isPrerendering && page.activate(),
  /** Does nothing for so many seconds, because it is busy, stopped, or asks the visitor: perhaps right after an event. */
  stalls: async (teller, page, how) => {
    const ms = Math.round(Number.parseFloat(how) * 1_000);
    const act = how.includes("tracking") ? teller.begin(page) : undefined;
    teller.inform("onStall", page, ms);
    await page.block(ms, act);
  },
  online: (_, page) => page.online(),
  /** What it has sent, in this order. */
  sent: ({ world }, page, names) =>
    expect(world.sent.flatMap((sent) => (sent.page === page ? [sent.name] : [])).join(" ")).toBe(names),
  /** What it was told of, as `evicted maxAgeMs e1, paused status 401`. */
  told: (_, page, text) => {
    const told = page.problems.map(({ code, detail, event }) => words(`${code} ${detail} ${event?.event_uid ?? ""}`));
    expect(told.map((line) => line.join(" ")).join(", ")).toBe(text);
  },
  /** What `flush` resolves to, in 5 s or so many milliseconds: delivered, queued, dropped. */
  flushes: async ({ world }, page, text) => {
    const [delivered, queued, dropped, timeoutMs = 5_000] = words(text).map(Number);
    let result: unknown;
    await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
    await world.clock.advance(timeoutMs + 1);
    expect(result).toEqual({ delivered, queued, dropped });
  },
};

const ownerOf = ({ world }: Journal, name: string): string => {
  const body = world.sent.findLast((sent) => sent.name === name)?.body;
  if (!body) return "nobody";
  const { contact_uid, params } = JSON.parse(body);
  return params.account_uid ? `${contact_uid}/${params.account_uid}` : contact_uid;
};

/**
 * Who runs at this moment, or is in the cache and may come back: `a` is the first of them, `b` the second, and so on around.
 */
export const somebody = ({ pages }: World, letter: string, verb: string): Page | undefined => {
  const able = verb === "returns" ? pages.filter(({ isDead, isFrozen }) => isFrozen && !isDead) : running(pages);
  const page = able[(letter.charCodeAt(0) - "a".charCodeAt(0)) % able.length];
  // Nobody sees it yet.
  return page?.isPrerendering && !["tracks", "activates", "crashes", "forges"].includes(verb) ? undefined : page;
};

/** What happens to all of them, and what is expected. */
export const WORLD: Record<string, (teller: Teller, rest: string) => unknown> = {
  /** How the service answers: `weather busy 60` has a Retry-After of a minute. */
  weather: ({ service }, text) => {
    const [weather, retryAfterS = service.retryAfterS] = words(text);
    Object.assign(service, { weather: weather as Weather, retryAfterS: Number(retryAfterS), rule: undefined });
  },
  /** Statuses of the next answers, the last one for ever: `answers 503+60 200`; 0 is none. */
  answers: ({ service }, text) => {
    const answers = words(text).map((one) => one.split("+").map(Number) as [number, number]);
    service.rule = () => (answers.length > 1 ? answers.shift()! : answers[0]!);
  },
  /** All that is random comes out so: `chance 1` draws the longest of all waits. */
  chance: (teller, value) => {
    teller.chance = Number(value);
  },
  /** The same for the next request alone. */
  next: ({ service }, weather) => {
    service.once = weather as Weather;
  },
  latency: ({ service }, ms) => {
    service.latency = () => Number(ms);
  },
  /** Until the service is asked once more, for an hour at most. */
  asked: ({ until, world }) => {
    const { length } = world.sent;
    return until(() => world.sent.length > length);
  },
  /** One more page, in histories at random. */
  another: async ({ world, open }, text) => {
    if (running(world.pages).length < MAX_PAGES) await open(...readOpening(text));
  },
  cured: ({ service }) => service.poison.clear(),
  storage: ({ world: { storage } }, state) => {
    if (state?.startsWith("full")) fill(storage, Number(state.slice(5)));
    else Object.assign(storage, { isDenied: state === "denied", quota: Number.POSITIVE_INFINITY });
  },
  /** Something else has written this row: `row backoff NOW,5`. */
  row: ({ world }, text) => {
    const [, key, row = ""] = /^(\S+) ?(.*)$/.exec(text)!;
    world.storage.rows[`tracklet:${key}`] = row.replace("NOW", `${world.clock.wall()}`);
  },
  jump: (teller, ms) => {
    teller.isExact = false;
    teller.inform("onJump");
    teller.world.clock.jump(Number(ms));
  },
  offline: ({ world }) => {
    world.isOnline = false;
  },
  online: ({ world }) => {
    world.isOnline = true;
  },
  beaconless: ({ world }) => {
    world.takesBeacons = false;
  },

  /** Each event has arrived, once. */
  once: ({ entries }) => {
    const wrong = [...entries.values()].filter(({ stored }) => stored !== 1);
    expect(wrong.map(({ name, stored }) => `${name} x${stored}`)).toEqual([]);
  },
  arrived: (teller) => expect(missing(teller)).toEqual([]),
  /** All but the poisonous ones have. */
  others: (teller) => expect(missing(teller).filter((name) => !teller.service.poison.has(name))).toEqual([]),
  /** The names of all requests, in this order. */
  sent: ({ world }, names) => expect(world.names().join(" ")).toBe(names),
  /** How many requests since the last time: `requests 5`, `requests <20`. */
  requests: (teller, text) => {
    const count = teller.world.sent.length - teller.counted;
    teller.counted = teller.world.sent.length;
    if (text.startsWith("<")) expect(count).toBeLessThan(Number(text.slice(1)));
    else expect(`${count}`).toBe(text);
  },
  open: ({ world }, count) => expect(world.openRequests().length).toBe(Number(count)),
  waiting: ({ world }, names) => expect(world.stored().sort().join(" ")).toBe(names),
  /** The tracker's keys; events are one word. */
  keys: ({ world }, text) => {
    const keys = Object.keys(world.storage.latest()).map((key) => key.replace(/^tracklet:(?:(event)2:.*)?/, "$1"));
    expect(keys.sort().join(" ")).toBe(text);
  },
  /** As whom each event was sent last, in the order of tracking: `ann/acme x3, nobody`. */
  owners: (teller, text) => {
    const runs: [string, number][] = [];
    for (const name of teller.entries.keys()) {
      const owner = ownerOf(teller, name);
      if (runs.at(-1)?.[0] === owner) runs.at(-1)![1]++;
      else runs.push([owner, 1]);
    }
    expect(runs.map((run) => counted(...run)).join(", ")).toBe(text);
  },
  /** For a minute no page has a timer or touches the storage. */
  rest: async ({ world: { clock, pages } }) => {
    const living = running(pages);
    const before = living.map(({ storageUses }) => storageUses);
    await clock.advance(60_000);
    const used = living.map((page, index) => [page.storageUses - before[index]!, page.waits()]);
    expect(used).toEqual(living.map(() => [0, 0]));
  },
};
