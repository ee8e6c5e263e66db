import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { findEngines } from "./engines.js";

const ADVICE =
  "No browser: install Chromium or Chrome, or set CHROME_PATH to one, or let Playwright fetch its own (npx playwright install --with-deps chromium).";

/** It is ended at some time: a network that swallows everything must not halt it. */
const DOWNLOAD_MS = 600_000;

const download = (): void => {
  const playwright = dirname(createRequire(import.meta.url).resolve("playwright/package.json"));
  const args = [join(playwright, "cli.js"), "install", "--no-shell", "chromium"];
  spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"], timeout: DOWNLOAD_MS });
};

/**
 * Fetches Playwright's own Chromium when there is none.
 *
 * @returns where it is
 * @throws Error with one line that says what to do
 */
export const ensureChromium = (): string => {
  for (const fetch of [() => {}, download]) {
    fetch();
    const { chromium } = findEngines(true);
    if (chromium) return chromium.path;
  }
  throw new Error(ADVICE);
};
