/** The service against a model of it, through random histories: `SEED=1000` takes others, `RUNS=600` more. */
import { expect, it } from "vitest";
import { historyOf, live } from "./history.js";
import { startShared } from "./in-process.js";

const [SEED, RUNS] = [Number(process.env.SEED ?? 1), Number(process.env.RUNS ?? 60)];
/** Beside each other, as each waits for what follows in a moment. */
const AT_A_TIME = 10;

it(`is as the model says, in the histories of ${RUNS} seeds from ${SEED} on`, async () => {
  const shared = await startShared();
  let next = SEED;
  const runSome = async (): Promise<void> => {
    while (next < SEED + RUNS) {
      const seed = next++;
      await live(historyOf(seed, shared.cannot), shared.open).catch((error: Error) => {
        next = Number.POSITIVE_INFINITY;
        throw new Error(`npm run model -- --in-process --runs 1 --seed ${seed}: ${error.message}`);
      });
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: AT_A_TIME }, runSome));
  await shared.stop();
  expect(ends.flatMap((end) => (end.status === "rejected" ? [end.reason.message] : []))).toEqual([]);
});

it("has the same steps and faults by the same seed", () => {
  const text = (seed: number) => JSON.stringify(historyOf(seed, {}), (_, part) => (part.run ? String(part) : part));
  for (let seed = SEED; seed < SEED + 50; seed += 1) expect(text(seed)).toBe(text(seed));
});
