import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "playwright/test";
import { freePort } from "../harness/ports.js";
import type { Row } from "../harness/service.js";
import { waitFor } from "../harness/wait.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export type Contact = { uid: string; name: string; accounts: { uid: string; name: string }[] };

/** Starts the demo as `npm start` does, on ports and a data folder of its own. */
export const startDemo = async () => {
  const data = await mkdtemp(join(tmpdir(), "tracklet-demo-"));
  const ports = { TRACKLET_SITE_PORT: await freePort(), TRACKLET_SERVICE_PORT: await freePort() };
  const env = {
    TRACKLET_SITE_PORT: `${ports.TRACKLET_SITE_PORT}`,
    TRACKLET_SERVICE_PORT: `${ports.TRACKLET_SERVICE_PORT}`,
  };
  const children: ChildProcess[] = [];
  let said = "";
  const run = (file: string): ChildProcess => {
    const child = spawn(process.execPath, ["--import", "tsx", file], {
      cwd: ROOT,
      env: { ...process.env, NODE_OPTIONS: "", ...env, TRACKLET_DATA: data },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on("data", (chunk) => {
        said += chunk;
      });
    }
    children.push(child);
    return child;
  };
  const says = async (pattern: RegExp) => {
    const ended = () => children.some(({ exitCode }) => exitCode);
    await waitFor(() => pattern.test(said) || ended(), { what: String(pattern), timeoutMs: 120_000 });
    const match = pattern.exec(said);
    if (match === null) throw new Error(`the demo ended: ${said}`);
    return match;
  };

  run("demo/start.ts");
  const [, pid] = await says(/process (\d+)\)[\s\S]*Ctrl-C/);
  const service = `http://127.0.0.1:${ports.TRACKLET_SERVICE_PORT}`;
  const read = async <T>(path: string) => (await (await fetch(service + path)).json()) as T;
  const contacts = await read<Contact[]>("/demo/contacts");
  let given = 0;
  return {
    site: `http://127.0.0.1:${ports.TRACKLET_SITE_PORT}`,
    /** A contact that no other test acts as. */
    contact: (): Contact => contacts[given++]!,
    rows: async ({ uid }: Contact): Promise<Row[]> =>
      (await read<{ events: Row[] }>(`/demo/events?contact_uid=${encodeURIComponent(uid)}`)).events,
    /** Sends an event past every page. */
    post: async ({ uid, accounts }: Contact, event_uid: string, params: object = {}) => {
      const answer = await fetch(`${service}/v1/track/event?api_token=demo-api-token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ contact_uid: uid, event_uid, params: { account_uid: accounts[0]?.uid, ...params } }),
      });
      expect(answer.status).toBe(200);
    },
    kill: async () => {
      process.kill(Number(pid), "SIGKILL");
      await says(/The service stopped \(SIGKILL\)/);
    },
    /** As `npm run demo:service` does. */
    startService: async () => {
      run("demo/service/main.ts");
      await says(/The service answers again/);
    },
    stop: async () => {
      for (const child of children.reverse()) {
        if (child.exitCode === null && child.signalCode === null) {
          child.kill("SIGTERM");
          await once(child, "exit");
        }
      }
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
export type Demo = Awaited<ReturnType<typeof startDemo>>;
