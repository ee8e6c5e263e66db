/**
 * Histories that are told in words; the rules of the random ones hold in them as well. A step is a line, or ends with a semicolon:
 *
 *   A opens nobody; A tracks 3; 1 s; B opens as ann/acme; weather refused; B tracks poison 500; B leaves; 60 s; once
 *
 * `A` to `Z` are pages. What they and the world do, and what is expected of them, are the words below. Events without a name
 * are e1, e2 and so on.
 */
import { describe, expect, it } from "vitest";
import type { Config, FlushResult, Tracker } from "../../src/types.js";
import { fill } from "./area.js";
import { createJournal, type Journal } from "./journal.js";
import type { Traits } from "./page.js";
import type { Entry } from "./rules/rule.js";
import type { Poison, Weather } from "./service.js";
import { dice, inWorld, type Page } from "./world.js";

export interface Teller extends Journal {
  tell(text: string): Promise<void>;
  /** The page of this letter that was opened last. */
  page(letter: string): Page;
  flush(page: Page, timeoutMs?: number): Promise<FlushResult | undefined>;
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

const words = (text: string): string[] => text.split(" ").filter(Boolean);
const readValue = (text: string): unknown => (/^(\d+|true|false)$/.test(text) ? JSON.parse(text) : text);
const counted = (text: string, many: number): string => (many > 1 ? `${text} x${many}` : text);

/** Options and traits in words: `nobody stamped`, `as ann/acme`, `maxEvents=3 throttleMs=1000`. */
const readOpening = (text: string): [Partial<Config>, Traits] => {
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
  for (let place = 1; place <= (count ?? 1); place++)
    await journal.track(page, {
      ...(count === undefined && { name: what }),
      ...(params && { params: JSON.parse(params) }),
      ...(poison && (!places || words(places).includes(`${place}`)) && { poison: poison as Poison }),
    });
};

/** What pages do, and what is done to them. */
const PAGE: Record<string, (teller: Teller, page: Page, rest: string) => unknown> = {
  tracks: track,
  identifies: ({ identify }, page, who) => identify(page, ...(who.split("/") as [string, string?])),
  resets: ({ reset }, page) => reset(page),
  agrees: ({ choose }, page) => choose(page, "granted"),
  refuses: ({ choose }, page) => choose(page, "denied"),
  calls: ({ call }, page, text) => {
    const [verb, ...args] = JSON.parse(`[${text}]`);
    return call(page, verb as keyof Tracker, ...args);
  },
  clears: ({ clear }, page) => clear(page),
  removes: ({ removeKeys }, page) => removeKeys(page),
  forges: ({ forge }, page, types) => forge(page, ...words(types)),
  hides: ({ hide }, page) => hide(page),
  shows: (_, page) => page.show(),
  leaves: ({ leave }, page, how) =>
    leave(page, {
      isNavigation: how.includes("navigating"),
      isLate: how.includes("tracking"),
      hiddenMs: how.includes("navigating") ? 0 : 20,
      restMs: 30,
    }),
  /** Its document lives on. */
  goes: (_, page) => page.leave(),
  cut: ({ cutOff }, page, uses) => cutOff(page, 20, Number(uses)),
  crashes: ({ crash }, page) => crash(page),
  freezes: ({ freeze }, page) => freeze(page),
  returns: ({ restore }, page, how) => restore(page, how !== "unseen"),
  activates: ({ activate }, page) => activate(page),
  stalls: ({ stall }, page, how) => stall(page, Number.parseFloat(how) * 1_000, how.includes("tracking")),
  online: (_, page) => page.online(),
  /** What it has sent, in this order. */
  sent: ({ world }, page, names) =>
    expect(world.sent.flatMap((sent) => (sent.page === page ? [sent.name] : [])).join(" ")).toBe(names),
  /** What it was told of, as `evicted maxAgeMs e1, paused status 401`. */
  told: (_, page, text) => {
    const told = page.problems.map(({ code, detail, event }) => words(`${code} ${detail} ${event?.event_uid ?? ""}`));
    expect(told.map((line) => line.join(" ")).join(", ")).toBe(text);
  },
  /** What `flush` resolves to, in 5 s or so many: delivered, queued, dropped. */
  flushes: async ({ flush }, page, text) => {
    const [delivered, queued, dropped, timeoutMs] = words(text).map(Number);
    expect(await flush(page, timeoutMs)).toEqual({ delivered, queued, dropped });
  },
};

const ownerOf = ({ world }: Journal, name: string): string => {
  const body = world.sent.findLast((sent) => sent.name === name)?.body;
  if (!body) return "nobody";
  const { contact_uid, params } = JSON.parse(body);
  return params.account_uid ? `${contact_uid}/${params.account_uid}` : contact_uid;
};

/** What happens to all of them, and what is expected. */
const WORLD: Record<string, (teller: Teller, rest: string, from: { requests: number }) => unknown> = {
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
  latency: ({ service }, ms) => {
    service.latency = () => Number(ms);
  },
  /** Until the service is asked once more, for an hour at most. */
  asked: ({ until, world }) => {
    const { length } = world.sent;
    return until(() => world.sent.length > length);
  },
  cured: ({ service }) => service.poison.clear(),
  storage: ({ world: { storage } }, state) => {
    if (state === "full") fill(storage);
    else Object.assign(storage, { isDenied: state === "denied", quota: Number.POSITIVE_INFINITY });
  },
  jump: (teller, ms) => {
    teller.isExact = false;
    teller.jump(Number(ms));
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
  once: (teller) => expectOnce(teller),
  arrived: ({ entries }) => expect(missing([...entries.values()])).toEqual([]),
  /** All but the poisonous ones have. */
  others: (teller) => expect(missing(good(teller, [...teller.entries.values()]))).toEqual([]),
  /** The names of all requests, in this order. */
  sent: ({ world }, names) => expect(world.names().join(" ")).toBe(names),
  /** How many requests since the last time: `requests 5`, `requests <20`. */
  requests: ({ world }, text, from) => {
    const count = world.sent.length - from.requests;
    from.requests = world.sent.length;
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
    const living = pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);
    const before = living.map(({ storageUses }) => storageUses);
    await clock.advance(60_000);
    const used = living.map((page, index) => [page.storageUses - before[index]!, page.waits()]);
    expect(used).toEqual(living.map(() => [0, 0]));
  },
};

const createTeller = (journal: Journal): Teller => {
  const pages = new Map<string, Page>();
  const from = { requests: 0 };
  const take = async (step: string): Promise<unknown> => {
    const [, time, unit] = /^([\d.]+) (s|ms)$/.exec(step) ?? [];
    if (time) return journal.world.clock.advance(Number(time) * (unit === "s" ? 1_000 : 1));
    const [, letter, verb = "", rest = ""] = /^(?:([A-Z]) )?(\w+) ?(.*)$/s.exec(step)!;
    if (letter && verb === "opens") return pages.set(letter, await journal.open(...readOpening(rest)));
    if (letter && PAGE[verb]) return PAGE[verb]!(teller, teller.page(letter), rest);
    if (!letter && WORLD[verb]) return WORLD[verb]!(teller, rest, from);
    throw new Error("no such step");
  };
  const teller: Teller = Object.assign(journal, {
    page: (letter: string) => pages.get(letter)!,
    flush: async (page: Page, timeoutMs = 5_000) => {
      let result: FlushResult | undefined;
      await page.run(() => void page.tracker.flush({ timeoutMs }).then((value) => (result = value)));
      await journal.world.clock.advance(timeoutMs + 1);
      return result;
    },
    tell: async (text: string) => {
      for (const step of text.split(/[;\n]/).map((one) => one.trim()))
        if (step)
          await Promise.resolve(take(step)).catch((error: Error) => {
            error.message = `at "${step}", ${journal.world.clock.now()} ms: ${error.message}`;
            throw error;
          });
    },
  });
  return teller;
};

/** The longest waits, and names of pages that differ. */
export const patient = (): (() => number) => {
  const random = dice(1);
  return () => 0.99 + random() / 1_000;
};

/** Tells one history; its end need not be the end of what waits. @param chance the seed of everything random, or that itself */
export const inStory = (test: Story, chance: number | (() => number) = 1): Promise<void> => {
  const random = typeof chance === "number" ? dice(chance) : chance;
  return inWorld(async (world) => {
    // Most changes of the storage are seen at once, some come late.
    world.storage.lag = () => (random() < 0.8 ? 0 : 120 * random());
    const journal = createTeller(createJournal(world, { random }));
    try {
      if (typeof test === "string") await journal.tell(test);
      else await test(journal);
    } finally {
      if (process.env.TRACE) console.log(journal.log.join("\n"));
    }
    if (journal.violations.length) throw new Error(journal.violations.slice(0, 5).join("\n"));
  }, random);
};

/** In words, or what tells it. */
type Story = string | ((teller: Teller) => Promise<unknown>);

/** A test for each story, by its title. */
export const stories = (title: string, cases: Record<string, Story>, { seeds = 1 } = {}): void => {
  describe(title, () => {
    for (const [name, story] of Object.entries(cases))
      it(name, async () => {
        for (let seed = 1; seed <= seeds; seed++) await inStory(story, seed);
      });
  });
};

/** The same story for each of these values. */
export const each = <T>(values: readonly T[], tell: (value: T) => [title: string, story: Story]) =>
  Object.fromEntries(values.map(tell));

/** Each event has arrived, once. */
export const expectOnce = ({ entries }: Journal): void => {
  const all = [...entries.values()];
  expect({ missing: missing(all), repeated: repeated(all) }).toEqual({ missing: [], repeated: [] });
};

/** The names of those that have not arrived, or not once. */
export const missing = (entries: Entry[]): string[] => entries.filter(({ stored }) => !stored).map(({ name }) => name);
export const repeated = (entries: Entry[]): string[] =>
  entries.filter(({ stored }) => stored > 1).map(({ name }) => name);
/** All but the poisonous ones. */
export const good = ({ service }: Journal, entries: Entry[]): Entry[] =>
  entries.filter(({ name }) => !service.poison.has(name));
