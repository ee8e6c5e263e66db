import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { StartError } from "../../src/service/base/start-error.js";
import { ROOT, SERVICE, type Settings } from "./settings.js";

/** Milliseconds until the service must be ready; the first start creates and fills a database. */
const READY_MS = 120_000;
/** Milliseconds a service gets to close its database before it is killed. */
const STOP_MS = 10_000;
/**
 * Loaded into the service's process before the service: ends it as a signal would when the demo is gone, even where that
 * was killed and could tell nobody. Its input is a pipe that the demo holds open.
 */
const END_WITH_PARENT = `data:text/javascript,process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume()`;

/**
 * Starts the service. It gets a process group of its own: Ctrl-C in a terminal goes to the whole group in front, and
 * the service must close its database once, when told to, not in a race with its parent.
 */
export const spawnService = ({ servicePort, data, apiToken, accessToken }: Settings): ChildProcess =>
  spawn(process.execPath, ["--import", END_WITH_PARENT, SERVICE], {
    cwd: ROOT,
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...process.env,
      // The demo's own: the service refuses what it does not know.
      TRACKLET_DIST: undefined,
      TRACKLET_DEMO: "on",
      TRACKLET_SERVICE_PORT: String(servicePort),
      TRACKLET_DATA: data,
      TRACKLET_API_TOKEN: apiToken,
      TRACKLET_ACCESS_TOKEN: accessToken,
    },
  });

/** Resolves to the service's address once it is ready; rejects with the line the service leaves with. */
export const serviceReady = (service: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let complaint = "";
    const late = setTimeout(
      () =>
        reject(
          new StartError(`The service is not ready after ${READY_MS / 1_000} s: look at it with npm run service.`),
        ),
      READY_MS,
    );
    createInterface({ input: service.stdout! }).on("line", (line) => {
      const user = /"msg":"(PostgreSQL runs as [^"]+)"/.exec(line)?.[1];
      if (user) console.log(`${user}.`);
      const address = /"service ready at (http:[^"]+)"/.exec(line)?.[1];
      if (!address) return;
      clearTimeout(late);
      resolve(address);
    });
    createInterface({ input: service.stderr! }).on("line", (line) => {
      complaint ||= line.trim();
    });
    service.once("error", (error) => reject(new StartError(`The service cannot be started: ${error.message}`)));
    // "close", unlike "exit", comes after the last line was read.
    service.once("close", (code, signal) => {
      clearTimeout(late);
      reject(new StartError(complaint || `The service ended while starting (${signal ?? `exit code ${code}`}).`));
    });
  });

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** Ends the service, if it has not ended yet; resolves when it is gone. */
export const stopService = (service: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (hasEnded(service) || service.pid === undefined) return resolve();
    const overdue = setTimeout(() => service.kill("SIGKILL"), STOP_MS);
    service.once("exit", () => {
      clearTimeout(overdue);
      resolve();
    });
    service.kill("SIGTERM");
  });
