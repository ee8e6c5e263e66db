import { setTimeout as sleep } from "node:timers/promises";
import type { Page } from "playwright";
import { leaveBy } from "../../harness/tab.js";
import { names } from "../../harness/track.js";
import type { Visit } from "./visit.js";

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
export const EVENTS = names("event", 20);
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
      await visit.fail(DOWN);
      await visit.record(page, FIRST);
      await sleep(OUTAGE_MS);
      await page.reload();
      await visit.record(page, SECOND);
      await sleep(OUTAGE_MS);
      await visit.heal();
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
      const session = await page.context().newCDPSession(page);
      const crashed = page.waitForEvent("crash");
      await visit.record(page, EVENTS);
      // Never answered: the process is gone.
      session.send("Page.crash").catch(() => {});
      await crashed;
      return visit.open();
    },
  },

  hang: {
    title: "hanging service",
    what: "For 20 s no request is answered. Twenty events at the beginning.",
    happen: async (visit) => {
      const page = await visit.open();
      await visit.fail("hang");
      await visit.record(page, EVENTS);
      await sleep(HANG_MS);
      await visit.heal();
      return page;
    },
  },

  poison: {
    title: "one event always fails",
    what: "Each request that holds one certain event is answered 500; ten others before it, ten behind.",
    happen: async (visit) => {
      const page = await visit.open();
      visit.collector.refuse("poison");
      await visit.record(page, [...FIRST, "poison", ...SECOND]);
      return page;
    },
  },

  tabs: {
    title: "two tabs in an outage",
    what: "The service answers 503. Ten events in each of two tabs, 5 s; then it is well. Both tabs stay open.",
    happen: async (visit) => {
      const [page, other] = [await visit.open(), await visit.open()];
      await visit.fail(DOWN);
      await Promise.all([visit.record(page, FIRST), visit.record(other, SECOND)]);
      await sleep(OUTAGE_MS);
      await visit.heal();
      return page;
    },
  },
};
