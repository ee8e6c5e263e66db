/** Histories that are told step by step: the rules of random ones hold in them as well. */
import { expect } from "vitest";
import { createJournal, type Journal } from "./journal.js";
import type { Entry } from "./rules/rule.js";
import type { Poison } from "./service.js";
import { dice, inWorld, type Page } from "./world.js";

/** The longest waits, and names of pages that differ. */
export const patient = (): (() => number) => {
  const random = dice(1);
  return () => 0.99 + random() / 1_000;
};

/** Tells one history; its end need not be the end of what waits. @param chance the seed of everything random, or that itself */
export const inScenario = (
  test: (journal: Journal) => Promise<unknown>,
  chance: number | (() => number) = 1,
): Promise<void> => {
  const random = typeof chance === "number" ? dice(chance) : chance;
  return inWorld(async (world) => {
    // Most changes of the storage are seen at once, some come late.
    world.storage.lag = () => (random() < 0.8 ? 0 : 120 * random());
    const journal = createJournal(world, { random });
    try {
      await test(journal);
    } finally {
      if (process.env.TRACE) console.log(journal.log.join("\n"));
    }
    if (journal.violations.length) throw new Error(journal.violations.slice(0, 5).join("\n"));
  }, random);
};

/** Each event has arrived, once. */
export const expectOnce = ({ entries }: Journal): void => {
  const all = [...entries.values()];
  expect({ missing: missing(all), repeated: repeated(all) }).toEqual({ missing: [], repeated: [] });
};

/** Tracks so many events; those at the given places, from 1, are poisonous. */
export const trackMany = async (
  journal: Journal,
  page: Page,
  { count, bad = {} }: { count: number; bad?: Record<number, Poison> },
): Promise<Entry[]> => {
  const entries: Entry[] = [];
  for (let place = 1; place <= count; place++) entries.push(await journal.track(page, bad[place]));
  return entries;
};

/** The names of those that have not arrived, or not once. */
export const missing = (entries: Entry[]): string[] => entries.filter(({ stored }) => !stored).map(({ name }) => name);
export const repeated = (entries: Entry[]): string[] =>
  entries.filter(({ stored }) => stored > 1).map(({ name }) => name);
/** All but the poisonous ones. */
export const good = ({ service }: Journal, entries: Entry[]): Entry[] =>
  entries.filter(({ name }) => !service.poison.has(name));
