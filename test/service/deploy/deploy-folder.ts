/** The files that a server is set up with, and programs that are asked about them in a folder of their own. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { launch, ROOT } from "../../support/launch.js";
import { useFolder } from "../support/fixtures.js";

export const DEPLOY = join(ROOT, "src/service/deploy");
export const read = (file: string): Promise<string> => readFile(join(DEPLOY, file), "utf8");
export const json = async (file: string) => JSON.parse(await readFile(join(ROOT, file), "utf8"));

export const folder = useFolder();

/** What becomes part of bundles of the service's files with these names, and what each of it imports. */
export const inputsOf = async (...names: string[]) => {
  const entryPoints = names.map((name) => join(ROOT, `src/service/${name}.ts`));
  const options = { bundle: true, packages: "external", platform: "node", format: "esm", logLevel: "silent" } as const;
  return (await build({ ...options, entryPoints, write: false, metafile: true, outdir: folder })).metafile.inputs;
};

/** What a program says of a file, and how it ends. */
export const checkedBy = async (program: string, args: string[], env: Record<string, string> = {}) => {
  const checked = launch(program, args, { cwd: folder, env: { HOME: folder, ...env } });
  const { code } = await checked.closed;
  return { code, said: checked.said() };
};
