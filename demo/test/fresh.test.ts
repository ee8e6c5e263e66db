/** What `npm start` takes for installed and built; tried on a project of its own. */
import { cp, mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";

type What = "isInstalled" | "isSnippetBuilt" | "isServiceBuilt";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NPM = "node_modules/.package-lock.json";
const SNIPPET = ["dist/tracklet.iife.js", "dist/tracklet.inspector.js", "dist/index.js"];
const SERVICE = "build/service/main.js";

let root: string;
let fresh: Record<What, () => boolean>;
const isFresh = () => ({
  isInstalled: fresh.isInstalled(),
  isSnippetBuilt: fresh.isSnippetBuilt(),
  isServiceBuilt: fresh.isServiceBuilt(),
});
const ALL = { isInstalled: true, isSnippetBuilt: true, isServiceBuilt: true };

/** Seconds since 1970: each file that is written is a second younger than the one before. */
let now = 1_000_000;
const write = async (...paths: string[]): Promise<void> => {
  for (const path of paths) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, "");
    now++;
    // A folder is as young as the last file that came or went.
    await utimes(dirname(file), now, now);
    await utimes(file, now, now);
  }
};

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tracklet-fresh-"));
  for (const path of ["demo/start/start.mjs", "src/service/config/defaults.mjs"]) {
    await cp(join(ROOT, path), join(root, path), { recursive: true });
    for (const old of [path, dirname(path)]) await utimes(join(root, old), 0, 0);
  }
  fresh = await import(pathToFileURL(join(root, "demo/start/start.mjs")).href);
  await write("package.json", "package-lock.json", "demo/package.json", "src/service/package.json", "tsconfig.json");
  await write("rollup.config.mjs", "src/a/b.ts", "src/c.ts", "src/service/main.ts");
  await write("node_modules/tsx/package.json", NPM, ...SNIPPET, SERVICE);
});
afterEach(() => rm(root, { recursive: true }));

it("is all there where it is younger than its sources", () => expect(isFresh()).toEqual(ALL));

it.each<[path: string, what: What[]]>([
  ["package-lock.json", ["isInstalled", "isSnippetBuilt", "isServiceBuilt"]],
  ["demo/package.json", ["isInstalled"]],
  ["src/a/b.ts", ["isSnippetBuilt"]],
  ["src/shared/b.ts", ["isSnippetBuilt", "isServiceBuilt"]],
  ["rollup.config.mjs", ["isSnippetBuilt"]],
  ["src/service/main.ts", ["isServiceBuilt"]],
])("is not, where %s was changed", async (path, what) => {
  await write(path);
  expect(isFresh()).toEqual({ ...ALL, ...Object.fromEntries(what.map((one) => [one, false])) });
});

it.each<[path: string, what: What]>([
  [NPM, "isInstalled"],
  ["node_modules/tsx", "isInstalled"],
  ["src/a/b.ts", "isSnippetBuilt"],
  [SNIPPET[1]!, "isSnippetBuilt"],
  [SERVICE, "isServiceBuilt"],
])("is not, where %s has gone", async (path, what) => {
  await rm(join(root, path), { recursive: true });
  expect(isFresh()).toEqual({ ...ALL, [what]: false });
});
