import { execFile } from "node:child_process";
import { promisify } from "node:util";

/**
 * Runs npm in a folder.
 *
 * @throws Error with what npm said, where it fails
 */
export const npm = (args: string[], cwd: string): Promise<unknown> => {
  // The npm that runs us, as far as there is one: its file needs no shell on any platform.
  const file = process.env.npm_execpath;
  const [command, before] = file ? [process.execPath, [file]] : ["npm", []];
  return promisify(execFile)(command, [...before, ...args, "--loglevel=error"], {
    cwd,
    shell: !file && process.platform === "win32",
  });
};
