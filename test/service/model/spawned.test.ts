/** The same model with a service that is a process: it is killed, its PostgreSQL too, and its disk is full. */
import fc from "fast-check";
import { afterAll, beforeAll, it } from "vitest";
import { CASE_NAMES, killAfter } from "./crash-points.js";
import { historyOf, live } from "./history.js";
import { type Shared, startShared } from "./in-process.js";
import { startOwn } from "./spawned.js";

const SEED = Number(process.env.SEED ?? 1);
/** Histories: some minutes. */
const RUNS = Number(process.env.RUNS ?? 12);
/** Of all commands, each killed after one of its first operations. */
const POINTS = 10;

let shared: Shared;
beforeAll(async () => {
  shared = await startShared();
});
afterAll(() => shared.stop());

// On request, as `npm run model` does: in one of four runs the first has lost an event behind a restore and a kill of PostgreSQL.
it.runIf(process.env.MODEL)("is as the model says where things break", { timeout: 900_000 }, async () => {
  const own = await startOwn();
  for (const [name, why] of Object.entries(own.cannot)) console.log(`left out: ${name}: ${why}`);
  for (let seed = SEED; seed < SEED + RUNS; seed += 1)
    await live(historyOf(seed, own.cannot), own.open).catch((error: Error) => {
      throw new Error(`npm run model -- --runs 1 --seed ${seed}: ${error.message}`);
    });
  await own.stop();
});

const point = fc.tuple(fc.constantFrom(...CASE_NAMES), fc.integer({ min: 1, max: 40 }));
it.each(fc.sample(fc.noBias(point), { seed: SEED, numRuns: POINTS }))(
  "goes on where it was killed after one of its operations: %s, %i",
  (name, at) => killAfter(shared, name, at).then(() => {}),
);
