import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { DEMO_TOKENS } from "../../../src/service/config/demo-tokens.js";
import { UNLIMITED } from "../../support/service.js";

/** The built service. */
export const SERVICE = "build/service/main.js";
/** The same from its sources, or a command of it, with little time: what waits for a minute waits for seconds. */
export const SHORT_TIME = ["--import", "tsx", "test/service/support/short-time.ts"];
const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const METRICS_TOKEN = "test-metrics-token";
const FOR_TESTS = {
  ...{ TRACKLET_DEMO: "on", TRACKLET_METRICS_TOKEN: METRICS_TOKEN, TRACKLET_SERVICE_PORT: "0" },
  ...UNLIMITED,
};
/** Reads from such a service. */
export const readAsDemo = (url: string): Promise<Response> =>
  fetch(url, { headers: { authorization: `Bearer ${DEMO_TOKENS.accessToken}` } });
/** Sends an event to it. */
export const postAsDemo = (url: string, event_uid: string, more: object = {}): Promise<Response> =>
  fetch(`${url}/v1/track/event?api_token=${DEMO_TOKENS.apiToken}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contact_uid: "contact-001", event_uid, ...more }),
  });
export const metricsOf = async (url: string): Promise<string> =>
  (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })).text();

/** Processes have other ids than outside, as in a container; only the system's administrator may do so: empty elsewhere. */
export const IN_CONTAINER =
  process.getuid?.() === 0 && process.platform === "linux" ? ["unshare", "--pid", "--fork", "--mount-proc"] : [];

/**
 * Starts the service's process with an environment of its own, in its demo mode and unlimited unless that says otherwise.
 *
 * @param args of Node; the built service where absent
 * @param through a command that runs Node, such as `unshare --pid --fork`. Default: none
 */
export const spawnService = (
  environment: Record<string, string>,
  args: readonly string[] = [SERVICE],
  through: readonly string[] = [],
) => {
  const { PATH = "", HOME = "", TMPDIR = "/tmp" } = process.env;
  const [command, ...rest] = [...through, process.execPath, ...args];
  const child: ChildProcess = spawn(command!, rest, {
    cwd: ROOT,
    env: { PATH, HOME, TMPDIR, ...FOR_TESTS, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout!.on("data", (chunk) => (output.stdout += chunk));
  child.stderr!.on("data", (chunk) => (output.stderr += chunk));
  const closed = once(child, "close").then(([code, signal]) => ({ code, signal, ...output }));
  return {
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
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
