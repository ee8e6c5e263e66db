/*
 * Before `npm run service`: builds it. On a server that keeps only the libraries that run, the tools to build are gone,
 * and what was built before is what runs.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { resolve } = createRequire(import.meta.url);
const isInstalled = (name) => {
  try {
    return resolve(name) !== undefined;
  } catch {
    return false;
  }
};
const canBuild = isInstalled("esbuild") && isInstalled("tsx/cli");
if (canBuild) {
  const build = fileURLToPath(new URL("./build.ts", import.meta.url));
  process.exitCode = spawnSync(process.execPath, [resolve("tsx/cli"), build], { stdio: "inherit" }).status ?? 1;
} else if (!existsSync(new URL("../../build/service/main.js", import.meta.url))) {
  console.error("service: it is not built: run npm ci and npm run build:service first");
  process.exitCode = 1;
}
