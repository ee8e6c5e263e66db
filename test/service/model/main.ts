/*
 * `npm run model`: random histories of a service against the model of it, for `-- --minutes 60`, of the seeds from `-- --seed 7` on, at
 * most `-- --runs 1`; `-- --kinds past,erase` takes some kinds of steps alone, `-- --in-process` services of one process, in place
 * of processes that are killed; `-- --crash-points` kills each command after each of its operations. It ends with 1 where something has failed.
 */
import { parseArgs } from "node:util";
import { CASE_NAMES, killAfter } from "./crash-points.js";
import { liveAll } from "./history.js";
import { startShared } from "./in-process.js";
import { startOwn } from "./spawned.js";

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values } = parseArgs({
  options: {
    minutes: text,
    seed: text,
    runs: text,
    kinds: text,
    "in-process": flag,
    "crash-points": flag,
  },
});
const number = (value: string | undefined, otherwise: number): number => Number(value ?? otherwise);

/** Runs one history after another. @returns what has failed */
const run = async (): Promise<string[]> => {
  const place = await (values["in-process"] ? startShared() : startOwn());
  const until = performance.now() + number(values.minutes, 5) * 60_000;
  const kinds = values.kinds?.split(",");
  const failed = await liveAll(place, {
    from: number(values.seed, 1),
    count: number(values.runs, Number.POSITIVE_INFINITY),
    told: console.log,
    goesOn: () => performance.now() < until,
    isAsked: (name) => kinds?.includes(name) ?? true,
  });
  await place.stop();
  return failed;
};

/** Kills each case after each of its operations. @returns what has failed */
const killAll = async (): Promise<string[]> => {
  const own = await startOwn();
  const failed: string[] = [];
  for (const name of CASE_NAMES)
    for (let [point, last] = [1, "" as string | undefined]; last !== undefined; point += 1) {
      last = await killAfter(own, name, point).catch(({ message }: Error) => {
        failed.push(message);
        return "FAILED";
      });
      console.log(`${name} ${point}: ${last ?? "there are no more operations"}`);
    }
  await own.stop();
  return failed;
};

const failed = await (values["crash-points"] ? killAll() : run());
console.log(`${failed.length} failed`, ...failed);
process.exit(failed.length > 0 ? 1 : 0);
