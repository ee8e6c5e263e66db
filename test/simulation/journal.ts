/** What became of every event, and what the rules say about it. */
import type { Config, Tracker } from "../../src/types.js";
import { consent } from "./rules/consent.js";
import { durability } from "./rules/durability.js";
import { handOff } from "./rules/hand-off.js";
import { identities } from "./rules/identities.js";
import { locks } from "./rules/locks.js";
import { order } from "./rules/order.js";
import { pace } from "./rules/pace.js";
import { type Entry, isSuccess, type Rule } from "./rules/rule.js";
import { createService, type Poison, type Service } from "./service.js";
import type { Page, Sent, World } from "./world.js";

/** An event to be tracked. */
export interface What {
  name?: string;
  params?: Record<string, unknown>;
  poison?: Poison | undefined;
}

/** What a visitor or a browser does; each is noted for the rules. */
export interface Journal {
  world: World;
  service: Service;
  entries: Map<string, Entry>;
  /** What must never happen, and did. */
  violations: string[];
  /** What has happened, line by line. */
  log: string[];
  /** Does the clock run as it should, so that pages keep their order and know when a wait is over? */
  isExact: boolean;
  open(config?: Partial<Config>, traits?: Parameters<World["open"]>[1]): Promise<Page>;
  /** Lets so many seconds pass. */
  pass(seconds: number): Promise<void>;
  /** Lets time pass until something is so, for an hour at most. */
  until(isSo: () => unknown): Promise<void>;
  /** Tracks an event, under a new name unless it has one. */
  track(page: Page, what?: What): Promise<Entry>;
  /** Tracks so many. */
  trackMany(page: Page, count: number): Promise<Entry[]>;
  /** Calls a verb of which the rules need not know. */
  call(page: Page, verb: keyof Tracker, ...args: unknown[]): Promise<void>;
  identify(page: Page, contact: string, account?: string): Promise<void>;
  reset(page: Page): Promise<void>;
  /** The page empties the storage. */
  clear(page: Page): Promise<void>;
  /** The page removes one key after the other. */
  removeKeys(page: Page): Promise<void>;
  /** The page fires events that browsers fire; those of these types. */
  forge(page: Page, ...types: string[]): Promise<void>;
  choose(page: Page, choice: "granted" | "denied"): Promise<void>;
  hide(page: Page): Promise<void>;
  /** Leaves a page; its document may live on for a moment. */
  leave(
    page: Page,
    how: { isNavigation?: boolean; hiddenMs?: number; restMs?: number; isLate?: boolean },
  ): Promise<void>;
  /** Closes a page's tab as Firefox does. */
  cutOff(page: Page, hiddenMs: number, uses: number): Promise<void>;
  crash(page: Page): void;
  freeze(page: Page): Promise<void>;
  restore(page: Page, isVisibleFirst: boolean): Promise<void>;
  /** The page does nothing for a while, because it is busy, stopped, or asks the visitor: perhaps right after an event. */
  stall(page: Page, ms: number, tracks?: boolean): Promise<void>;
  activate(page: Page): Promise<void>;
  jump(ms: number): void;
  /** Throws where something went wrong. @param isCured whether also what was poisonous must have arrived */
  verify(isCured: boolean): void;
}

