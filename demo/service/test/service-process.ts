import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Starts the service's process with an environment of its own.
 *
 * @param through a command that runs it, such as `unshare --pid --fork`. Default: none
 * @param what a command of the service and its arguments. Default: none, the service itself
 */
export const spawnService = (
  environment: Record<string, string>,
  through: readonly string[] = [],
  what: readonly string[] = [],
) => {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const [command, ...args] = [...through, process.execPath, "demo/.service/main.js", ...what];
  const child: ChildProcess = spawn(command!, args, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, TRACKLET_SERVICE_PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout!.on("data", (chunk) => (output.stdout += chunk));
  child.stderr!.on("data", (chunk) => (output.stderr += chunk));
  const closed = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  return {
    child,
    /** Exit code, signal and all output, once the process has ended. */
    closed,
    /** The address that it prints when it listens. */
    ready: async (): Promise<string> => {
      for (;;) {
        const url = /"service ready at ([^"]+)"/.exec(output.stdout)?.[1];
        if (url !== undefined) return url;
        if (child.exitCode !== null) throw new Error(`the service ended: ${output.stderr}`);
        await Promise.race([once(child.stdout!, "data"), closed]);
      }
    },
    stop: async (signal: NodeJS.Signals) => {
      child.kill(signal);
      return closed;
    },
  };
};
