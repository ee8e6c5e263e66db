/**
 * Several pages over one storage, through thousands of random histories of outages, crashes, exits and full storage: no
 * event is lost, none is sent twice without need, and a service that asks for rest gets it.
 */
import fc from "fast-check";
import { describe, it } from "vitest";
import { fill } from "./area.js";
import { type Journal, type Weather, watch } from "./service.js";
import { dice, inWorld, type Page, type World } from "./world.js";

const MAX_PAGES = 4;

type Step =
  | { do: "track"; page: number; count: number }
  | { do: "pass"; ms: number }
  | { do: "weather"; weather: Weather; retryAfterS: number }
  | { do: "once"; weather: Weather }
  | {
      do: "open" | "crash" | "leave" | "close" | "hide" | "show" | "online" | "flush" | "freeze" | "adopt";
      page: number;
    }
  | { do: "restore"; page: number; isVisibleFirst: boolean }
  | { do: "busy"; page: number; ms: number }
  | { do: "fill" | "free" }
  | { do: "jump"; ms: number };

const page = fc.nat({ max: MAX_PAGES - 1 });
const weather = fc.constantFrom<Weather>("up", "up", "refused", "unavailable", "busy", "silent", "unauthorized");
const pass = fc.oneof(fc.nat(50), fc.nat(1_000), fc.nat(30_000), fc.nat(400_000));

const steps: fc.WeightedArbitrary<Step>[] = [
  { weight: 10, arbitrary: fc.record({ do: fc.constant("track"), page, count: fc.integer({ min: 1, max: 6 }) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("pass"), ms: pass }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("weather"), weather, retryAfterS: fc.integer({ min: 1, max: 90 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("once"), weather: fc.constantFrom<Weather>("lostBefore", "lostAfter") }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom("open", "open", "crash", "leave", "close", "hide", "show", "online", "flush", "freeze"),
      page,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore"), page, isVisibleFirst: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("busy"), page, ms: fc.nat(5_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("fill", "free") }) },
];

const jumps: fc.WeightedArbitrary<Step> = {
  weight: 2,
  arbitrary: fc.record({
    do: fc.constant("jump"),
    ms: fc.oneof(fc.integer({ min: -86_400_000, max: 86_400_000 }), fc.integer({ min: -5_000, max: 5_000 })),
  }),
};

const take = async (step: Step, world: World, journal: Journal, names: () => string): Promise<void> => {
  const living = world.pages.filter(({ isDead, isFrozen }) => !isDead && !isFrozen);
  const chosen = "page" in step ? living[step.page % living.length] : undefined;
  switch (step.do) {
    case "pass":
      return world.clock.advance(step.ms);
    case "weather":
      journal.weather = step.weather;
      journal.retryAfterS = step.retryAfterS;
      return;
    case "once":
      journal.once = step.weather;
      return;
    case "open":
      if (living.length < MAX_PAGES) await world.open();
      return;
    case "fill":
      // No event fits any more; a lease or the back-off does.
      return fill(world.storage, 60);
    case "free":
      world.storage.quota = Number.POSITIVE_INFINITY;
      return;
    case "jump":
      journal.onJump();
      return world.clock.jump(step.ms);
    case "restore": {
      const frozen = world.pages.filter((one) => one.isFrozen && !one.isDead);
      const back = frozen[step.page % frozen.length];
      if (back) journal.onRestore(back);
      return back?.restore(step.isVisibleFirst);
    }
  }
  if (!chosen) return;
  switch (step.do) {
    case "track":
      for (let count = 0; count < step.count; count++) await journal.track(chosen, names());
      return;
    case "crash":
      journal.onCrash(chosen);
      return chosen.kill();
    case "close":
    case "leave":
      await end(chosen, journal, step.do === "leave" ? world : undefined);
      return;
    case "freeze":
      // What is begun at the exit counts as well.
      await chosen.freeze();
      return journal.onLeave(chosen);
    case "busy": {
      chosen.isFrozen = true;
      await world.clock.advance(step.ms);
      chosen.isFrozen = false;
      return;
    }
    case "flush":
      await chosen.run(() => void chosen.tracker.flush());
      return;
    case "hide":
    case "show":
    case "online":
      return chosen[step.do]();
  }
};

/** Leaves a page; its document may live on for a moment. */
const end = async (page: Page, journal: Journal, world?: World): Promise<void> => {
  await page.leave();
  journal.onLeave(page);
  await world?.clock.advance(30);
  page.kill();
};

/** The service is well again and there is room: a visitor comes once more. */
const heal = async (world: World, journal: Journal, names: () => string): Promise<void> => {
  journal.weather = "up";
  journal.once = undefined;
  world.storage.quota = Number.POSITIVE_INFINITY;
  for (const one of world.pages) if (one.isFrozen && !one.isDead) one.kill();
  await world.clock.advance(400_000);
  for (const one of world.pages) if (!one.isDead) await end(one, journal, world);
  const last = await world.open();
  await world.clock.advance(60_000);
  // What an earlier page left to the browser is settled by the first answer.
  await journal.track(last, names());
  await world.clock.advance(400_000);
};

const verify = (world: World, journal: Journal): void => {
  for (const [name, entry] of journal.entries) {
    const isReported = world.pages.some(({ problems }) => problems.some(({ event }) => event?.event_uid === name));
    if (!entry.stored && entry.isDurable && !entry.mayBeLost && !isReported) journal.violations.push(`${name} is lost`);
  }
  for (const name of world.stored()) journal.violations.push(`${name} still waits`);
  if (journal.violations.length) throw new Error(journal.violations.slice(0, 5).join("\n"));
};

const history = (allowed: fc.WeightedArbitrary<Step>[]) =>
  fc.record({
    seed: fc.nat(),
    steps: fc.array(fc.oneof(...allowed), { minLength: 3, maxLength: 40, size: "max" }),
  });

const live = (isExact: boolean) => async (plan: { seed: number; steps: Step[] }) => {
  const random = dice(plan.seed);
  await inWorld(async (world) => {
    const journal = watch(world, { isExact });
    let count = 0;
    const names = () => `event ${++count}`;
    journal.latency = () => (random() < 0.1 ? 3_000 : 400) * random() + 1;
    await world.open();
    for (const step of plan.steps) await take(step, world, journal, names);
    await heal(world, journal, names);
    verify(world, journal);
  }, random);
};

const RUNS = Number(process.env.RUNS ?? 300);

describe("whatever happens", () => {
  it("no event is lost, repeated or sent too early", () =>
    fc.assert(fc.asyncProperty(history(steps), live(true)), { seed: 1, numRuns: RUNS }));
  it("nor when the clock jumps, is any lost", () =>
    fc.assert(fc.asyncProperty(history([...steps, jumps]), live(false)), { seed: 2, numRuns: RUNS }));
});
