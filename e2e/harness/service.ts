import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./ports.js";
import { waitFor } from "./wait.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const READY = /service ready at (http:\/\/\S+)/;

/** An event as the service's database holds it. */
export interface Row {
  id: number | string;
  received_at: number | string;
  contact_uid: string;
  event_uid: string;
  params: Record<string, unknown>;
}

export type Service = Awaited<ReturnType<typeof startService>>;

/**
 * Starts the project's own service as a process, with a database folder and a port that it keeps over `kill()` and
 * `start()`. No rate limit, so that a burst of one test is not refused for another's.
 *
 * @param env more of its environment, or other values
 */
export const startService = async (env: Record<string, string> = {}) => {
  const data = await mkdtemp(join(tmpdir(), "tracklet-e2e-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const running = () => child !== undefined && child.exitCode === null && child.signalCode === null;

  const start = async (): Promise<void> => {
    if (running()) return;
    const process_ = spawn(process.execPath, ["--import", "tsx", "demo/service/main.ts"], {
      cwd: ROOT,
      env: {
        ...process.env,
        // The runner's own settings are not the service's.
        NODE_OPTIONS: "",
        TRACKLET_SERVICE_PORT: String(port),
        TRACKLET_DATA: data,
        TRACKLET_RATE_LIMIT: "0",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child = process_;
    let said = "";
    const hear = (chunk: Buffer) => {
      // The end is enough to tell why it died; the start holds the line that says it is ready.
      if (said.length < 100_000) said += chunk.toString("utf8");
    };
    process_.stdout.on("data", hear);
    process_.stderr.on("data", hear);
    await waitFor(
      () => {
        if (!running()) throw new Error(`the service ended before it was ready:\n${said}`);
        return READY.exec(said);
      },
      { what: "the service to be ready", timeoutMs: 120_000 },
    );
  };

  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (child === undefined || !running()) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  };

  // A runner that ends abruptly leaves no process behind.
  const killAtExit = () => void child?.kill("SIGKILL");
  process.on("exit", killAtExit);

  const service = {
    url,
    /** Whether the process lives. */
    running,
    /** Starts it (again), on the same folder and port; resolves once it answers. */
    start,
    /** Ends it as a crash does (SIGKILL). Every acknowledged event must survive this. */
    kill: () => end("SIGKILL"),
    /** Ends it cleanly. */
    stop: () => end("SIGTERM"),
    /** The stored events of one contact, in the order of their storing. */
    rows: async ({ contact_uid }: { contact_uid: string }): Promise<Row[]> => {
      const query = new URLSearchParams({ contact_uid, limit: "10000" });
      const response = await fetch(`${url}/demo/events?${query}`);
      if (!response.ok) throw new Error(`the service answered ${response.status}: ${await response.text()}`);
      const { events } = (await response.json()) as { events: Row[] };
      return events.toSorted((a, b) => Number(a.id) - Number(b.id));
    },
    /** Ends it and removes its data. */
    dispose: async (): Promise<void> => {
      await end("SIGKILL");
      process.off("exit", killAtExit);
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  await start().catch(async (error: unknown) => {
    await service.dispose();
    throw error;
  });
  return service;
};
