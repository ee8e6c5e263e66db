import { spawn } from "node:child_process";
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
export type Launched = ReturnType<typeof launch>;

/** Starts a program. */
export const launch = (program: string, args: readonly string[], { env, cwd = ROOT }: LaunchOptions = {}) => {
  const child = spawn(program, args, {
    cwd,
    env: env ?? { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      if (said.length <= KEPT) said += text;
    });
  // A runner that ends abruptly leaves no process behind.
  const killAtExit = () => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  child.once("error", ({ message }) => {
    said += message;
  });
  let isRead = false;
  const closed = new Promise<{ code: number | null }>((resolve) =>
    child.once("close", (code) => {
      isRead = true;
      process.off("exit", killAtExit);
      resolve({ code });
    }),
  );
  const isRunning = () => child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    process: child,
    /** Everything it has written so far. */
    said: () => said,
    isRunning,
    /** How it has ended, once all of its output is read. */
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

const launchNode = (args: string[], env: Record<string, string>): Launched =>
  launch(process.execPath, args, { env: { ...process.env, NODE_OPTIONS: "", ...env } });

/** Starts one of the project's own programs. */
export const launchOwn = (file: string, env: Record<string, string>): Launched => launchNode([file], env);

/** Starts the service as it was built, or a command of it. */
export const launchService = (env: Record<string, string>, ...command: string[]): Launched =>
  launchNode(["build/service/main.js", ...command], env);
