/** Histories that are told step by step: the rules of random ones hold in them as well. */
import { createJournal, type Journal } from "./journal.js";
import type { Entry } from "./rules/rule.js";
import type { Poison } from "./service.js";
import { dice, inWorld, type Page } from "./world.js";

/** Tells one history; its end need not be the end of what waits. @param seed of everything random */
export const inScenario = (test: (journal: Journal) => Promise<void>, seed = 1): Promise<void> => {
  const random = dice(seed);
  return inWorld(async (world) => {
    const journal = createJournal(world, { random });
    await test(journal);
    if (journal.violations.length) throw new Error(journal.violations.slice(0, 5).join("\n"));
  }, random);
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
