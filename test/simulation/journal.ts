/** What became of every event, and what the rules say about it. */
import type { Params } from "../../src/types/declared.js";
import { consent } from "./rules/consent.js";
import { durability } from "./rules/durability.js";
import { handOff } from "./rules/hand-off.js";
import { identities } from "./rules/identities.js";
import { order } from "./rules/order.js";
import { pace } from "./rules/pace.js";
import { type Entry, isSuccess, type Rule } from "./rules/rule.js";
import { turn } from "./rules/turn.js";
import { createService, type Fate } from "./service.js";
import type { Page, Sent, World } from "./world.js";

export type Journal = ReturnType<typeof createJournal>;

export const createJournal = (world: World, random: () => number) => {
  const { clock } = world;
  const service = createService(world, random);
  const entryOf = ({ name }: Sent): Entry => journal.entries.get(name)!;
  let count = 0;

  const journal = {
    world,
    service,
    entries: new Map<string, Entry>(),
    /** What must never happen, and did. */
    violations: [] as string[],
    violate: (what: string): void => void journal.violations.push(`${clock.now()} ms: ${what}`),
    /** What has happened, line by line. */
    log: [] as string[],
    note: (what: string, page?: Page): void =>
      void journal.log.push(`${clock.now()} ms: ${page ? `page ${world.pages.indexOf(page) + 1} ` : ""}${what}`),
    /** When a page has emptied the storage last, at once or key by key. */
    cleared: { at: Number.NEGATIVE_INFINITY } as { at: number; by?: Page; isByKey?: boolean },
    /** Does the clock run as it should, so that pages keep their order and know when a wait is over? */
    isExact: true,
    /** An event under a new name, unless it has one, and what tracks it. */
    begin: (
      page: Page,
      { poison, params, name = `e${++count}` }: { name?: string; params?: Params; poison?: Fate } = {},
    ): (() => void) => {
      const entry: Entry = {
        name,
        page,
        life: page.life,
        trackedAt: clock.now(),
        isDurable: false,
        stored: 0,
        failures: 0,
      };
      journal.entries.set(name, entry);
      if (poison) service.poison.set(name, poison);
      journal.inform("onTrack", entry);
      return () => {
        page.tracker.track(name, params);
        const rows = world.storage.latest();
        entry.key = Object.keys(rows).find((key) => rows[key]!.includes(`"${name}"`));
        entry.isDurable = entry.key !== undefined;
      };
    },
    /** Tells all rules. */
    inform: <Name extends keyof Rule>(name: Name, ...args: Parameters<NonNullable<Rule[Name]>>): void => {
      for (const rule of rules) (rule[name] as ((...all: typeof args) => void) | undefined)?.(...args);
    },
  };
  service.onBegin = (sent, willFail) => {
    journal.note(`sends ${sent.name}`, sent.page);
    journal.inform("onBegin", sent, entryOf(sent), willFail);
  };
  service.onStore = (sent) => {
    journal.note(`${sent.name} is stored`);
    const entry = entryOf(sent);
    entry.stored++;
    journal.inform("onStore", sent, entry);
  };
  service.onFail = (sent, isStored) => journal.inform("onFail", sent, entryOf(sent), isStored);
  world.onEnd = (sent, status, retryAfter) => {
    journal.note(`hears ${status} for ${sent.name}${retryAfter ? `, again in ${retryAfter} s` : ""}`, sent.page);
    const entry = entryOf(sent);
    if (!isSuccess(status)) entry.failures++;
    journal.inform("onHear", sent, entry, { status, retryAfter });
  };
  const rules = [durability, handOff, identities, consent, order, pace, turn].map((rule) => rule(journal));
  return journal;
};
