/**
 * The service against a model of it, through random histories: `SEED=2` takes others, `RUNS=600` more. A history that fails is
 * printed with its seed and its steps.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, it } from "vitest";
import { histories, kindsFor, live } from "./history.js";
import { type Shared, startShared } from "./in-process.js";

/** A history takes seconds: those of a run are few, `npm run model` goes on for as long as one likes. */
const RUNS = Number(process.env.RUNS ?? 4);
const SEED = Number(process.env.SEED ?? 1);
/** Beside each other: each history waits for what follows in a moment. */
const AT_A_TIME = 4;

describe.concurrent("a service in one process", () => {
  let shared: Shared;
  beforeAll(async () => {
    shared = await startShared();
  });
  afterAll(() => shared.stop());

  it.each(Array.from({ length: AT_A_TIME }, (_, at) => at + 1))("is as the model says, %i", async (at) => {
    await fc.assert(
      fc.asyncProperty(histories(kindsFor(shared.cannot)), (history) => live(history, shared.open)),
      {
        seed: SEED * 1_000 + at,
        numRuns: Math.ceil(RUNS / AT_A_TIME),
        ...(process.env.REPLAY && { path: process.env.REPLAY, endOnFailure: true }),
      },
    );
  });
});
