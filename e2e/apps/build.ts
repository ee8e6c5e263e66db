import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { npm } from "../../test/support/npm.js";
import { pack } from "../../test/support/packed.js";

/*
 * The apps of the tests, built as their authors build them: by the framework's own tool, for production. What is built
 * is kept until a source of the apps or a version of a framework changes.
 */

const HERE = fileURLToPath(new URL(".", import.meta.url));
const DIST = fileURLToPath(new URL("../../dist/", import.meta.url));
const RESULTS = fileURLToPath(new URL("../.results/apps/", import.meta.url));

export const APP_NAMES = [
  "react-router",
  "tanstack-router",
  "next",
  "vue-router",
  "nuxt",
  "svelte-kit",
  "astro",
  "angular",
  "solid",
  "turbo",
  "htmx",
] as const;
export type AppName = (typeof APP_NAMES)[number];
/** The apps that bring the snippet by its tag; the others import the package. */
export const BY_TAG: readonly AppName[] = ["astro", "turbo", "htmx"];

/** Every file in a folder and in those within it, but for what tools make: `node_modules`, `.next`, `next-env.d.ts` … */
const listSources = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const lists = entries.map((entry) => {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) return entry.isFile() && entry.name !== "next-env.d.ts" ? [path] : [];
    return entry.name === "node_modules" || entry.name.startsWith(".") ? [] : listSources(path);
  });
  return (await Promise.all(lists)).flat().sort();
};

/** Changes with the app's own files, with those that all apps share (the lock file among them), and with the package. */
const fingerprint = async (name: AppName): Promise<string> => {
  const hash = createHash("sha256");
  for (const file of await listSources(HERE)) {
    const [first, ...rest] = relative(HERE, file).split(sep);
    if (rest.length === 0 || first === name) hash.update(await readFile(file));
  }
  if (!BY_TAG.includes(name)) for (const file of await listSources(DIST)) hash.update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
};

interface Build {
  /** The app's folder. */
  folder: string;
  /** Where the built files go. */
  out: string;
}

/** The tools tell their makers nothing. */
const QUIET = { ASTRO_TELEMETRY_DISABLED: "1", NEXT_TELEMETRY_DISABLED: "1", NUXT_TELEMETRY_DISABLED: "1" };
/** The documents' placeholders; what serves the app puts values in their place. */
const SETTINGS = {
  NEXT_PUBLIC_TRACKLET_TOKEN: "YOUR_API_TOKEN",
  NEXT_PUBLIC_TRACKLET_URL: "https://track.example.com",
};

/** Runs a framework's tool in the app's folder. */
const run = (script: string, args: string[], { folder, out }: Build): Promise<unknown> =>
  promisify(execFile)(process.execPath, [join(HERE, "node_modules", script), ...args], {
    cwd: folder,
    env: { ...process.env, ...QUIET, ...SETTINGS, NODE_ENV: "production", NODE_OPTIONS: "", TRACKLET_APP_OUT: out },
  });

const vite = (build: Build, args: string[] = []): Promise<unknown> =>
  run("vite/bin/vite.js", ["build", "--logLevel", "error", ...args], build);

const viteWithSharedConfig = (build: Build): Promise<unknown> =>
  vite(build, ["--config", join(HERE, "vite.config.js"), "--outDir", build.out]);

const TOOLS: Partial<Record<AppName, (build: Build) => Promise<unknown>>> = {
  "svelte-kit": (build) => vite(build),
  solid: (build) => vite(build, ["--outDir", build.out]),
  next: async (build) => {
    await run("next/dist/bin/next", ["build"], build);
    await cp(join(build.folder, ".out"), build.out, { recursive: true });
  },
  nuxt: async (build) => {
    await run("nuxt/bin/nuxt.mjs", ["generate"], build);
    // A link to the built files, which move.
    await rm(join(build.folder, "dist"), { force: true });
  },
  angular: async (build) => {
    // Beside the built files the tool writes licenses and a list of its own.
    const all = `${build.out}-all`;
    await run("@angular/cli/bin/ng.js", ["build", "--output-path", relative(build.folder, all)], build);
    await rename(join(all, "browser"), build.out);
    await rm(all, { recursive: true });
  },
  astro: (build) => run("astro/astro.js", ["build"], build),
};

/** The lock file that was installed. npm empties the folder first, so half an installation has none. */
const INSTALLED = join(HERE, "node_modules/.installed");

/** Installs the frameworks, where they are missing or the lock file has changed. */
const installFrameworks = async (): Promise<void> => {
  const wanted = await readFile(join(HERE, "package-lock.json"), "utf8");
  if (existsSync(INSTALLED) && (await readFile(INSTALLED, "utf8")) === wanted) return;
  console.log("Installing the frameworks of e2e/apps; this takes some minutes");
  await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], HERE);
  await writeFile(INSTALLED, wanted);
};

/** Puts the package where the apps import it from, as an installation of what npm hands out would. */
const installPackage = async (): Promise<void> => {
  const folder = join(HERE, "node_modules/tracklet");
  const packed = await pack(join(RESULTS, "package"));
  await packed.install();
  await rm(folder, { recursive: true, force: true });
  await cp(join(packed.app, "node_modules/tracklet"), folder, { recursive: true });
};

/** Installs all that the apps need. */
export const install = async (): Promise<void> => {
  await installFrameworks();
  await installPackage();
};

/** Builds an app, where it is not built yet; resolves to the folder of the built files. */
export const buildApp = async (name: AppName): Promise<string> => {
  const kept = join(RESULTS, `${name}-${await fingerprint(name)}`);
  if (existsSync(kept)) return kept;
  const out = `${kept}-unfinished`;
  await rm(out, { recursive: true, force: true });
  await (TOOLS[name] ?? viteWithSharedConfig)({ folder: join(HERE, name), out });
  await rename(out, kept);
  return kept;
};
