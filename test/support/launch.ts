import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waitFor } from "./wait.js";

/** The project's folder: where every process starts, unless it is told another one. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

interface LaunchOptions {
  /** More of its environment, or other values. */
  env?: Record<string, string | undefined>;
  /** The rest of its environment. Default: that of this process, without the options of this process's Node. */
  base?: Record<string, string | undefined>;
  cwd?: string;
}

/** A process that this one has started, and that ends with it. */
export type Launched = ReturnType<typeof launch>;

/** Starts a program. */
export const launch = (
  program: string,
  args: readonly string[],
  { env, base = { ...process.env, NODE_OPTIONS: "" }, cwd = ROOT }: LaunchOptions = {},
) => {
  const child = spawn(program, args, { cwd, env: { ...base, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said += text;
      output[name] += text;
    });
  // A runner that ends abruptly leaves no process behind.
  const killAtExit = () => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  child.once("error", ({ message }) => {
    said += message;
  });
  let isRead = false;
  const closed = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.once("close", (code) => {
      isRead = true;
      process.off("exit", killAtExit);
      resolve({ code, ...output });
    }),
  );
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    process: child,
    /** Everything it has written so far, and the part of it in each stream. */
    said: () => said,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    isRunning,
    /** How it has ended, with all of its output. */
    closed,
    /**
     * Waits until its output matches.
     *
     * @throws Error with its output, when it has ended before
     */
    says: (pattern: RegExp) =>
      waitFor(
        () => {
          const match = pattern.exec(said);
          if (match === null && isRead) throw new Error(`${program} has ended:\n${said}`);
          return match;
        },
        { what: `${program} to say ${pattern}`, timeoutMs: 120_000 },
      ),
    /** Ends it, as a crash does unless it is told otherwise; resolves when it is gone. */
    end: async (signal: NodeJS.Signals = "SIGKILL"): Promise<void> => {
      if (!isRunning()) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
  };
};
