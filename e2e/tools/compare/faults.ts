import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, Page } from "playwright";
import { leaveBy } from "../../harness/tab.js";
import { names } from "../../harness/track.js";
import type { Peer, Received } from "./peers.js";
import { startVisit, type Visit } from "./visit.js";

const DOWN = { status: 503 };
const OUTAGE_MS = 5_000;
const HANG_MS = 20_000;

export interface Fault {
  /** Its heading in the table. */
  title: string;
  /** What happens, for the reader of the table. */
  what: string;
  /** Goes through it; resolves to the tab in which the visitor goes on. */
  happen: (visit: Visit) => Promise<Page>;
}

/** The events that are recorded in each of them, each once. */
const EVENTS = names("event", 20);
const [FIRST, SECOND] = [EVENTS.slice(0, 10), EVENTS.slice(10)];

/** What goes wrong, by the name that the command knows. */
export const FAULTS: Record<string, Fault> = {
  none: {
    title: "nothing",
    what: "Nothing fails.",
    happen: async (visit) => {
      const page = await visit.open();
      await visit.record(page, EVENTS);
      return page;
    },
  },

  outage: {
    title: "outage and reload",
    what: "The service answers 503. Ten events, 5 s, a reload, ten events, 5 s; then it is well.",
    happen: async (visit) => {
      const page = await visit.open();
      visit.fail(DOWN);
      await visit.record(page, FIRST);
      await sleep(OUTAGE_MS);
      await page.reload();
      await visit.record(page, SECOND);
      await sleep(OUTAGE_MS);
      visit.heal();
      return page;
    },
  },

  navigation: {
    title: "navigation",
    what: "Four times: five events, and `location.assign` in the same task.",
    happen: async (visit) => {
      const page = await visit.open();
      for (let start = 0; start < EVENTS.length; start += 5) {
        const calls = EVENTS.slice(start, start + 5).map((name) => `record("${name}");`);
        await leaveBy(page, `${calls.join("")} location.assign("/next")`);
        await visit.becomesReady(page);
      }
      return page;
    },
  },

  crash: {
    title: "crash",
    what: "The tab's process crashes 100 ms after the last of twenty events; a new tab is opened.",
    happen: async (visit) => {
      const page = await visit.open();
      const crashed = page.waitForEvent("crash");
      await visit.record(page, EVENTS);
      // Never answered: the process is gone.
      page.goto("chrome://crash").catch(() => {});
      await crashed;
      return visit.open();
    },
  },

  hang: {
    title: "hanging service",
    what: "For 20 s no request is answered. Twenty events at the beginning.",
    happen: async (visit) => {
      const page = await visit.open();
      visit.fail("hang");
      await visit.record(page, EVENTS);
      await sleep(HANG_MS);
      visit.heal();
      return page;
    },
  },

  poison: {
    title: "one event always fails",
    what: "Each request that holds one certain event is answered 500; ten others before it, ten behind.",
    happen: async (visit) => {
      const page = await visit.open();
      visit.refuse("poison");
      await visit.record(page, [...FIRST, "poison", ...SECOND]);
      return page;
    },
  },

  tabs: {
    title: "two tabs in an outage",
    what: "The service answers 503. Ten events in each of two tabs, 5 s; then it is well. Both tabs stay open.",
    happen: async (visit) => {
      const [page, other] = [await visit.open(), await visit.open()];
      visit.fail(DOWN);
      await Promise.all([visit.record(page, FIRST), visit.record(other, SECOND)]);
      await sleep(OUTAGE_MS);
      visit.heal();
      return page;
    },
  },
};

export interface Count {
  /** How many events were recorded, and how many of them never came. */
  events: number;
  lost: number;
  /** Events that came more than once: with an id that tells the service so, and without. */
  repeated: number;
  unmarked: number;
}

/** What a service has taken of the events that were recorded. */
const countEvents = (events: readonly string[], taken: readonly Received[]): Count => {
  const copies = events.map((event) => taken.filter(({ name }) => name === event));
  const repeated = copies.filter(({ length }) => length > 1);
  const isMarked = ([first, ...rest]: Received[]): boolean =>
    first!.id !== undefined && rest.every(({ id }) => id === first!.id);
  return {
    events: events.length,
    lost: copies.filter(({ length }) => length === 0).length,
    repeated: repeated.length,
    unmarked: repeated.filter((same) => !isMarked(same)).length,
  };
};

/** A visit takes up to a minute and a half. A page that is blocked by its tracker would never end it. Milliseconds. */
const LIMIT_MS = 120_000;
const endLate = (): never => {
  throw new Error(`the visit has not come to its end within ${LIMIT_MS / 1_000} s`);
};

/** Has a visitor meet a fault, and counts. @throws Error when a request could not be read */
export const measureFault = async (
  browser: Browser,
  peer: Peer,
  { script, fault }: { script: string; fault: Fault },
): Promise<Count> => {
  const visit = await startVisit(browser, peer, script);
  const meet = async (): Promise<void> => visit.goOn(await fault.happen(visit), EVENTS);
  try {
    await Promise.race([meet(), sleep(LIMIT_MS, undefined, { ref: false }).then(endLate)]);
    if (visit.errors.length) throw new Error(visit.errors.join("\n"));
    return countEvents(EVENTS, visit.taken);
  } finally {
    await visit.close();
  }
};
