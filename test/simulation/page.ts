/** A page of the site: its window, the tracker in it, and its life from load to end. */
import type { Config, Problem, Tracker } from "../../src/types.js";
import type { StorageChange } from "./area.js";
import type { Entry } from "./bundles.js";
import type { Clock } from "./clock.js";
import { createSending } from "./network.js";
import { prepare } from "./script.js";
import { createEvent, type Target } from "./target.js";
import { createAbortSignal, createTimers } from "./timers.js";
import { createWindow, type PageDocument, type PageWindow } from "./window.js";
import type { World } from "./world.js";

/** A page in a browser of today that is seen. */
const USUAL = {
  /** Has `fetch` its `keepalive`? */
  canKeepAlive: true,
  /** Has it the Navigation API? */
  canNavigate: false,
  isHidden: false,
  /** Visible by its own account, but behind another window: its frames never come. */
  isCovered: false,
  /** While it is hidden, its timers come at multiples of so many milliseconds: a second, later a minute. */
  throttleMs: 0,
  /** Is it loaded ahead of a visit that may never come? */
  isPrerendering: false,
  /** The URL of the page that led to it. */
  cameFrom: "",
  /** Does it read what is stored now, as in Firefox, and not what it was told of, as in Chromium? */
  readsFresh: false,
};
type Traits = Partial<typeof USUAL>;

/** How a page is opened: options of its tracker, unless they are those of every page, and how its browser is. */
export type Opening = Partial<Config> & Traits;

