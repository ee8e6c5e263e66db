/** The same model with a service that is a process: it is killed, its PostgreSQL too, and its disk is full. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { CASE_NAMES, killAfter } from "./crash-points.js";
import { liveAll } from "./history.js";
import { startOwn } from "./spawned.js";

const SEED = Number(process.env.SEED ?? 1);
/** Histories: some minutes. */
const RUNS = Number(process.env.RUNS ?? 8);
/** Of all commands, each killed after one of its first operations. */
const POINTS = 8;

it("is as the model says where things break", async () => {
  const own = await startOwn();
  const failed = await liveAll(own, { from: SEED, count: RUNS, told: console.log });
  await own.stop();
  expect(failed).toEqual([]);
}, 1_800_000);

it("goes on where it was killed after one of its operations", async () => {
  const own = await startOwn();
  const point = fc.tuple(fc.constantFrom(...CASE_NAMES), fc.integer({ min: 1, max: 40 }));
  for (const [name, at] of fc.sample(fc.noBias(point), { seed: SEED, numRuns: POINTS })) await killAfter(own, name, at);
  await own.stop();
}, 1_800_000);
