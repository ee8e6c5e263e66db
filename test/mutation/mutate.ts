/** `npm run mutate`: of the files that are named, of all with `--all`, or else of those that differ from `origin/main`. */
import { execFileSync, spawnSync } from "node:child_process";

const SOURCE = /^src\/(browser\/(capture|state|delivery)|api-client|shared)\/.*\.ts$/;

const files = process.argv.slice(2);
if (!files.length) {
  const changed = execFileSync("git", ["diff", "--name-only", "--diff-filter=d", "origin/main"], { encoding: "utf8" });
  files.push(...changed.split("\n").filter((file) => SOURCE.test(file)));
}

if (files.length) {
  const chosen = files.includes("--all") ? [] : ["--mutate", files.join()];
  const args = ["stryker", "run", "test/mutation/stryker.config.mjs", ...chosen];
  process.exitCode = spawnSync("npx", args, { stdio: "inherit" }).status ?? 1;
} else console.log("no file of src/{browser,api-client,shared} differs from origin/main: name some, or say --all");
