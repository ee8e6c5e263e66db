import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/*
 * The apps of the tests, built as their authors build them: by Vite, for production. What is built is kept until a
 * source of the apps or a version of a dependency changes.
 */

const HERE = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const RESULTS = fileURLToPath(new URL("../.results/apps/", import.meta.url));
const VITE = join(ROOT, "node_modules/vite/bin/vite.js");

export type AppName = "react-router" | "vue-router" | "svelte-kit" | "turbo" | "htmx" | "hydrated";

export interface App {
  /** Text files by their path on the site: `/index.html`, `/assets/…`. */
  files: Map<string, string>;
  /** The folder that they lie in. */
  folder: string;
}

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

const fingerprint = async (name: AppName): Promise<string> => {
  const sources = (await listFiles(HERE)).filter(
    (file) => !/^[^/]+\//.test(relative(HERE, file)) || file.includes(`/${name}/`),
  );
  const hash = createHash("sha256");
  for (const file of [...sources, join(ROOT, "package-lock.json")]) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
};

const vite = (folder: string, args: string[], out: string): Promise<unknown> =>
  promisify(execFile)(process.execPath, [VITE, "build", "--logLevel", "error", ...args], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "production", NODE_OPTIONS: "", TRACKLET_APP_OUT: out },
  });

const build = async (name: AppName, out: string): Promise<void> => {
  const folder = join(HERE, name);
  const outDir = join(RESULTS, out);
  const config = name === "svelte-kit" ? [] : ["--config", join(HERE, "vite.config.js"), "--outDir", outDir];
  await vite(folder, config, out);
  if (name === "hydrated")
    await vite(folder, [...config.slice(0, 3), join(outDir, "server"), "--ssr", "server.jsx"], out);
};

/** The built app; it is built when it is asked for the first time. */
export const builtApp = async (name: AppName): Promise<App> => {
  const kept = `${name}-${await fingerprint(name)}`;
  const folder = join(RESULTS, kept);
  if (!existsSync(folder)) {
    // Workers may build the same one at the same time; the first that is ready is kept.
    const own = `${kept}-${process.pid}`;
    await build(name, own);
    await rename(join(RESULTS, own), folder).catch(() => rm(join(RESULTS, own), { recursive: true }));
    await rm(join(RESULTS, `.svelte-kit-${own}`), { recursive: true, force: true });
  }
  const files = new Map<string, string>();
  for (const file of await listFiles(folder))
    if ([".html", ".js", ".css", ".json"].includes(extname(file)))
      files.set(`/${relative(folder, file)}`, await readFile(file, "utf8"));
  return { files, folder };
};
