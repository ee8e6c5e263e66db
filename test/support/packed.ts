/** The package as it would be published. */
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "./launch.js";
import { npm } from "./npm.js";

/** Packs what `npm run build` has built, in this folder, which is made anew. */
export const pack = async (folder: string) => {
  if (!existsSync(join(ROOT, "dist/index.js"))) throw new Error("dist/ is missing: build first (npm run build)");
  const app = join(folder, "app");
  await rm(folder, { recursive: true, force: true });
  await mkdir(app, { recursive: true });
  await writeFile(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  // Built already: the scripts would build again, below the feet of tests that run beside this one.
  await npm(["pack", "--ignore-scripts", "--pack-destination", folder], ROOT);
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz"))!;
  return {
    /** An empty app; after `install` the package lies in its `node_modules`. */
    app,
    /** Installs the tarball there, and nothing from anywhere else. */
    install: () => npm(["install", "--offline", "--no-save", "--ignore-scripts", join(folder, name)], app),
  };
};
