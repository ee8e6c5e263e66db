import { spawnSync } from "node:child_process";
import { cp, mkdir, readFile, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildService } from "./build.js";
import { linkPrograms, PACKAGE } from "./database/embedded/programs.js";

/*
 * What runs, with its documents: the built service, its libraries with PostgreSQL for this platform, and the files for servers. `npm run release:service` makes
 * a tarball of it in build/release; with a folder behind it, it fills that folder.
 */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MANIFESTS = ["package.json", "package-lock.json", "demo/package.json", "src/service/package.json"];
const DOCUMENTS = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "ARCHITECTURE.md",
  "SECURITY.md",
  "docs",
  "src/service/README.md",
];
const PICTURES = ["account", "accounts", "contact", "numbers"].map((name) => `demo/site/${name}.png`);
const FILES = [...MANIFESTS, ...DOCUMENTS, ...PICTURES, "build/service", "src/service/deploy"];

/** Runs a program; its errors are shown. @returns what it said, or `undefined` where it failed */
const run = (program: string, args: string[], cwd: string): string | undefined => {
  const { status, stdout } = spawnSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  return status === 0 ? stdout.trim() : undefined;
};

const fill = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await buildService();
  // No secret of this machine.
  const filter = (file: string) => basename(file) !== ".env";
  for (const file of FILES) await cp(join(ROOT, file), join(folder, file), { recursive: true, filter });
  const install = [
    "ci",
    "--workspace",
    "tracklet-service",
    "--omit",
    "dev",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
  ];
  if (run("npm", install, folder) === undefined) throw new Error("the libraries cannot be installed: see above");
  await rm(join(folder, "package-lock.json"));
  // Where it runs, the folder may belong to another user.
  linkPrograms(join(folder, "node_modules", PACKAGE, "native"));
};

const [, , given] = process.argv;
if (given !== undefined) await fill(resolve(given));
else {
  const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as { version: string };
  const commit = run("git", ["rev-parse", "--short", "HEAD"], ROOT);
  const folder = join(ROOT, "build/release", ["tracklet-service", version, commit].filter(Boolean).join("-"));
  await fill(folder);
  const tarball = `${folder}.tar.gz`;
  if (run("tar", ["-czf", tarball, "-C", dirname(folder), basename(folder)], ROOT) === undefined)
    throw new Error("the tarball cannot be made: see above");
  await rm(folder, { recursive: true });
  console.log(tarball);
}
