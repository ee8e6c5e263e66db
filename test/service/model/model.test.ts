/** The service against a model of it, through random histories: `SEED=1000` takes others, `RUNS=600` more. */
import { expect, it } from "vitest";
import { historyOf, liveAll } from "./history.js";
import { startShared } from "./in-process.js";

const SEED = Number(process.env.SEED ?? 1);
/** Histories: a minute and a half on two cores, or 40 s in `npm test`. */
const RUNS = Number(process.env.RUNS ?? (process.env.TEST_ALL ? 60 : 20));

it(`is as the model says, in the histories of ${RUNS} seeds from ${SEED} on`, async () => {
  const shared = await startShared();
  const failed = await liveAll(shared, { from: SEED, count: RUNS, atATime: 6 });
  await shared.stop();
  expect(failed).toEqual([]);
}, 1_800_000);

it("has the same steps and faults by the same seed", () => {
  const text = (seed: number) => JSON.stringify(historyOf(seed, {}), (_, part) => (part.run ? String(part) : part));
  for (let seed = SEED; seed < SEED + 50; seed += 1) expect(text(seed)).toBe(text(seed));
});
