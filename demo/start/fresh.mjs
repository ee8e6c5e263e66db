/** Whether what the demo needs is installed and built, or something has changed since. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** @param {string} file */
const readJson = (file) => {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), "utf8"));
  } catch {
    return undefined;
  }
};

/**
 * Compares what is installed, of which npm keeps a list of its own, with the lock file, and that with the manifests.
 *
 * @returns {{ isFresh: boolean, hasTests: boolean }} `hasTests`: what only the tests need is installed as well
 */
export const readInstalled = () => {
  const locked = readJson("package-lock.json")?.packages;
  const installed = readJson("node_modules/.package-lock.json")?.packages;
  if (!locked || !installed) return { isFresh: false, hasTests: false };
  const wanted = Object.entries(locked).filter(([path, { optional }]) => path.includes("node_modules/") && !optional);
  /** @param {[string, { version?: string }]} entry */
  const isThere = ([path, { version }]) => installed[path] !== undefined && installed[path].version === version;
  const hasTests = wanted.some(([path, { dev }]) => dev && installed[path]);
  /** Of the project and its workspaces. */
  const manifests = Object.keys(locked).filter((path) => !path.includes("node_modules/"));
  const isLocked = manifests.every((path) =>
    ["dependencies", "devDependencies"].every(
      (kind) =>
        JSON.stringify(readJson(join(path, "package.json"))?.[kind] ?? {}) === JSON.stringify(locked[path][kind] ?? {}),
    ),
  );
  return { isFresh: isLocked && wanted.filter(([, { dev }]) => hasTests || !dev).every(isThere), hasTests };
};

/**
 * When a file, or anything in a folder, was changed last, the folder's own list of files included; 0 where it is not there.
 *
 * @param {string} path
 * @returns {number}
 */
const changedAt = (path) => {
  const full = join(ROOT, path);
  if (!existsSync(full)) return 0;
  const own = statSync(full);
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(full).map((name) => changedAt(join(path, name))));
};

/** @param {string[]} sources @param {string[]} outputs */
const isNewer = (sources, outputs) => Math.max(...sources.map(changedAt)) < Math.min(...outputs.map(changedAt));

const COMMON = ["package.json", "package-lock.json", "tsconfig.json"];

/** Is the snippet built from the sources as they are? */
export const isSnippetBuilt = () =>
  isNewer(
    [...COMMON, "rollup.config.mjs", "src"],
    ["tracklet.iife.js", "tracklet.inspector.js", "index.js"].map((file) => join("dist", file)),
  );

/** Is the service? */
export const isServiceBuilt = () => isNewer([...COMMON, "demo/service"], ["demo/.service/main.js"]);
