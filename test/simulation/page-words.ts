/** The words of a story on one page: what it does, what is done to it, and what it was told. */
import { expect } from "vitest";
import type { Tracker } from "../../src/types.js";
import type { Journal } from "./journal.js";
import { readFate, words } from "./read-words.js";
import { HEARD_MS } from "./rules/rule.js";
import type { Teller } from "./story.js";
import type { Page, World } from "./world.js";

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
  const at = teller.world.clock.now();
  const { cleared } = teller;
  // Of two pages at the same time, the other one's may still come.
  const isOther = cleared.by !== by && at < cleared.at + HEARD_MS;
  teller.cleared = isOther ? { at, isByKey: isByKey || !!cleared.isByKey } : { at, by, isByKey };
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
    await world.clock.advance(timeoutMs + 51);
    expect(result).toEqual({ delivered, queued, dropped });
  },
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
