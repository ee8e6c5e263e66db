/*
 * The browsers to test with, one of each engine. A build of Playwright's own is taken where it is there; else what the
 * system has: Chromium or Chrome, Firefox, and WebKitGTK's MiniBrowser with its driver.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium, firefox, webkit } from "playwright";

export const ENGINES = ["chromium", "firefox", "webkit"] as const;
export type Engine = (typeof ENGINES)[number];

/** A browser that is installed. */
export interface Found {
  path: string;
  /**
   * How it is driven: `"playwright"` is Playwright's own protocol, `"bidi"` is Playwright over WebDriver BiDi,
   * `"webdriver"` is the driver at `path`, which Playwright has no part in.
   */
  by: "playwright" | "bidi" | "webdriver";
}

/** Where a program of this name may be; those of the system's administrator are not on everybody's path. */
const places = (name: string): string[] =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"].map((folder) => join(folder, name));

/** Where a program is, if it is installed. */
export const findProgram = (name: string): string | undefined => places(name).find(existsSync);

/** Where Chromium and Chrome are that are on nobody's path. */
const USUAL_PLACES = [
  ...["/", homedir()].flatMap((base) =>
    ["Google Chrome", "Chromium"].map((name) => join(base, `Applications/${name}.app/Contents/MacOS/${name}`)),
  ),
  "C:/Program Files/Google/Chrome/Application/chrome.exe",
  "/usr/lib/chromium/chromium",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/opt/google/chrome/chrome",
];

/** Whether it exists and starts: some systems have a stub that only tells how to install, or lack its libraries. */
const works = (path: string): boolean => {
  if (!existsSync(path)) return false;
  // On Windows the browser opens a window whatever it is asked.
  if (process.platform === "win32") return true;
  return spawnSync(path, ["--version"], { timeout: 60_000, stdio: "ignore" }).status === 0;
};

/** The program that an environment variable names. @throws Error when that does not start */
const told = (variable: string): string | undefined => {
  const path = process.env[variable];
  if (!path || works(path)) return path || undefined;
  throw new Error(`${variable} is ${path}, which is not a browser that starts`);
};

const findChromium = (): Found | undefined => {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const path =
    told("CHROME_PATH") ?? [chromium.executablePath(), ...names.flatMap(places), ...USUAL_PLACES].find(works);
  return path === undefined ? undefined : { path, by: "playwright" };
};

/** Chromium's shell: the same engine without windows. Whoever names a Chromium wants that one. */
const findShell = (): string | undefined =>
  process.env.CHROME_PATH ? undefined : places("chromium-headless-shell").find(works);

const findFirefox = (): Found | undefined => {
  const own = firefox.executablePath();
  const path = told("FIREFOX_PATH");
  if (path === undefined && works(own)) return { path: own, by: "playwright" };
  const system = path ?? ["firefox-esr", "firefox"].flatMap(places).find(works);
  return system === undefined ? undefined : { path: system, by: "bidi" };
};

const foldersIn = (folder: string, name: RegExp): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((entry) => name.test(entry))
        .map((entry) => join(folder, entry))
    : [];

/** WebKitGTK's own small browser, which its driver starts. */
export const findMiniBrowser = (): string | undefined =>
  ["/usr/lib", "/usr/lib64", "/usr/libexec", ...foldersIn("/usr/lib", /-linux-gnu/)]
    .flatMap((folder) => foldersIn(folder, /^webkit2gtk-4\./))
    .map((folder) => join(folder, "MiniBrowser"))
    .find(existsSync);

const findWebKit = (): Found | undefined => {
  const own = webkit.executablePath();
  if (existsSync(own)) return { path: own, by: "playwright" };
  const driver = findProgram("WebKitWebDriver");
  return driver && findProgram("Xvfb") && findMiniBrowser() ? { path: driver, by: "webdriver" } : undefined;
};

/**
 * The browser of each engine that is installed, and the path of Chromium's shell. `CHROME_PATH` and `FIREFOX_PATH` come
 * before all others.
 *
 * @param isStale whether something may have been installed since the last call
 * @throws Error when one of these names something that does not start
 */
export const findEngines = (isStale = false): Partial<Record<Engine, Found>> & { shell?: string } => {
  // Each worker of a test run reads the configuration anew: they are told what was found.
  if (isStale || !process.env.TRACKLET_ENGINES)
    process.env.TRACKLET_ENGINES = JSON.stringify({
      chromium: findChromium(),
      shell: findShell(),
      firefox: findFirefox(),
      webkit: findWebKit(),
    });
  return JSON.parse(process.env.TRACKLET_ENGINES);
};
