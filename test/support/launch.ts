import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waitFor } from "./wait.js";

/** The project's folder: where every process starts, unless it is told another one. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** How much of a process's output is kept. Its end tells why it died; its beginning holds the line that says it is ready. */
const KEPT = 100_000;

export interface LaunchOptions {
  /** Its whole environment. Default: that of this process, without the options of this process's Node. */
  env?: Record<string, string | undefined>;
  cwd?: string;
}

/** A process that this one has started, and that ends with it. */
export interface Launched {
  process: ChildProcess;
  /** Everything it has written so far, to both streams, and to each of them. */
  said: () => string;
  stdout: () => string;
  stderr: () => string;
  isRunning: () => boolean;
  /**
   * Waits until its output matches.
   *
   * @throws Error with its output, when it has ended before
   */
  says: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Ends it; resolves when it is gone. Default: as a crash does. */
  end: (signal?: NodeJS.Signals) => Promise<void>;
  /** How it has ended, once all of its output is read. */
  closed: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts a program. */
export const launch = (program: string, args: readonly string[], { env, cwd = ROOT }: LaunchOptions = {}): Launched => {
  const child = spawn(program, args, {
    cwd,
    env: env ?? { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { all: "", stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (output.all.length > KEPT) return;
      output[name] += text;
      output.all += text;
    });
  // A runner that ends abruptly leaves no process behind.
  const killAtExit = () => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  child.once("error", ({ message }) => {
    output.all += message;
  });
  let isRead = false;
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => {
      isRead = true;
      process.off("exit", killAtExit);
      resolve({ code, signal });
    }),
  );
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    process: child,
    said: () => output.all,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    isRunning,
    says: (pattern) =>
      waitFor(
        () => {
          const match = pattern.exec(output.all);
          if (match === null && isRead) throw new Error(`${program} has ended:\n${output.all}`);
          return match;
        },
        { what: `${program} to say ${pattern}`, timeoutMs: 120_000 },
      ),
    end: async (signal = "SIGKILL") => {
      if (!isRunning()) return;
      const exited = once(child, "exit");
      child.kill(signal);
      await exited;
    },
    closed,
  };
};

/** Starts one of the project's own programs, a TypeScript file. */
export const launchOwn = (file: string, env: Record<string, string>, options: LaunchOptions = {}): Launched =>
  launch(process.execPath, ["--import", "tsx", file], {
    ...options,
    env: { ...(options.env ?? { ...process.env, NODE_OPTIONS: "" }), ...env },
  });

/** Starts the service as it was built, or a command of it. */
export const launchService = (env: Record<string, string>, ...command: string[]): Launched =>
  launch(process.execPath, ["demo/.service/main.js", ...command], {
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
