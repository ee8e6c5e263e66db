/**
 * Histories that are told in words; the rules of the random ones hold in them as well. A step is a line, or ends with a semicolon:
 *
 *   A opens nobody; A tracks 3; 1 s; B opens as ann/acme; weather refused; B tracks poison 500; B leaves; 60 s; once
 *
 * `A` to `Z` are pages; in histories at random `a` to `d` are any that run. What they do, and what is expected, are the words of
 * `page-words.ts` and `world-words.ts`. Events without a name are e1, e2 and so on.
 */
import { describe, it } from "vitest";
import { createJournal } from "./journal.js";
import type { Opening } from "./page.js";
import { PAGE, somebody } from "./page-words.js";
import { readOpening } from "./read-words.js";
import { dice, inWorld, type Page, type World } from "./world.js";
import { WORLD } from "./world-words.js";

export type Teller = ReturnType<typeof createTeller>;

const createTeller = (world: World, random: () => number) => {
  const { clock } = world;
  const pages = new Map<string, Page>();
  const take = async (step: string): Promise<unknown> => {
    const [, time, unit] = /^([\d.]+) (s|ms)$/.exec(step) ?? [];
    if (time) return clock.advance(Number(time) * (unit === "s" ? 1_000 : 1));
    const [, letter, verb = "", rest = ""] = /^(?:([A-Za-z]) )?(\w+) ?(.*)$/s.exec(step)!;
    if (letter && verb === "opens") return pages.set(letter, await teller.open(readOpening(rest)));
    if (letter && letter <= "Z") return teller.act(teller.page(letter), `${verb} ${rest}`);
    if (letter) {
      const page = somebody(world, letter, verb);
      return page && teller.act(page, `${verb} ${rest}`);
    }
    if (!WORLD[verb]) throw new Error("no such step");
    teller.note(step);
    return WORLD[verb](teller, rest);
  };
  const teller = Object.assign(createJournal(world, random), {
    /** So many requests were counted before. */
    counted: 0,
    /** What all chances are from now on, from 0 to 1. */
    chance: undefined as number | undefined,
    random,
    /** The page of this letter that was opened last. */
    page: (letter: string): Page => pages.get(letter)!,
    open: (given?: Opening): Promise<Page> => {
      const opening = world.open(given);
      const page = world.pages.at(-1)!;
      teller.note(`opens ${JSON.stringify(given)}`, page);
      teller.inform("onOpen", page);
      return opening;
    },
    /** One step of a page. */
    act: async (page: Page, text: string): Promise<unknown> => {
      const [, verb = "", rest = ""] = /^(\w+) ?(.*)$/s.exec(text)!;
      if (!PAGE[verb]) throw new Error("no such step");
      teller.note(text, page);
      return PAGE[verb](teller, page, rest);
    },
    /** Lets time pass until something is so, for an hour at most. */
    until: async (isSo: () => unknown): Promise<void> => {
      for (const end = clock.now() + 3_600_000; !isSo(); await clock.advance(50))
        if (clock.now() > end) throw new Error(`it never comes that ${isSo}`);
    },
    tell: async (text: string): Promise<void> => {
      for (const step of text.split(/[;\n]/).map((one) => one.trim()))
        if (step)
          await take(step).catch((error: Error) => {
            error.message = `at "${step}", ${clock.now()} ms: ${error.message}`;
            throw error;
          });
    },
  });
  return teller;
};

/**
 * Tells one history; its end need not be the end of what waits. With `TRACE=1`, a failure tells all that has happened.
 * @param seed of everything random
 */
export const inStory = (test: Story, seed = 1): Promise<void> => {
  let teller: Teller | undefined;
  const rolled = dice(seed);
  const random = (): number => teller?.chance ?? rolled();
  return inWorld(async (world) => {
    // Most changes of the storage are seen at once, some come late.
    world.storage.lag = () => (random() < 0.8 ? 0 : 125 * Math.sqrt(random()));
    teller = createTeller(world, random);
    try {
      await (typeof test === "string" ? teller.tell(test) : test(teller));
      if (teller.violations.length) throw new Error(teller.violations.slice(0, 5).join("\n"));
    } catch (error) {
      if (process.env.TRACE) console.log(teller.log.join("\n"));
      throw error;
    }
  }, random);
};

/** In words, or what tells it. */
export type Story = string | ((teller: Teller) => Promise<unknown>);

/** What may precede a story: the service takes several events in one request. */
export const SEVERAL = "stamped; most 1000";
/**
 * A test for each story, by its title.
 *
 * @param before what precedes each
 */
export const stories = (title: string, cases: Record<string, Story>, { seeds = 1, before = "" } = {}): void => {
  describe(title + (before && ` (${before})`), () => {
    for (const [name, story] of Object.entries(cases))
      it(name, async () => {
        const whole: Story =
          typeof story === "string" ? `${before}; ${story}` : (teller) => teller.tell(before).then(() => story(teller));
        for (let seed = 1; seed <= seeds; seed++) await inStory(whole, seed);
      });
  });
};

/** The same with one event a request, and with several. */
export const storiesTwice = (title: string, cases: Record<string, Story>, { seeds = 1 } = {}): void => {
  for (const before of ["", SEVERAL]) stories(title, cases, { seeds, before });
};

/** The same story for each of these values. */
export const each = <T>(values: readonly T[], tell: (value: T) => [title: string, story: Story]) =>
  Object.fromEntries(values.map(tell));
