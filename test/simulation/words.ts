/** The words of a story: what pages do, what happens to all of them, and what is expected. */
import { expect } from "vitest";
import { scopeOf } from "../../src/shared/scope.js";
import type { Tracker } from "../../src/types.js";
import { fill } from "./area.js";
import type { Journal } from "./journal.js";
import type { Opening } from "./page.js";
import type { Fate } from "./service.js";
import type { Teller } from "./story.js";
import type { Page, World } from "./world.js";

const OPENINGS: Record<string, Opening> = {
  nobody: { contactUid: undefined as never },
  pending: { consent: "pending" },
  denied: { consent: "denied" },
  stamped: { stamp: true },
  hidden: { isHidden: true },
  covered: { isCovered: true },
  prerendering: { isPrerendering: true },
};
/** So many pages run at once in a history at random. */
const MAX_PAGES = 4;

/** What the rows of an event, a contact and a back-off begin with, of pages with the usual token. */
export const FILED = `tracklet:${scopeOf("token")}:`;

const words = (text: string): string[] => text.split(" ").filter(Boolean);
const readValue = (text: string): unknown => (/^(\d+|true|false)$/.test(text) ? JSON.parse(text) : text);
/** `silent`, `lost`, a status such as `503`, `503+60` with the seconds of a `Retry-After`, or one of these names. */
const readFate = (text: string): Fate => {
  const status = { up: "200", refused: "0", unavailable: "503" }[text] ?? text;
  return text === "silent" || text === "lost" ? text : (status.split("+").map(Number) as [number, number?]);
};
const counted = (text: string, many: number): string => (many > 1 ? `${text} x${many}` : text);
const running = (pages: Page[]): Page[] => pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);

/** The names of those that have not arrived. */
export const missing = ({ entries }: Pick<Journal, "entries">): string[] =>
  [...entries.values()].flatMap(({ name, stored }) => (stored ? [] : [name]));

/** Options and traits in words: `nobody stamped`, `as ann/acme`, `maxEvents=3 throttleMs=1000`. */
export const readOpening = (text: string): Opening => {
  const opening: Record<string, unknown> = {};
  const [, contactUid, accountUid] = /\bas (\w+)(?:\/(\w+))?/.exec(text) ?? [];
  if (contactUid) Object.assign(opening, { contactUid }, accountUid && { accountUid });
  for (const word of words(text.replace(/\bas \S+/, ""))) {
    const [name, value] = word.split("=") as [string, string?];
    if (value === undefined && !OPENINGS[name]) throw new Error(`nobody opens "${name}"`);
    Object.assign(opening, value === undefined ? OPENINGS[name] : { [name]: readValue(value) });
  }
  return opening;
};

