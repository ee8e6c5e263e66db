import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../../test/support/npm.js";
import { pack } from "../../test/support/packed.js";

const HERE = fileURLToPath(new URL(".", import.meta.url));
/** Names the lock file that was installed. npm empties the folder first, so half an installation has none. */
const INSTALLED = join(HERE, "node_modules/.installed");

/** What is to be installed, as a short text. */
const lockHash = async (): Promise<string> =>
  createHash("sha256")
    .update(await readFile(join(HERE, "package-lock.json")))
    .digest("hex");

/** Installs the frameworks, where they are missing or the lock file has changed. */
const installFrameworks = async (): Promise<void> => {
  const wanted = await lockHash();
  if (existsSync(INSTALLED) && (await readFile(INSTALLED, "utf8")) === wanted) return;
  console.log("Installing the frameworks of e2e/apps; this takes some minutes");
  await npm(["ci", "--ignore-scripts", "--no-audit", "--no-fund"], HERE);
  await writeFile(INSTALLED, wanted);
};

/** Puts the package where the apps import it from, as an installation of what npm hands out would. */
const installPackage = async (): Promise<void> => {
  const folder = join(HERE, "node_modules/tracklet");
  const packed = await pack();
  await packed.install();
  await rm(folder, { recursive: true, force: true });
  await cp(join(packed.app, "node_modules/tracklet"), folder, { recursive: true });
  await packed.dispose();
};

let installed: Promise<void> | undefined;

/** Installs all that the apps need, once a run: an earlier app may be under test in what is there. */
export const install = (): Promise<void> => {
  installed ??= installFrameworks().then(installPackage);
  return installed;
};
