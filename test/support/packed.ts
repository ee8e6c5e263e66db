/** The package as it would be published. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./launch.js";
import { npm } from "./npm.js";

/** Packs what `npm run build` has built. */
export const pack = async () => {
  if (!existsSync(join(ROOT, "dist/index.js"))) throw new Error("dist/ is missing: build first (npm run build)");
  const folder = await mkdtemp(join(tmpdir(), "tracklet-package-"));
  const app = join(folder, "app");
  await mkdir(app);
  await writeFile(join(app, "package.json"), '{ "private": true, "type": "module" }\n');
  // Built already: the scripts would build again, below the feet of tests that run beside this one.
  await npm(["pack", "--ignore-scripts", "--pack-destination", folder], ROOT);
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz"))!;
  return {
    /** An empty app; after `install` the package lies in its `node_modules`. */
    app,
    /** Installs the tarball there, and nothing from anywhere else. */
    install: () => npm(["install", "--offline", "--no-save", "--ignore-scripts", join(folder, name)], app),
    dispose: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
};
