/** The same model with a service that is a process: it is killed, its PostgreSQL too, and its disk is full. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CASE_NAMES, killAfter } from "./crash-points.js";
import { type History, histories, kindsFor, live } from "./history.js";
import { type Shared, startShared } from "./in-process.js";
import { startOwn } from "./spawned.js";

const SEED = Number(process.env.SEED ?? 1);
/** Milliseconds of histories. */
const LONG = process.env.TEST_ALL ? 240_000 : 20_000;
/** Of all commands, each killed after one of its first operations. */
const POINTS = 10;

describe("a service as a process", () => {
  it("is as the model says where things break", async () => {
    const own = await startOwn();
    for (const [name, why] of Object.entries(own.cannot)) console.log(`left out: ${name}: ${why}`);
    const until = performance.now() + LONG;
    for (let seed = SEED; performance.now() < until; seed += 1) {
      const [history] = fc.sample(histories(kindsFor(own.cannot)), { seed, numRuns: 1 }) as [History];
      await live(history, own.open).catch((error: Error) => {
        throw new Error(`seed ${seed}: npm run model -- --seed ${seed} --runs 1: ${error.stack}`);
      });
    }
    await own.stop();
  });
});

describe("what is killed", () => {
  let shared: Shared;
  beforeAll(async () => {
    shared = await startShared();
  });
  afterAll(() => shared.stop());

  const drawn = fc.sample(fc.tuple(fc.constantFrom(...CASE_NAMES), fc.integer({ min: 1, max: 40 })), {
    seed: SEED,
    numRuns: POINTS,
  });
  it.each(drawn)("goes on where it was killed after one of its operations: %s, %i", async (name, point) => {
    await killAfter(shared, name, point);
  });
});

it("takes the same steps and faults by the same seed", () => {
  const text = () =>
    (fc.sample(histories(kindsFor({})), { seed: SEED, numRuns: 50 }) as History[]).map(({ kinds, steps, zone }) => [
      ...[zone, ...kinds],
      ...[...steps].map(String),
    ]);
  expect(text()).toEqual(text());
});
