/** `npm run mutate`: of the files that are named, of all with `--all`, or else of those that differ from `origin/main`. */
import { execFileSync, spawnSync } from "node:child_process";

const SOURCE = /^src\/(browser\/(capture|state|delivery)|server|shared)\/.*\.ts$/;

const words = process.argv.slice(2);
const changed = (): string[] =>
  execFileSync("git", ["diff", "--name-only", "--diff-filter=d", "origin/main"], { encoding: "utf8" })
    .split("\n")
    .filter((file) => SOURCE.test(file));
const isAll = words.includes("--all");
const files = words.filter((word) => word !== "--all");
if (!isAll && !files.length) files.push(...changed());

if (!isAll && !files.length)
  console.log("no file of src/{browser,server,shared} differs from origin/main: name some, or say --all");
else {
  const chosen = isAll ? [] : ["--mutate", files.join()];
  const { status } = spawnSync("npx", ["stryker", "run", "test/mutation/stryker.config.mjs", ...chosen], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
}
