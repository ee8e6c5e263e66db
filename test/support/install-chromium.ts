import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findEngines, findProgram, forgetEngines } from "./engines.js";

const ADVICE =
  "No browser: install Chromium or Chrome, or set CHROME_PATH to one, or let Playwright fetch its own (npx playwright install --with-deps chromium).";

// Each step is ended at some time: a network that swallows everything must lead to the next way, not to a halt.
const STEP_MS = 600_000;

const run = (command: string, args: string[]): boolean =>
  spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: STEP_MS,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  }).status === 0;

const download = (): boolean => {
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright/package.json"));
  return run(process.execPath, [join(playwright, "cli.js"), "install", "--no-shell", "chromium"]);
};

const fromSystem = (): boolean => {
  if (process.platform !== "linux") return false;
  const root = process.getuid?.() === 0;
  if (!root && spawnSync("sudo", ["-n", "true"], { stdio: "ignore" }).status !== 0) return false;
  const asRoot = (command: string, ...args: string[]) =>
    root ? run(command, args) : run("sudo", ["-n", command, ...args]);
  if (findProgram("apt-get")) {
    asRoot("apt-get", "update", "-qq");
    return asRoot("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core");
  }
  if (findProgram("dnf")) return asRoot("dnf", "install", "-y", "-q", "chromium");
  if (findProgram("apk")) return asRoot("apk", "add", "--no-cache", "chromium", "font-dejavu");
  return false;
};

/**
 * Fetches a Chromium when there is none: Playwright's own, else the system's package.
 *
 * @returns where it is
 * @throws Error with one line that says what to do
 */
export const ensureChromium = (): string => {
  for (const fetched of [() => {}, download, fromSystem]) {
    fetched();
    forgetEngines();
    const { chromium } = findEngines();
    if (chromium) return chromium.path;
  }
  throw new Error(ADVICE);
};
