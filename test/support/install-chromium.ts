import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findEngines, findProgram } from "./engines.js";

const ADVICE =
  "No browser: install Chromium or Chrome, or set CHROME_PATH to one, or let Playwright fetch its own (npx playwright install --with-deps chromium).";

/** Each step is ended at some time: a network that swallows everything must lead to the next way, not to a halt. */
const STEP_MS = 600_000;

const run = (command: string, args: string[]) =>
  spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: STEP_MS,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });

const download = (): void => {
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright/package.json"));
  run(process.execPath, [join(playwright, "cli.js"), "install", "--no-shell", "chromium"]);
};

/** By the first of the package managers that is there. */
const fromSystem = (): void => {
  const asRoot = (command: string, ...args: string[]) =>
    process.getuid?.() === 0 ? run(command, args) : run("sudo", ["-n", command, ...args]);
  if (findProgram("apt-get")) {
    asRoot("apt-get", "update", "-qq");
    asRoot("apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core");
  } else if (findProgram("dnf")) asRoot("dnf", "install", "-y", "-q", "chromium");
  else if (findProgram("apk")) asRoot("apk", "add", "--no-cache", "chromium", "font-dejavu");
};

/**
 * Fetches a Chromium when there is none: Playwright's own, else the system's package.
 *
 * @returns where it is
 * @throws Error with one line that says what to do
 */
export const ensureChromium = (): string => {
  for (const fetch of [() => {}, download, fromSystem]) {
    fetch();
    const { chromium } = findEngines(true);
    if (chromium) return chromium.path;
  }
  throw new Error(ADVICE);
};
