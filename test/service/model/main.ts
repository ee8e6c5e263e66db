/*
 * `npm run model`: random histories of a service against the model of it. `-- --minutes 60` goes on as long; `-- --seed 7` begins
 * there, `-- --kinds past,erase` takes some kinds of steps alone, and each history prints the seed by which it comes again alone: `-- --seed 7 --runs 1`; `-- --in-process` takes many services of
 * one process, in place of processes that are killed; `-- --crash-points` kills each command after each of its operations.
 * It ends with 1 where a history has failed.
 */
import fc from "fast-check";
import { CASE_NAMES, killAfter } from "./crash-points.js";
import type { Cannot, Driver } from "./driver.js";
import { type History, histories, kindsFor, live } from "./history.js";
import { startShared } from "./in-process.js";
import { startOwn } from "./spawned.js";

const argument = (name: string, value: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? value : Number(process.argv[at + 1]);
};
const has = (name: string): boolean => process.argv.includes(`--${name}`);

const KINDS_AT = process.argv.indexOf("--kinds");
const isAsked = (name: string): boolean => KINDS_AT === -1 || process.argv[KINDS_AT + 1]!.split(",").includes(name);

/** Runs one history after another, each by its own seed. @returns how many have failed */
const run = async (
  open: () => Promise<Driver>,
  { cannot, until, runs, seed: first }: { cannot: Cannot; until: number; runs: number; seed: number },
): Promise<number> => {
  for (const [name, why] of Object.entries(cannot)) console.log(`left out: ${name}: ${why}`);
  let failed = 0;
  for (let seed = first; seed < first + runs && performance.now() < until; seed += 1) {
    const [history] = fc.sample(histories(kindsFor(cannot).filter(isAsked), 40), { seed, numRuns: 1 }) as [History];
    const done: string[] = [];
    const began = performance.now();
    console.log(`seed ${seed}: ${history.kinds.join(", ")} in ${history.zone}`);
    await live(history, open, (step) => {
      done.push(step);
      if (has("trace")) console.log(`  ${((performance.now() - began) / 1_000).toFixed(2)} ${step}`);
    }).then(
      () => console.log(`  held, ${done.length} steps, ${((performance.now() - began) / 1_000).toFixed(1)} s`),
      (error: Error) => {
        failed += 1;
        console.log(`  FAILED: ${error.stack}\n  after ${done.join(", ")}`);
      },
    );
  }
  return failed;
};

/** Kills each case after each of its operations. @returns how many have failed */
const killAll = async (): Promise<number> => {
  const shared = await startShared();
  let wrong = 0;
  for (const name of CASE_NAMES.filter((one) => !has("only") || process.argv.includes(one)))
    for (let [point, last] = [argument("from", 1), "" as string | undefined]; last !== undefined; point += 1) {
      last = await killAfter(shared, name, point).catch((error: Error) => {
        wrong += 1;
        return `FAILED: ${error.message}`;
      });
      console.log(`${name} ${point}: ${last ?? "there are no more operations"}`);
    }
  await shared.stop();
  return wrong;
};

if (has("crash-points")) process.exit((await killAll()) > 0 ? 1 : 0);
const minutes = argument("minutes", 5);
const isShared = has("in-process");
const place = await (isShared ? startShared() : startOwn());
const failed = await run(place.open, {
  ...{ cannot: place.cannot, until: performance.now() + minutes * 60_000 },
  ...{ runs: argument("runs", Number.POSITIVE_INFINITY), seed: argument("seed", 1) },
});
await place.stop();
process.exit(failed > 0 ? 1 : 0);
