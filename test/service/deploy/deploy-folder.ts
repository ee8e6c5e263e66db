/** The files that a server is set up with, and programs that are asked about them in a folder of their own. */
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { launch, ROOT } from "../../support/launch.js";

export const DEPLOY = join(ROOT, "src/service/deploy");
export const read = (file: string): Promise<string> => readFile(join(DEPLOY, file), "utf8");
export const json = async (file: string) => JSON.parse(await readFile(join(ROOT, file), "utf8"));

export let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tracklet-deploy-"));
  // PostgreSQL runs as another user where root runs the tests.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program says of a file, and how it ends. */
export const checkedBy = async (program: string, args: string[], env: Record<string, string> = {}) => {
  const checked = launch(program, args, { cwd: folder, env: { HOME: folder, ...env } });
  const { code } = await checked.closed;
  return { code, said: checked.said() };
};
