/*
 * `npm run model`: random histories of a service against the model of it, for `-- --minutes 60`, of the seeds from `-- --seed 7` on, at
 * most `-- --runs 1`; `-- --kinds past,erase` takes some kinds of steps alone, `-- --in-process` services of one process, in place
 * of processes that are killed; `-- --crash-points` kills each command after each of its operations. It ends with 1 where something has failed.
 */
import { CASE_NAMES, killAfter } from "./crash-points.js";
import { historyOf, live } from "./history.js";
import { startShared } from "./in-process.js";
import { startOwn } from "./spawned.js";

const argument = (name: string, value: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at === -1 ? value : Number(process.argv[at + 1]);
};
const has = (name: string): boolean => process.argv.includes(`--${name}`);

const KINDS_AT = process.argv.indexOf("--kinds");
const isAsked = (name: string): boolean => KINDS_AT === -1 || process.argv[KINDS_AT + 1]!.split(",").includes(name);

/** Runs one history after another. @returns how many have failed */
const run = async (): Promise<number> => {
  const { cannot, open, stop } = await (has("in-process") ? startShared() : startOwn());
  for (const [name, why] of Object.entries(cannot)) console.log(`left out: ${name}: ${why}`);
  const until = performance.now() + argument("minutes", 5) * 60_000;
  const last = argument("seed", 1) + argument("runs", Number.POSITIVE_INFINITY);
  let failed = 0;
  for (let seed = argument("seed", 1); seed < last && performance.now() < until; seed += 1) {
    const history = historyOf(seed, cannot, isAsked);
    const began = performance.now();
    const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
    console.log(`seed ${seed}: ${history.kinds.join(", ")} in ${history.zone}`);
    await live(history, open, (step) => has("trace") && console.log(`  ${seconds()} ${step}`)).then(
      () => console.log(`  held, ${history.steps.length} steps, ${seconds()} s`),
      (error: Error) => {
        failed += 1;
        console.log(`  FAILED: ${error.message}`);
      },
    );
  }
  await stop();
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

process.exit((await (has("crash-points") ? killAll() : run())) > 0 ? 1 : 0);