/** Lets promises settle. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 16; turn++) await null;
};

export type Page = ReturnType<typeof createPage>;

export const createPage = (
  world: World,
  clock: Clock,
  { random, secure, opening }: { random: () => number; secure: () => number; opening: Opening },
) => {
  let usesLeft = Number.POSITIVE_INFINITY;
  let onCut: (() => void) | undefined;

  const page = {
    ...USUAL,
    ...(opening as Traits),
    isHidden: !!(opening.isHidden || opening.isPrerendering),
    config: {
      name: "tracklet",
      apiToken: "token",
      trackUrl: "https://track.example",
      pageviews: "off",
      contactUid: "ann",
      stamp: world.isStamped,
      onError: (problem) => page.problems.push(problem),
      ...opening,
    } as Config & { name: string },
    tracker: undefined as unknown as Tracker,
    window: undefined as unknown as PageWindow,
    document: undefined as unknown as PageDocument,
    problems: [] as Problem[],
    /** What was thrown into the page. */
    errors: [] as unknown[],
    /** Its tasks wait: it is busy, stopped, or in the back/forward cache. */
    isFrozen: false,
    /** It is in the back/forward cache, and hears of no storage event. */
    isCached: false,
    isDead: false,
    /** How often it has used the storage. */
    storageUses: 0,
    /** Is it in its `visibilitychange` to hidden, or in its `pagehide`? */
    isLeaving: false,
    /** Is it between `pagehide` and `pageshow`? */
    isGone: false,
    /** From its load or its return to its exit: to what was queued, a page that comes back is another one. */
    life: {},
    /** When it stood still last, also in the cache. */
    stoppedAt: Number.NEGATIVE_INFINITY,
    /** When it ran again, after it stood still or was in the cache. */
    resumedAt: Number.NEGATIVE_INFINITY,
    /** When it came back from the cache last. */
    restoredAt: Number.NEGATIVE_INFINITY,
    /** Timers and frames that it waits for. */
    waits: (): number => timers.count(),
    /** Runs at once, or when the page is no more prerendering. */
    whenVisited: (run: () => void) => void (page.isPrerendering ? toActivate.push(run) : run()),
    /** The visit has come. */
    activate: async () => {
      // Browsers tell first that it is seen, and then that it is no more prerendering.
      await setVisibility(false);
      page.isPrerendering = false;
      for (const run of toActivate.splice(0)) run();
      await fire(page.document, "prerenderingchange");
    },
    /** Its main thread does nothing until `wake`: neither tasks nor microtasks of it run. */
    stop: () => {
      page.isFrozen = true;
      page.stoppedAt = clock.now();
    },
    wake: async () => {
      page.isFrozen = false;
      page.resumedAt = clock.now();
      for (const run of microtasks.splice(0)) await page.run(run);
    },
    /** Tracks, and lets promises settle; the next task is up to the clock. */
    track: (name: string, params?: Record<string, unknown>) => page.run(() => page.tracker.track(name, params)),
    run: async <T>(act: () => T) => {
      const result = act();
      await settle();
      return result;
    },
    /** Evaluates a module of the project in the page, anew at each call. */
    load: async <Module>(entry: Entry) => page.run(() => prepare(entry)(page.window) as Module),
    hide: () => setVisibility(true),
    show: () => setVisibility(false),
    online: () => fire(page.window, "online"),
    /** Another window comes in front of this one, or goes. */
    cover: () => {
      page.isCovered = !page.isCovered;
      timers.planFrame();
    },
    /** Hides it, then leaves it, as a tab that is closed; its document lives on until `kill`. */
    leave: async () => {
      await setVisibility(true);
      await exit(false);
    },
    /** Leaves it by a navigation: browsers hide such a page after `pagehide`. */
    navigateAway: async () => {
      await exit(false);
      await setVisibility(true);
    },
    /**
     * Closes its tab as Firefox does: `pagehide` ends without an exception after so many uses of storage and network, and the
     * document with it.
     */
    cutOff: async (uses: number) => {
      usesLeft = uses;
      if (uses) await exit(false);
      page.kill();
    },
    /** Ends the document at once, with no event. */
    kill: () => {
      page.isDead = true;
      clock.drop(page);
      for (const sent of world.openRequests()) if (sent.page === page && !sent.keepalive) sent.isCut = true;
    },
    /** Leaves it for the back/forward cache. */
    freeze: async () => {
      await setVisibility(true);
      await exit(true);
      page.stop();
      page.isCached = true;
    },
    /** Brings it back; specifications and browsers differ on which event comes first. */
    restore: async (isVisibleFirst = true) => {
      page.isFrozen = page.isCached = false;
      page.resumedAt = page.restoredAt = clock.now();
      page.life = {};
      if (isVisibleFirst) await setVisibility(false);
      page.isGone = false;
      await fire(page.window, "pageshow", { persisted: true });
      await setVisibility(false);
    },
    /** Its process ends after so many more uses of storage and network, in the middle of whatever it does. */
    endAfter: (uses: number, act: () => void): void => {
      usesLeft = uses;
      onCut = act;
    },
    /** To be called by what the page uses: throws where the document has ended. */
    use: (): void => {
      if (usesLeft-- <= 0 && !page.isDead) {
        page.kill();
        onCut?.();
      }
      if (page.isDead) throw new Error("the document has ended");
    },
    /** To be called before each use of the storage. */
    useStorage: (): void => {
      page.use();
      page.storageUses++;
    },
    /** To be called when another page has changed the storage. */
    hear: (change: StorageChange): void => {
      if (page.isDead || page.isCached) return;
      const late = change.newValue === null ? world.storage.tellsLate() : 0;
      if (late) clock.add(late, () => tell(change), page);
      else if (changes.push(change) === 1)
        clock.add(1 + world.storage.lag() / 2, () => changes.splice(0).forEach(tell), page);
    },
  };

  const onError = (error: unknown): void => {
    if (!page.isDead) page.errors.push(error);
  };
  const fire = (target: Target, type: string, members = {}): Promise<unknown> =>
    page.run(() => target.dispatchEvent(createEvent(type, members)));
  const setVisibility = async (isHidden: boolean): Promise<void> => {
    if (page.isHidden === isHidden) return;
    page.isHidden = page.isLeaving = isHidden;
    await fire(page.document, "visibilitychange");
    page.isLeaving = false;
    timers.planFrame();
  };
  const exit = async (persisted: boolean): Promise<void> => {
    page.isLeaving = true;
    await fire(page.window, "pagehide", { persisted });
    page.isLeaving = false;
    page.isGone = true;
    // The next page of its tab is of the same process.
    if (!page.isDead) view.arrive();
  };
  const toActivate: (() => void)[] = [];
  /** Those of a blocked main thread. */
  const microtasks: (() => void)[] = [];

  /** Changes that other pages have made, until the browser tells of them. */
  const changes: StorageChange[] = [];
  const tell = (change: StorageChange): unknown => page.window.dispatchEvent(createEvent("storage", change));
  const view = world.storage.areaOf(page);
  const timers = createTimers(page, clock);
  const { fetch, sendBeacon } = createSending(page, world);
  page.window = createWindow(page, {
    clock,
    random,
    secure,
    area: view.area,
    members: {
      ...timers.members,
      fetch,
      AbortSignal: createAbortSignal(page, clock),
      queueMicrotask: (run: () => void) => (page.isFrozen ? void microtasks.push(run) : queueMicrotask(run)),
    },
    navigator: Object.defineProperty({ sendBeacon }, "onLine", { get: () => world.isOnline }),
    onError,
  });
  page.document = page.window.document;
  clock.add(0, () => page.window.dispatchEvent(createEvent("pageshow", { persisted: false })), page);
  return page;
};