/** `tracks`, `tracks 20`, `tracks signup {"plan":"team"}`, `tracks poison 500`, `tracks 20 poison silent at 1 5`. */
const track = async (journal: Journal, page: Page, text: string): Promise<void> => {
  const [, what = "1", poison, places, params] =
    /^(?!poison)(\w+)? ?(?:poison (\w+)(?: at ([\d ]+))?)? ?(\{.*\})?$/.exec(text) ??
    /^()poison (\w+)()()$/.exec(text) ??
    [];
  const count = /^\d*$/.test(what) ? Number(what || 1) : undefined;
  for (let place = 1; place <= (count ?? 1); place++) {
    const track = journal.begin(page, {
      ...(count === undefined && { name: what }),
      ...(params && { params: JSON.parse(params.replace("LARGE", "x".repeat(61_440))) }),
      ...(poison && (!places || words(places).includes(`${place}`)) && { poison: readFate(poison) }),
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
  /** `identifies ann`, `identifies ann/acme proof p1`. */
  identifies: ({ inform }, page, text) => {
    const [, who, proof] = /^(.*?)(?: proof (\S+))?$/s.exec(text) as unknown as [string, string, string?];
    const [contact, account] = who.split("/") as [string, string?];
    inform("onIdentify", page, contact, account);
    return page.run(() => page.tracker.identify(contact, account, { proof }));
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
  /** Fires events that browsers fire. */
  forges: async (_, page) => {
    for (const type of ["storage", "visibilitychange", "pagehide", "online", "pageshow"])
      await page.run(() => page.window.dispatchEvent(new Event(type)));
  },
  hides: (_, page) => page.isHidden || page.hide(),
  shows: (_, page) => page.show(),
  /** Another window comes in front of it, or goes. */
  covers: (_, page) => page.cover(),
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
  returns: (_, page, how) => page.restore(how !== "unseen"),
  /** Is visited, if it was loaded ahead. */
  activates: (_, page) => page.isPrerendering && page.activate(),
  /** Does nothing for so many seconds, because it is busy, stopped, or asks the visitor: perhaps right after an event. */
  stalls: async (teller, page, how) => {
    const act = how.includes("tracking") ? teller.begin(page) : undefined;
    PAGE.stops!(teller, page, "");
    act?.();
    await teller.world.clock.advance(Math.round(Number.parseFloat(how) * 1_000));
    await PAGE.wakes!(teller, page, "");
  },
  /** Does nothing from now on, until it wakes. */
  stops: ({ inform }, page) => {
    page.stop();
    inform("onStop", page);
  },
  wakes: (_, page) => page.wake(),
  /** Is killed after so many uses of storage and network, whatever it does then. */
  falters: ({ inform }, page, uses) => page.endAfter(Number(uses), () => inform("onEnd", page, "crashed")),
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
  const isMeant = ({ isFrozen, isCached }: Page): boolean =>
    verb === "returns" ? isCached : verb === "wakes" ? isFrozen && !isCached : !isFrozen;
  const able = pages.filter((page) => !page.isDead && isMeant(page));
  const page = able[(letter.charCodeAt(0) - "a".charCodeAt(0)) % able.length];
  // Nobody sees it yet.
  return page?.isPrerendering && !["tracks", "activates", "crashes", "forges"].includes(verb) ? undefined : page;
};

/** What happens to all of them, and what is expected. */
export const WORLD: Record<string, (teller: Teller, rest: string) => unknown> = {
  /** How the next requests fare, and the last of these for ever: `weather 503+60 up`; `half` of all fail, at random. */
  weather: ({ service, random }, text) => {
    const fates = words(text).map(readFate);
    const half = (): Fate => [random() < 0.5 ? 200 : random() < 0.5 ? 0 : 503];
    service.rule = text === "half" ? half : () => (fates.length > 1 ? fates.shift()! : fates[0]!);
  },
  /** All that is random comes out so: `chance 1` draws the longest of all waits. */
  chance: (teller, value) => {
    teller.chance = Number(value);
  },
  /** The same for the next request alone. */
  next: ({ service }, fate) => {
    service.once = readFate(fate);
  },
  /** Pages that are opened from now on stamp their events. */
  stamped: ({ world }) => {
    world.isStamped = true;
  },
  /** Pages that are opened from now on have no locks. */
  http: ({ world }) => {
    world.isHttp = true;
  },
  /** The service takes so many events in one request, or, without a number, one: it may change its mind. */
  most: ({ world }, count) => {
    world.most = count ? Number(count) : undefined;
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
    if (running(world.pages).length < MAX_PAGES) await open(readOpening(text));
  },
  cured: ({ service }) => service.poison.clear(),
  storage: ({ world: { storage } }, state) => {
    if (state?.startsWith("full")) fill(storage, Number(state.slice(5)));
    else Object.assign(storage, { isDenied: state === "denied", quota: Number.POSITIVE_INFINITY });
  },
  /** Something else has written this row, of the usual token or of the choice: `row backoff NOW,5`, `row consent denied`. */
  row: ({ world }, text) => {
    const [, key, row = ""] = /^(\S+) ?(.*)$/.exec(text)!;
    world.storage.rows[(key === "consent" ? "tracklet:" : FILED) + key] = row.replace("NOW", `${world.clock.wall()}`);
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
    const keys = Object.keys(world.storage.latest()).map((key) =>
      key.replace(FILED, "tracklet:").replace(/^tracklet:(?:(event)3:.*)?/, "$1"),
    );
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
