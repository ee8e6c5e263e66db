import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileReason } from "../../../base/file-error.js";
import { StartError } from "../../../base/start-error.js";

/** Beside the built service. */
const FOLDER = fileURLToPath(new URL("../first-use", import.meta.url));

export interface Library {
  name: string;
  /** As npm takes it behind the name. */
  version: string;
  /** What asks for it. */
  user: string;
}

/**
 * A library that few need: where it is not there, npm installs it into a folder of its own, and one line says so.
 *
 * @throws StartError where it cannot be installed
 */
export const loadOnFirstUse = <T>(
  { name, version, user }: Library,
  say: (line: string) => void,
  folder = FOLDER,
): T => {
  const manifest = join(folder, "package.json");
  const find = (): T | undefined => {
    for (const from of [import.meta.url, manifest])
      try {
        return createRequire(from)(name) as T;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
      }
    return undefined;
  };
  const found = find();
  if (found !== undefined) return found;
  const wanted = `${name}@${version}`;
  say(`installing ${wanted} into ${folder}, once: ${user} needs it`);
  const failed = (reason: string) => new StartError(`${wanted} cannot be installed into ${folder}: ${reason}`);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(manifest, '{"private":true}\n');
  } catch (error) {
    throw failed(fileReason(error as NodeJS.ErrnoException));
  }
  const options = ["--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"];
  const { status, stderr } = spawnSync("npm", ["install", "--prefix", folder, ...options, wanted], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  const installed = status === 0 ? find() : undefined;
  if (installed === undefined) throw failed(stderr?.trim().split("\n")[0] || "npm is not there");
  return installed;
};
