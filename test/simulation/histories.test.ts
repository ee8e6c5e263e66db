/**
 * Several pages over one storage, through thousands of random histories: nothing is lost, repeated, sent too early or as
 * somebody else's. `RUNS=1334` takes more of each kind, 12,000 in all, and `SEED=2` others. `TRACE=1` tells what happened in the
 * one that failed, `REPLAY=<path>` takes that one alone, and `WITHOUT="cutOff half"` leaves out these steps and kinds of weather.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { createJournal, type Journal } from "./journal.js";
import { BASE, CLEARING, CONSENT, IDENTITIES, JUMPS, POISON, type Step, take, type Weighted } from "./steps.js";
import { dice, inWorld } from "./world.js";

const RUNS = Number(process.env.RUNS ?? 100);
const SEED = Number(process.env.SEED ?? 1);
/** The path that a failure has printed. */
const REPLAY = process.env.REPLAY && { path: process.env.REPLAY, endOnFailure: true };
const WITHOUT = (process.env.WITHOUT ?? "").split(" ");
const isLeftOut = (step: Step): boolean =>
  WITHOUT.includes(step.do) || ("weather" in step && WITHOUT.includes(step.weather));

/** The longest back-off and the pause are over after this time, in milliseconds. */
const LONG_MS = 400_000;

/** The service is well again and there is room: a visitor comes once more. */
const heal = async ({ world, service, ...journal }: Journal): Promise<void> => {
  service.weather = "up";
  service.once = undefined;
  world.storage.quota = Number.POSITIVE_INFINITY;
  for (const page of world.pages) if (page.isFrozen && !page.isDead) journal.crash(page);
  await world.clock.advance(LONG_MS);
  for (const page of world.pages) if (!page.isDead) await journal.leave(page, { restMs: 30 });
  // What had nobody to belong to is hers.
  const last = await journal.open({ contactUid: "zoe" });
  await world.clock.advance(60_000);
  // What an earlier page left to the browser is settled by the first answer.
  await journal.track(last);
  await world.clock.advance(LONG_MS);
  if (service.poison.size) {
    journal.verify(false);
    service.poison.clear();
    await world.clock.advance(LONG_MS);
  }
  journal.verify(true);
};

/** Nothing waits: neither timers nor looks into the storage. */
const checkRest = async ({ world }: Journal): Promise<void> => {
  const last = world.pages.at(-1)!;
  await world.clock.advance(60_000);
  const before = last.storageUses;
  await world.clock.advance(60_000);
  const [uses, waits] = [last.storageUses - before, last.waits()];
  if (uses || waits)
    throw new Error(`a page at rest has ${waits} timers and has used the storage ${uses} times a minute`);
};

const history = (allowed: Weighted[]) =>
  fc.record({
    seed: fc.nat(),
    steps: fc.array(fc.oneof(...allowed), { minLength: 3, maxLength: 40, size: "max" }),
  });

const live =
  ({ isExact = true, rests = false }) =>
  ({ seed, steps }: { seed: number; steps: Step[] }): Promise<void> => {
    const random = dice(seed);
    return inWorld(async (world) => {
      const journal = createJournal(world, { isExact, random });
      // Most changes of the storage are seen at once, some come late.
      world.storage.lag = () => (random() < 0.8 ? 0 : 120 * random());
      journal.service.latency = () => (random() < 0.1 ? 3_000 : 400) * random() + 1;
      await journal.open();
      for (const step of steps) if (!isLeftOut(step)) await take(step, journal);
      await heal(journal);
      if (rests) await checkRest(journal);
    }, random);
  };

const EVERYTHING = [...BASE, ...POISON, ...CLEARING, ...IDENTITIES, ...CONSENT];

describe("whatever happens", () => {
  it.each<[string, Weighted[], Parameters<typeof live>[0]]>([
    ["outages, exits, crashes and full storage", BASE, {}],
    ["clocks that jump", [...BASE, ...JUMPS], { isExact: false }],
    ["events that the service never takes", [...BASE, ...POISON], {}],
    ["emptied storage", [...BASE, ...CLEARING], {}],
    ["several people", [...BASE, ...IDENTITIES], {}],
    ["refusals and agreements", [...BASE, ...CONSENT], {}],
    ["all of it", EVERYTHING, {}],
    ["all of it, and clocks that jump", [...EVERYTHING, ...JUMPS], { isExact: false }],
    ["then rest", BASE, { rests: true }],
  ])("%s", { timeout: 20_000 + RUNS * 200 }, (_, steps, how) =>
    fc.assert(fc.asyncProperty(history(steps), live(how)), { seed: SEED, numRuns: RUNS, ...REPLAY }),
  );
});
