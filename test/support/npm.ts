import { execFile } from "node:child_process";
import { promisify } from "node:util";

const file = process.env.npm_execpath;
/** The npm that runs us, as far as there is one: its file needs no shell on any platform. */
export const NPM: readonly [command: string, ...args: string[]] = file ? [process.execPath, file] : ["npm"];

/**
 * Runs npm in a folder.
 *
 * @throws Error with what npm said, where it fails
 */
export const npm = (args: string[], cwd: string): Promise<unknown> => {
  const [command, ...before] = NPM;
  return promisify(execFile)(command, [...before, ...args, "--loglevel=error"], { cwd });
};
