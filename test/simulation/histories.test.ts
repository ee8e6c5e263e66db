/**
 * Several pages over one storage, through thousands of random histories: nothing is lost, repeated, sent too early or as
 * somebody else's. `RUNS=1334` takes more of each kind, 12,000 in all, and `SEED=2` others. `TRACE=1` tells what happened in the
 * one that failed, `REPLAY=<path>` takes that one alone.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { BASE, CLEARING, CONSENT, IDENTITIES, JUMPS, KILLS, POISON, type Weighted } from "./steps.js";
import { inStory, type Teller } from "./story.js";

const RUNS = Number(process.env.RUNS ?? 100);
const SEED = Number(process.env.SEED ?? 1);
/** The path that a failure has printed. */
const REPLAY = process.env.REPLAY && { path: process.env.REPLAY, endOnFailure: true };

/** The longest back-off and the pause are over after this time. */
const LONG = "400 s";

/** The service is well again and there is room: a visitor comes once more. */
const heal = async ({ world, service, tell, act, inform }: Teller): Promise<void> => {
  service.once = undefined;
  await tell("weather up; storage free");
  for (const page of world.pages) if (page.isFrozen && !page.isDead) await act(page, "crashes");
  await tell(LONG);
  for (const page of world.pages) if (!page.isDead) await act(page, "leaves 0 30");
  // What had nobody to belong to is hers; what an earlier page left to the browser is settled by the first answer.
  await tell(`Z opens as zoe; 60 s; Z tracks; ${LONG}`);
  if (service.poison.size) {
    inform("verify", false);
    await tell(`cured; ${LONG}`);
  }
  inform("verify", true);
};

const history = (allowed: Weighted[]) =>
  fc.record({
    seed: fc.nat(),
    steps: fc.array(fc.oneof(...allowed), { minLength: 3, maxLength: 40, size: "max" }),
    /** Do all pages stamp their events? */
    isStamped: fc.boolean(),
    /** Does the service take several events in one request, and drop repeats by their stamps? */
    isOffering: fc.boolean(),
  });

type History = { seed: number; steps: string[]; isStamped: boolean; isOffering: boolean };

const live =
  ({ isExact = true, end = "" }) =>
  ({ seed, steps, isStamped, isOffering }: History): Promise<void> =>
    inStory(async (teller) => {
      if (isStamped) await teller.tell("stamped");
      if (isOffering) await teller.tell("most 1000");
      const { random } = teller;
      teller.isExact = isExact;
      teller.service.latency = () => (random() < 0.2 ? 5_000 : 400) * random() + 1;
      teller.world.storage.tellsLate = () => (random() < 0.8 ? 0 : 5_000 * random());
      await teller.tell("A opens");
      for (const step of steps) await teller.tell(step);
      await heal(teller);
      await teller.tell(end);
    }, seed);

const EVERYTHING = [...BASE, ...POISON, ...CLEARING, ...IDENTITIES, ...CONSENT];

describe("whatever happens", () => {
  it.each<[string, Weighted[], Parameters<typeof live>[0]]>([
    ["outages, exits, crashes and full storage", [...BASE, ...KILLS], {}],
    ["clocks that jump", [...BASE, ...KILLS, ...JUMPS], { isExact: false }],
    ["events that the service never takes", [...BASE, ...POISON], {}],
    ["emptied storage", [...BASE, ...CLEARING], {}],
    ["several people", [...BASE, ...IDENTITIES], {}],
    ["refusals and agreements", [...BASE, ...CONSENT], {}],
    ["all of it", EVERYTHING, {}],
    ["all of it, and clocks that jump", [...EVERYTHING, ...JUMPS], { isExact: false }],
    ["then rest", [...BASE, ...KILLS], { end: "60 s; rest" }],
  ])("%s", { timeout: 600_000 + RUNS * 2_000 }, (_, steps, how) =>
    fc.assert(fc.asyncProperty(history(steps), live(how)), { seed: SEED, numRuns: RUNS, ...REPLAY }),
  );
});
