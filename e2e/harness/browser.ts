import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "playwright";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC = ["Google Chrome", "Chromium"].map((name) => `Applications/${name}.app/Contents/MacOS/${name}`);
const WINDOWS = ["Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe"];

const onPath = (): string[] =>
  (process.env.PATH ?? "").split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));

const usualPlaces = (): string[] => {
  switch (process.platform) {
    case "darwin":
      return ["/", homedir()].flatMap((base) => MAC.map((path) => join(base, path)));
    case "win32":
      return [process.env.ProgramFiles, process.env["ProgramFiles(x86)"], process.env.LOCALAPPDATA]
        .filter((base) => base !== undefined)
        .flatMap((base) => WINDOWS.map((path) => join(base, path)));
    default:
      return [
        "/usr/lib/chromium/chromium",
        "/usr/lib64/chromium-browser/chromium-browser",
        "/opt/google/chrome/chrome",
        "/snap/bin/chromium",
      ];
  }
};

/** Whether it exists and starts: some systems have a stub that only tells how to install, or lack its libraries. */
const works = (path: string): boolean => {
  if (!existsSync(path)) return false;
  // On Windows the browser opens a window whatever it is asked.
  if (process.platform === "win32") return true;
  return spawnSync(path, ["--version"], { timeout: 60_000, stdio: "ignore" }).status === 0;
};

/**
 * The browser to test with: `CHROME_PATH`, else an installed Chromium or Chrome, else one that Playwright has downloaded
 * before; `undefined` when there is none.
 *
 * @throws Error when `CHROME_PATH` names something that does not start
 */
export const findBrowser = (): string | undefined => {
  const told = process.env.CHROME_PATH;
  if (told) {
    if (works(told)) return told;
    throw new Error(`CHROME_PATH is ${told}, which is not a browser that starts`);
  }
  return [...onPath(), ...usualPlaces(), chromium.executablePath()].find(works);
};