export const createJournal = (
  world: World,
  { isExact = true, random = () => 0.5 }: { isExact?: boolean; random?: () => number } = {},
): Journal => {
  const { clock } = world;
  const service = createService(world, random);
  const pageNumber = (page: Page): number => world.pages.indexOf(page) + 1;
  const note = (what: string, page?: Page): void =>
    void journal.log.push(`${clock.now()} ms: ${page ? `page ${pageNumber(page)} ` : ""}${what}`);
  const entryOf = ({ name }: Sent): Entry => journal.entries.get(name)!;
  const tell = <Name extends keyof Rule>(name: Name, ...args: Parameters<NonNullable<Rule[Name]>>): void => {
    for (const rule of rules) (rule[name] as ((...all: typeof args) => void) | undefined)?.(...args);
  };
  let count = 0;

  /** An event under a new name, and what tracks it. */
  const begin = (page: Page, { poison, params, name = `e${++count}` }: What = {}): [Entry, () => void] => {
    const entry: Entry = { name, page, life: page, trackedAt: clock.now(), isDurable: false, stored: 0, failures: 0 };
    journal.entries.set(name, entry);
    if (poison) service.poison.set(name, poison);
    note(`tracks ${name}${poison ? `, which meets ${poison}` : ""}`, page);
    tell("onTrack", entry);
    const act = (): void => {
      page.tracker.track(name, params);
      const rows = world.storage.latest();
      entry.key = Object.keys(rows).find((key) => rows[key]!.includes(`"${name}"`));
      entry.isDurable = entry.key !== undefined;
    };
    return [entry, act];
  };

  const journal: Journal = {
    world,
    service,
    entries: new Map(),
    violations: [],
    log: [],
    isExact,

    open: async (more = {}, traits = {}) => {
      const config = { contactUid: "ann", ...more };
      note(`opens ${JSON.stringify(config)} ${JSON.stringify(traits)}`);
      const opening = world.open(config, traits);
      const page = world.pages.at(-1)!;
      tell("onOpen", page, config);
      return opening;
    },
    track: async (page, what) => {
      const [entry, act] = begin(page, what);
      await page.run(act);
      return entry;
    },
    trackMany: async (page, count) => {
      const entries: Entry[] = [];
      for (let place = 0; place < count; place++) entries.push(await journal.track(page));
      return entries;
    },
    call: (page, verb, ...args) =>
      page.run(() => void (page.tracker[verb] as (...given: unknown[]) => unknown)(...args)),
    until: async (isSo) => {
      for (const end = clock.now() + 3_600_000; !isSo(); await clock.advance(50))
        if (clock.now() > end) throw new Error(`it never comes that ${isSo}`);
    },
    pass: (seconds) => clock.advance(seconds * 1_000),
    identify: async (page, contact, account) => {
      note(`identifies ${contact} ${account ?? ""}`, page);
      tell("onIdentify", page, contact, account);
      await page.run(() => page.tracker.identify(contact, account));
    },
    reset: async (page) => {
      note("resets", page);
      tell("onReset", page);
      await page.run(() => page.tracker.reset());
    },
    clear: async (page) => {
      note("empties the storage", page);
      tell("onClear", page, false);
      await page.run(() => page.window.localStorage.clear());
    },
    removeKeys: async (page) => {
      note("removes all keys", page);
      tell("onClear", page, true);
      await page.run(() => {
        const { localStorage } = page.window;
        for (const key of Object.keys(localStorage)) localStorage.removeItem(key);
      });
    },
    forge: async (page, ...types) => {
      note("fires events of its own", page);
      for (const type of types.length ? types : ["storage", "visibilitychange", "pagehide", "online", "pageshow"])
        await page.run(() => page.window.dispatchEvent(new Event(type)));
    },
    choose: async (page, choice) => {
      note(`chooses ${choice}`, page);
      tell("onChoice", page, choice);
      await page.run(() => (choice === "granted" ? page.tracker.optIn() : page.tracker.optOut()));
    },
    hide: async (page) => {
      if (page.isHidden) return;
      note("is hidden", page);
      await page.hide();
      tell("onHide", page);
    },
    leave: async (page, { isNavigation = false, hiddenMs = 0, restMs = 0, isLate = false }) => {
      if (isNavigation) await page.navigateAway();
      else {
        await journal.hide(page);
        await clock.advance(hiddenMs);
        await page.leave();
      }
      note("is left", page);
      if (isLate) await journal.track(page);
      tell("onExit", page);
      await clock.advance(restMs);
      page.kill();
      tell("onEnd", page, "left");
    },
    cutOff: async (page, hiddenMs, uses) => {
      await journal.hide(page);
      await clock.advance(hiddenMs);
      note(`is cut off after ${uses} uses`, page);
      await page.cutOff(uses);
      tell("onEnd", page, "cut");
    },
    crash: (page) => {
      note("crashes", page);
      page.kill();
      tell("onEnd", page, "crashed");
    },
    freeze: async (page) => {
      await journal.hide(page);
      await page.freeze();
      note("goes into the cache", page);
      tell("onExit", page);
    },
    restore: async (page, isVisibleFirst) => {
      note("comes back", page);
      tell("onRestore", page);
      await page.restore(isVisibleFirst);
    },
    activate: async (page) => {
      note("is visited", page);
      await page.activate();
    },
    stall: async (page, ms, tracks) => {
      const act = tracks ? begin(page)[1] : undefined;
      note(`stands still for ${ms} ms`, page);
      tell("onStall", page, ms);
      await page.block(ms, act);
      tell("onResume", page);
    },
    jump: (ms) => {
      note(`the clock jumps by ${ms} ms`);
      tell("onJump");
      clock.jump(ms);
    },
    verify: (isCured) => {
      tell("verify", isCured);
      if (!journal.violations.length) return;
      const told = process.env.TRACE ? `\n\n${journal.log.join("\n")}` : "";
      throw new Error(journal.violations.slice(0, 5).join("\n") + told);
    },
  };
  service.onBegin = (sent, willFail) => {
    note(`sends ${sent.name}`, sent.page);
    tell("onBegin", sent, entryOf(sent), willFail);
  };
  service.onStore = (sent) => {
    note(`${sent.name} is stored`);
    const entry = entryOf(sent);
    entry.stored++;
    tell("onStore", sent, entry);
  };
  service.onFail = (sent, isStored) => tell("onFail", sent, entryOf(sent), isStored);
  world.locks.onAnswer = (page, name, isGranted) => note(`is ${isGranted ? "granted" : "refused"} ${name}`, page);
  world.onEnd = (sent, status, retryAfter) => {
    note(`hears ${status} for ${sent.name}${retryAfter ? `, again in ${retryAfter} s` : ""}`, sent.page);
    const entry = entryOf(sent);
    if (!isSuccess(status)) entry.failures++;
    tell("onHear", sent, entry, { status, retryAfter });
  };
  const rules = [durability, handOff, identities, consent, locks, order, pace].map((rule) => rule(journal));
  return journal;
};
